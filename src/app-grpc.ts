import { anonymous } from './a2a/identity.ts'
import type { Addresses } from './app-card.ts'
import type { Config } from './base/config.ts'
import { DEFAULT_HTTP_LIMITS, type HttpOptions } from './http/app.ts'
import { OpenCalls } from './http/open-calls.ts'

/** The gRPC binding of a server where it is on. */
export interface Grpc {
  /** Listens, says so in the card, and resolves to the address as the card has it: `host:port`. */
  listen(): Promise<string>
  close(): Promise<void>
}

/** gRPC over the same operations and the same callers as HTTP; undefined without a port. */
export async function buildGrpc(http: HttpOptions, config: Config, addresses: Addresses): Promise<Grpc | undefined> {
  const { host = config.server.host, port, address } = config.grpc
  if (port === undefined) return undefined
  // Much to load for what is off by default.
  const { GrpcServer } = await import('./a2a/grpc-server.ts')
  const { bodyBytes, bufferBytes, heartbeatSeconds, stallSeconds } = { ...DEFAULT_HTTP_LIMITS, ...http.limits }
  const { authenticate = anonymous } = http
  const server = new GrpcServer({
    trellis: http.trellis,
    cards: http.cards,
    authenticate,
    calls: new OpenCalls(http.authenticate),
    requiredExtensions: config.card.requiredExtensions,
    readers: { bufferBytes, stallSeconds },
    bodyBytes,
    heartbeatSeconds,
    tls: config.grpc.tls,
    onFailure: (error, method) => http.logger?.error({ err: error, method }, 'a call failed'),
  })
  return {
    listen: async () => {
      const bound = await server.listen(host, port)
      const { hostname } = new URL(addresses.publicUrl || `http://${host}`)
      addresses.grpc = address ?? `${hostname}:${bound}`
      return addresses.grpc
    },
    close: () => server.close(),
  }
}
