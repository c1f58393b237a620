import { Message, SendMessageRequest, StreamResponse, Task } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc'
import { type Answer, type Server, V1 } from './rpc.ts'
import { Socket } from './socket.ts'

export type Json = Record<string, unknown>

/** What a scenario does, whatever is between it and the server. Everything is in 1.0's JSON; errors have the SDK's names. */
export interface MatrixClient {
  name: string
  /** The SDK's codec for 0.3's Protocol Buffers forgets names of files, metadata of parts, and that a chunk is appended. */
  forgetful: boolean
  /** The codec of the SDK's 0.3 line cannot write a null inside data for gRPC. */
  nullable?: false
  send(params: Json): Promise<Json>
  stream(params: Json): AsyncIterable<Json>
  subscribe(id: string): AsyncIterable<Json>
  get(id: string, historyLength?: number): Promise<Json>
  cancel(id: string): Promise<Json>
  close(): void
}

const BINDINGS = ['JSONRPC', 'HTTP+JSON', 'GRPC'] as const

/** A client for each binding and version: the SDK's, and for the WebSocket, which it does not know, one of our own. */
export async function matrixClients(server: Server): Promise<MatrixClient[]> {
  const clients: MatrixClient[] = []
  for (const binding of BINDINGS) {
    for (const version of ['1.0', '0.3'] as const) {
      clients.push(overSdk(`${binding} ${version}`, await sdkClient(server, binding, version)))
    }
  }
  return [...clients, overSocket('WebSocket 1.0', await Socket.open(server, V1))]
}

async function sdkClient(server: Server, binding: (typeof BINDINGS)[number], version: '1.0' | '0.3'): Promise<Client> {
  const legacyCompat = { enabled: version === '0.3' }
  const cardResolver = new DefaultAgentCardResolver({ legacyCompat })
  const factory = new ClientFactory({
    transports: [
      new JsonRpcTransportFactory({ legacyCompat }),
      new RestTransportFactory({ legacyCompat }),
      new GrpcTransportFactory({ legacyCompat }),
    ],
    preferredTransports: [binding],
    cardResolver,
  })
  if (version === '1.0') return factory.createFromUrl(server.baseUrl)
  const response = await fetch(`${server.baseUrl}/.well-known/agent-card.json`)
  const { supportedInterfaces: _, ...legacy } = (await response.json()) as Json
  return factory.createFromAgentCard(cardResolver.normalizeAgentCard(legacy))
}

function overSdk(name: string, client: Client): MatrixClient {
  const sent = (answer: Message | Task): Json =>
    'messageId' in answer ? { message: Message.toJSON(answer) } : { task: Task.toJSON(answer) }
  return {
    name,
    forgetful: name === 'HTTP+JSON 0.3' || name === 'GRPC 0.3',
    send: async (params) => sent(await client.sendMessage(SendMessageRequest.fromJSON(params))),
    stream: (params) => inJson(client.sendMessageStream(SendMessageRequest.fromJSON(params))),
    subscribe: (id) => inJson(client.resubscribeTask({ id, tenant: '' })),
    get: async (id, historyLength) => Task.toJSON(await client.getTask({ id, tenant: '', historyLength })) as Json,
    cancel: async (id) => Task.toJSON(await client.cancelTask({ id, tenant: '', metadata: undefined })) as Json,
    close: () => undefined,
  }
}

async function* inJson(frames: AsyncIterable<StreamResponse>): AsyncGenerator<Json> {
  try {
    for await (const frame of frames) yield StreamResponse.toJSON(frame) as Json
  } catch (error) {
    throw named(error as StreamError)
  }
}

/** JSON-RPC over a socket. What comes goes through the SDK's codecs, as it does in the other clients. */
function overSocket(name: string, socket: Socket): MatrixClient {
  const call = async (method: string, params: Json): Promise<Answer> => unpack(await socket.call(method, params))
  const asTask = (task: Answer) => Task.toJSON(Task.fromJSON(task)) as Json
  async function* follow(method: string, params: Json): AsyncGenerator<Json> {
    socket.send({ jsonrpc: '2.0', id: 'stream', method, params })
    for (let next = await socket.next(); next.method !== 'stream/end'; next = await socket.next()) {
      yield StreamResponse.toJSON(StreamResponse.fromJSON(unpack(next))) as Json
    }
  }
  return {
    name,
    forgetful: false,
    send: async (params) => {
      const { task, message } = await call('SendMessage', params)
      return task ? { task: asTask(task) } : { message: Message.toJSON(Message.fromJSON(message)) }
    },
    stream: (params) => follow('SendStreamingMessage', params),
    subscribe: (id) => follow('SubscribeToTask', { id }),
    get: async (id, historyLength) => asTask(await call('GetTask', { id, historyLength })),
    cancel: async (id) => asTask(await call('CancelTask', { id })),
    close: () => socket.close(),
  }
}

const NAMES: Readonly<Record<string, string>> = {
  '-32001': 'TaskNotFoundError',
  '-32002': 'TaskNotCancelableError',
  '-32004': 'UnsupportedOperationError',
}

export function unpack({ result, error }: Answer): Answer {
  if (error) throw Object.assign(new Error(error.message), { name: NAMES[error.code] ?? `code ${error.code}` })
  return result
}

export type StreamError = Error & { cause?: { metadata?: { get(name: string): unknown[] } } }

/** In 0.3 the SDK has no names for what ends a stream: the code stands in the text, and over gRPC the reason in the details. */
export function named(error: StreamError): Error {
  const code = /\(Code: (-\d+)\)/.exec(error.message)?.[1]
  const details = String(error.cause?.metadata?.get('grpc-status-details-bin')[0] ?? '')
  const isUnsupported = details.includes('UNSUPPORTED_OPERATION')
  const name = NAMES[isUnsupported ? '-32004' : (code ?? '')]
  return name === undefined ? error : Object.assign(error, { name })
}
