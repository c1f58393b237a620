import { type MethodDefinition, Server, type ServerCredentials, type UntypedServiceImplementation } from '@grpc/grpc-js'
import { TrellisError } from '../base/errors.ts'
import { type GrpcCallOptions, GrpcCalls } from './grpc-calls.ts'
import { GrpcDoor } from './grpc-door.ts'
import { LEGACY_SERVICE } from './grpc-legacy.ts'
import type { GrpcMethod, GrpcService } from './grpc-method.ts'
import { MODERN_SERVICE } from './grpc-modern.ts'
import { grpcCredentials, type TlsFiles } from './grpc-tls.ts'
import type { Authenticate } from './identity.ts'

export interface GrpcOptions extends Omit<GrpcCallOptions, 'identityOf'> {
  authenticate: Authenticate
  /** The largest request. */
  bodyBytes: number
  /** How often a silent connection is asked whether it is alive. */
  heartbeatSeconds: number
  /** Absent: without TLS, which is a proxy's to add then. */
  tls?: TlsFiles | undefined
}

const MAX_STREAMS_PER_CONNECTION = 1_000
/** How long a connection may take to say that it is alive. */
const ALIVE_SECONDS = 20
/** How long calls may take to end once they were told to. */
const GRACE_MILLISECONDS = 3_000

/** The gRPC binding, 1.0's service and 0.3's, on a port of its own. */
export class GrpcServer {
  readonly #server: Server
  readonly #calls: GrpcCalls
  readonly #credentials: ServerCredentials
  #closing: Promise<void> | undefined

  /** @throws ConfigError where TLS's files are not what they should be */
  constructor(options: GrpcOptions) {
    this.#credentials = grpcCredentials(options.tls)
    const door = new GrpcDoor(options)
    this.#calls = new GrpcCalls({ ...options, identityOf: (call) => door.identityOf(call) })
    this.#server = new Server({
      interceptors: [door.interceptor],
      'grpc.max_receive_message_length': options.bodyBytes,
      // What is stored may be larger than one request: chunks add up.
      'grpc.max_send_message_length': -1,
      'grpc.max_concurrent_streams': MAX_STREAMS_PER_CONNECTION,
      'grpc.keepalive_time_ms': options.heartbeatSeconds * 1_000,
      'grpc.keepalive_timeout_ms': ALIVE_SECONDS * 1_000,
      'grpc.enable_channelz': 0,
    })
    this.#add(MODERN_SERVICE)
    this.#add(LEGACY_SERVICE)
  }

  /** Listens, and resolves to the port. @throws TrellisError that names the setting, if the port cannot be had */
  listen(host: string, port: number): Promise<number> {
    const address = `${host.includes(':') ? `[${host}]` : host}:${port}`
    return new Promise((resolve, reject) => {
      this.#server.bindAsync(address, this.#credentials, (error, bound) => {
        if (!error) return resolve(bound)
        const message = `gRPC cannot listen on ${address} (${error.message}). Name another port with grpc.port.`
        reject(new TrellisError('unavailable', message, { cause: error }))
      })
    })
  }

  /** Takes no more calls, ends open streams and waits, and gives them a little time to leave. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  async #close(): Promise<void> {
    this.#calls.stop()
    // Asked to shut down first, the library would wait for readers even when it is forced to.
    if (!(await within(this.#calls.ended(), GRACE_MILLISECONDS))) return this.#server.forceShutdown()
    const gone = new Promise<void>((resolve) => this.#server.tryShutdown(() => resolve()))
    if (!(await within(gone, GRACE_MILLISECONDS))) this.#server.forceShutdown()
  }

  #add({ version, methods }: GrpcService): void {
    const handlers: UntypedServiceImplementation = {}
    for (const method of methods) {
      handlers[method.path] = method.streams ? this.#calls.stream(version, method) : this.#calls.unary(version, method)
    }
    this.#server.addService(Object.fromEntries(methods.map((method) => [method.path, definition(method)])), handlers)
  }
}

/** Messages pass as bytes: what is wrong with them is then answered like any other error, and their size is known. */
function definition({ path, streams }: GrpcMethod): MethodDefinition<Buffer, Buffer> {
  const asIs = (bytes: Buffer) => bytes
  return {
    path,
    requestStream: false,
    responseStream: streams,
    requestSerialize: asIs,
    requestDeserialize: asIs,
    responseSerialize: asIs,
    responseDeserialize: asIs,
  }
}

/** Whether it came about in time. */
async function within(done: Promise<void>, milliseconds: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(resolve, milliseconds, false)
  })
  const inTime = await Promise.race([done.then(() => true), late])
  clearTimeout(timer)
  return inTime
}
