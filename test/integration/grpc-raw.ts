import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc'
import { decodeErrorInfo, decodeStatus, GRPC_STATUS_DETAILS_BIN } from '@a2a-js/sdk/errors/grpc'
import { A2AService } from '@a2a-js/sdk/server/grpc'
import {
  type CallOptions,
  Client,
  type ClientReadableStream,
  type ClientUnaryCall,
  credentials,
  Metadata,
  type MethodDefinition,
  type ServiceError,
} from '@grpc/grpc-js'

export interface RawOptions {
  /** A connection that it shares with no other client. */
  own?: boolean
  /** Whom it trusts to be the server; absent: it speaks no TLS. */
  root?: Buffer
}

/** A plain gRPC client for what an SDK's client would not send or does not show. */
export class RawClient {
  readonly client: Client

  constructor(t: { teardown(end: () => unknown): void }, address: string, { own = false, root }: RawOptions = {}) {
    const channel = root === undefined ? credentials.createInsecure() : credentials.createSsl(root)
    this.client = new Client(address, channel, own ? { 'grpc.use_local_subchannel_pool': 1 } : {})
    t.teardown(() => this.client.close())
  }

  /** Resolves to the answer and the initial metadata. */
  unary<M extends UnaryName>(
    name: M,
    request: Bytes | RequestOf<M>,
    headers: Record<string, string> = {},
    options: CallOptions & { started?: (call: ClientUnaryCall) => void } = {},
  ): Promise<{ answer: ReturnType<Codecs[M]['responseDeserialize']>; initial: Metadata }> {
    const codec = codecOf(name)
    let initial = new Metadata()
    return new Promise((resolve, reject) => {
      const call = this.client.makeUnaryRequest(
        codec.path,
        serializer(codec),
        codec.responseDeserialize,
        request,
        metadataOf(headers),
        options,
        (error, answer) => (error ? reject(error) : resolve({ answer, initial })),
      )
      call.on('metadata', (metadata: Metadata) => {
        initial = metadata
      })
      options.started?.(call)
    })
  }

  stream<M extends StreamName>(
    name: M,
    request: RequestOf<M>,
    headers: Record<string, string> = {},
    options: CallOptions = {},
  ): ClientReadableStream<ReturnType<Codecs[M]['responseDeserialize']>> {
    const codec = codecOf(name)
    return this.client.makeServerStreamRequest(
      codec.path,
      serializer(codec),
      codec.responseDeserialize,
      request,
      metadataOf(headers),
      options,
    )
  }
}

/** Bytes that are sent as they are. */
export class Bytes {
  readonly bytes: Buffer
  constructor(bytes: Buffer) {
    this.bytes = bytes
  }
}

const CODECS = { ...A2AService, getAgentCard: LegacyA2AService.getAgentCard, legacyGetTask: LegacyA2AService.getTask }
type Codecs = typeof CODECS
type RequestOf<M extends keyof Codecs> = Partial<ReturnType<Codecs[M]['requestDeserialize']>>
type StreamName = 'sendStreamingMessage' | 'subscribeToTask'
type UnaryName = Exclude<keyof Codecs, StreamName>

// biome-ignore lint/suspicious/noExplicitAny: the types of all methods at once
type AnyMethod = MethodDefinition<any, any>

function codecOf(name: keyof Codecs): AnyMethod {
  return CODECS[name]
}

function serializer({ requestSerialize }: AnyMethod) {
  return (request: unknown) => (request instanceof Bytes ? request.bytes : requestSerialize(request))
}

function metadataOf(headers: Record<string, string>): Metadata {
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  return metadata
}

/** What a call ended with: the code, the message, ErrorInfo, and what other details there are. */
export async function endOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => {
      throw new Error('it was answered')
    },
    (thrown: ServiceError) => thrown,
  )
  const [bytes] = error.metadata?.get(GRPC_STATUS_DETAILS_BIN) ?? []
  const { code, details } = error
  if (!Buffer.isBuffer(bytes)) return { code, message: details, types: [] }
  const seen = decodeStatus(bytes)
  const info = seen.details.find(({ typeUrl }) => typeUrl.endsWith('ErrorInfo'))
  return {
    code,
    message: details,
    same: seen.code === code && seen.message === details,
    types: seen.details.map(({ typeUrl }) => typeUrl.split('.').at(-1)),
    texts: seen.details.map(({ value }) => Buffer.from(value).toString()),
    info: info && decodeErrorInfo(Buffer.from(info.value)),
  }
}

/** Reads a stream to its end; rejects as the call does. */
export async function framesOf<T>(stream: ClientReadableStream<T>): Promise<T[]> {
  const frames: T[] = []
  for await (const frame of stream) frames.push(frame as T)
  return frames
}

let sent = 0
/** A user's message of 1.0, never the same twice. */
export function userText(text: string, more: object = {}) {
  sent += 1
  return {
    messageId: `grpc-${process.pid}-${Date.now()}-${sent}`,
    contextId: '',
    taskId: '',
    role: 1,
    parts: [{ content: { $case: 'text' as const, value: text }, metadata: undefined, filename: '', mediaType: '' }],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...more,
  }
}
