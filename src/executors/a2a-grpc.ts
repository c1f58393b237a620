import type { AgentCard } from '@a2a-js/sdk'
import type { TransportFactory } from '@a2a-js/sdk/client'
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc'
import { credentials, InterceptingCall, type Interceptor, type Metadata, status } from '@grpc/grpc-js'
import { type BoundedFetchOptions, sameHost } from './a2a-fetch.ts'

/** Where a gRPC interface is, out of what a card says: `host:port`, or a URL. */
export interface GrpcTarget {
  endpoint: string
  /** The same as a URL, for comparing hosts. */
  url: URL
  secure: boolean
}

/**
 * Reads the address of a gRPC interface. Without a scheme it is as secure as the agent's own URL. Undefined for anything else
 * that the library would understand: a card names hosts, not sockets of this machine or servers to resolve names by.
 */
export function grpcTarget(address: string, agentUrl: string): GrpcTarget | undefined {
  const match = /^(?:(https?|grpcs?):\/\/)?(\[[0-9a-f:]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?\/?$/i.exec(address)
  if (!match) return undefined
  const [, scheme = new URL(agentUrl).protocol.slice(0, -1), host, port] = match
  const secure = scheme === 'https' || scheme === 'grpcs'
  const endpoint = `${host}:${port ?? (secure ? 443 : 80)}`
  if (!URL.canParse(`http://${endpoint}`)) return undefined
  return { endpoint, url: new URL(`http://${endpoint}`), secure }
}

/** The SDK's gRPC transport for both versions, with the bounds that `boundedFetch` has. */
export function boundedGrpc(options: BoundedFetchOptions): TransportFactory {
  return {
    protocolName: 'GRPC',
    create: async (address: string, card: AgentCard) => {
      const target = grpcTarget(address, options.agent.url)
      if (target === undefined) throw new Error(`${address} is no address of a gRPC server`)
      const { endpoint, url, secure } = target
      const own = sameHost(url, new URL(options.agent.url))
      const factory = new GrpcTransportFactory({
        grpcChannelCredentials: secure ? credentials.createSsl() : credentials.createInsecure(),
        // Configured headers may be credentials: they go to the configured host only.
        grpcCallOptions: { interceptors: [bounds(options, own ? options.headers : {})] },
        legacyCompat: { enabled: true },
      })
      const supportedInterfaces = card.supportedInterfaces.map((one) =>
        one.url === address ? { ...one, url: endpoint } : one,
      )
      return factory.create(endpoint, { ...card, supportedInterfaces })
    },
  }
}

/**
 * Ends a call that is silent too long. How much one message may bring is the library's to bound (4 MiB), and what is kept of
 * them all is RemoteBounds'.
 */
function bounds(
  { timeoutMs, idleTimeoutMs }: BoundedFetchOptions,
  headers: Readonly<Record<string, string>>,
): Interceptor {
  return (callOptions, nextCall) => {
    const { responseStream } = callOptions.method_definition
    let timer: NodeJS.Timeout | undefined
    const arm = (ms: number, what: string) => {
      clearTimeout(timer)
      timer = setTimeout(() => call.cancelWithStatus(status.DEADLINE_EXCEEDED, what), ms).unref()
    }
    const idle = () => {
      if (responseStream) arm(idleTimeoutMs, `sent nothing on its stream for ${idleTimeoutMs / 1000} s`)
    }
    const call: InterceptingCall = new InterceptingCall(nextCall(callOptions), {
      start: (metadata, _listener, next) => {
        add(headers, metadata)
        arm(timeoutMs, `did not answer within ${timeoutMs / 1000} s`)
        next(metadata, {
          onReceiveMetadata: (received, pass) => {
            idle()
            pass(received)
          },
          onReceiveMessage: (message, pass) => {
            idle()
            pass(message)
          },
          onReceiveStatus: (ended, pass) => {
            clearTimeout(timer)
            pass(ended)
          },
        })
      },
    })
    return call
  }
}

function add(headers: Readonly<Record<string, string>>, metadata: Metadata): void {
  for (const [name, value] of Object.entries(headers)) metadata.set(name.toLowerCase(), value)
}
