import type { Version } from './call.ts'

/** One method of a gRPC service: which operation it is, and how its Protocol Buffers become the operation's JSON and back. */
export interface GrpcMethod {
  /** As HTTP/2 says it. */
  path: string
  /** The operation's name in the table. */
  operation: string
  streams: boolean
  /** The operation's params. Throws for bytes that are no such message. */
  read(bytes: Buffer): unknown
  /** A result, or one frame of a stream. */
  write(result: unknown): Buffer | Promise<Buffer>
}

export interface GrpcService {
  version: Version
  methods: readonly GrpcMethod[]
}

/** What the SDK generated for one method. */
export interface Codec<Q, A> {
  readonly path: string
  readonly responseStream: boolean
  readonly requestDeserialize: (bytes: Buffer) => Q
  readonly responseSerialize: (answer: A) => Buffer
}

/** A method out of what the SDK generated, and the JSON on both sides. */
export function method<Q, A>(
  operation: string,
  codec: Codec<Q, A>,
  read: (request: Q) => unknown,
  write: (result: Record<string, unknown>) => A,
): GrpcMethod {
  return {
    path: codec.path,
    operation,
    streams: codec.responseStream,
    read: (bytes) => read(codec.requestDeserialize(bytes)),
    write: (result) => codec.responseSerialize(write((result ?? {}) as Record<string, unknown>)),
  }
}
