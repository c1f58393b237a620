import { EventEmitter, once } from 'node:events'
import { AgentCard } from '@a2a-js/sdk'
import type { ServerUnaryCall, ServerWritableStream, sendUnaryData } from '@grpc/grpc-js'
import { TrellisError } from '../base/errors.ts'
import { type Protocol, readProtocol, type ServiceParameters, type Version } from './call.ts'
import type { AgentCards } from './card.ts'
import { asTrellisError } from './errors.ts'
import type { GrpcMethod } from './grpc-method.ts'
import { type AnyCall, echo, type OpenCalls, parametersOf, signalOf } from './grpc-peer.ts'
import { grpcError } from './grpc-status.ts'
import { writeFrames } from './grpc-stream.ts'
import type { Identity } from './identity.ts'
import { parseJson, refuseUnsafe } from './json.ts'
import { openStream } from './opened-stream.ts'
import type { Operation } from './operation.ts'
import { CORE_OPERATIONS } from './operations-core.ts'
import { checkParams, makeCall } from './peer.ts'
import type { ReaderLimits } from './sse.ts'
import type { Trellis } from './trellis.ts'

export interface GrpcCallOptions {
  trellis: Trellis
  cards: AgentCards
  /** Who calls, as was found out before the message was read. */
  identityOf(call: AnyCall): Identity
  calls: OpenCalls
  /** URIs of extensions that every caller must activate. */
  requiredExtensions?: readonly string[]
  readers: ReaderLimits
  /** Told of what went wrong on this side, which the caller is not told. */
  onFailure(error: unknown, method: string): void
}

const operations: ReadonlyMap<string, Operation> = new Map(CORE_OPERATIONS.map((row) => [row.method, row]))

/** Answers calls of gRPC methods by the operations that every other binding runs, too. (A2A 1.0 §10) */
export class GrpcCalls {
  readonly #options: GrpcCallOptions
  #stopped = false
  #open = 0
  readonly #left = new EventEmitter()

  constructor(options: GrpcCallOptions) {
    this.#options = options
  }

  /** Ends the waits and streams that are open, and those to come. */
  stop(): void {
    this.#stopped = true
    this.#options.calls.stop()
  }

  /** Resolves once every call that is open has been answered, and what it was told has left. */
  async ended(): Promise<void> {
    while (this.#open > 0) await once(this.#left, 'left')
  }

  /** Counts a call as open until the function is called, or it is canceled. */
  #enter(call: AnyCall): () => void {
    let open = true
    const leave = () => {
      if (!open) return
      open = false
      this.#open -= 1
      this.#left.emit('left')
    }
    this.#open += 1
    call.once('cancelled', leave)
    if (call.cancelled) leave()
    return leave
  }

  /** The handler of a method with one answer. */
  unary(version: Version, method: GrpcMethod) {
    return async (call: ServerUnaryCall<Buffer, Buffer>, answer: sendUnaryData<Buffer>): Promise<void> => {
      const leave = this.#enter(call)
      const { signal, release } = signalOf(call, this.#options.calls)
      try {
        const { params, made, given } = this.#read(version, method, call, signal)
        const bytes = await method.write(await this.#run(method, params, made))
        call.sendMetadata(echo(made, given))
        answer(null, bytes)
      } catch (error) {
        answer(this.#seen(error, method))
      } finally {
        release()
        leave()
      }
    }
  }

  /** The handler of a method with a stream of answers. */
  stream(version: Version, method: GrpcMethod) {
    return async (call: ServerWritableStream<Buffer, Buffer>): Promise<void> => {
      // What was written may wait for a reader long after the last frame.
      call.once('finish', this.#enter(call))
      const { signal, release } = signalOf(call, this.#options.calls)
      try {
        await this.#follow(version, method, call, signal)
        call.end()
      } catch (error) {
        call.emit('error', this.#seen(error, method))
      } finally {
        release()
      }
    }
  }

  async #follow(
    version: Version,
    method: GrpcMethod,
    call: ServerWritableStream<Buffer, Buffer>,
    signal: AbortSignal,
  ): Promise<void> {
    const { params, made, given } = this.#read(version, method, call, signal)
    const operation = operationOf(method)
    if (!operation.streams) throw new Error(`${method.operation} does not stream`)
    const opened = await openStream(operation, this.#options.trellis, params, made)
    try {
      call.sendMetadata(echo(made, given))
      const encode = (frame: unknown) => method.write(frame)
      const lastSeq = await writeFrames(call, opened, encode, { limits: this.#options.readers, signal })
      // A key that was revoked meanwhile.
      if (signal.reason instanceof TrellisError) throw signal.reason
      if (this.#stopped) throw stopped(lastSeq)
    } finally {
      await opened.rest.return?.()
    }
  }

  #read(version: Version, method: GrpcMethod, call: AnyCall, signal: AbortSignal) {
    const given = parametersOf(call)
    const protocol = this.#protocol(version, given)
    const identity = this.#options.identityOf(call)
    const params = readParams(method, call.request)
    checkParams(params, identity)
    const { onFailure } = this.#options
    const made = makeCall({ identity, parameters: given, signal, onFailure }, protocol, version)
    return { params, made, given }
  }

  /** The service says the version, so metadata need not; but it may not say another. */
  #protocol(version: Version, given: ServiceParameters): Protocol {
    const asked = { ...given, version: given.version || version }
    const protocol = readProtocol(asked, this.#options.requiredExtensions)
    if (protocol.version === version) return { ...protocol, extensionDialect: false }
    const message = `a2a-version was ${protocol.version}; this service is that of ${version}`
    throw new TrellisError('versionNotSupported', message, { details: { supportedVersions: version } })
  }

  async #run(method: GrpcMethod, params: unknown, made: ReturnType<typeof makeCall>): Promise<unknown> {
    const { trellis, cards } = this.#options
    const operation = operationOf(method)
    // 0.3 has one method for both cards.
    if (operation.method === 'agent/getAuthenticatedExtendedCard' && trellis.extendedCard === undefined) {
      return AgentCard.toJSON((await cards.served()).card)
    }
    if (operation.streams) throw new Error(`${method.operation} is not unary`)
    return operation.run(trellis, params, made)
  }

  #seen(error: unknown, { path }: GrpcMethod) {
    if (asTrellisError(error).meaning === 'internal') this.#options.onFailure(error, path)
    return grpcError(error)
  }
}

function operationOf({ operation }: GrpcMethod): Operation {
  const row = operations.get(operation)
  if (row === undefined) throw new Error(`${operation} is not in the table`)
  return row
}

/** The params as JSON would have brought them: as deep as that may be, and with no text that cannot be stored. */
function readParams(method: GrpcMethod, bytes: Buffer): unknown {
  const { value, suspicious } = parseJson(JSON.stringify(decoded(method, bytes)))
  if (suspicious) refuseUnsafe(value)
  return value
}

function decoded(method: GrpcMethod, bytes: Buffer): unknown {
  try {
    return method.read(bytes)
  } catch (error) {
    if (error instanceof TrellisError) throw error
    throw new TrellisError('parseError', 'The request is no message that this method takes', { cause: error })
  }
}

/** A stream that ends with the server is not one that has come to its end. */
function stopped(lastSeq: number | undefined): TrellisError {
  const where = lastSeq === undefined ? 'subscribe again' : `resume with last-event-id: ${lastSeq}`
  return new TrellisError('unavailable', `The server is stopping; ${where}`, {
    details: lastSeq === undefined ? {} : { lastEventId: String(lastSeq) },
  })
}
