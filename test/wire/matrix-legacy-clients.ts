import * as legacy from 'a2a-sdk-0.3/client'
import { GrpcTransportFactory } from 'a2a-sdk-0.3/client/grpc'
import { type Json, type MatrixClient, named, type StreamError, unpack } from './matrix-clients.ts'
import { frameOf, legacyRequest, sentOf, taskOf } from './matrix-legacy.ts'
import type { Server } from './rpc.ts'
import { Socket } from './socket.ts'

const TRANSPORTS = {
  JSONRPC: legacy.JsonRpcTransportFactory,
  'HTTP+JSON': legacy.RestTransportFactory,
  GRPC: GrpcTransportFactory,
} as const

/** The clients of those who know nothing of 1.0: the SDK's 0.3 line, and a socket of our own. */
export async function legacyClients(server: Server): Promise<MatrixClient[]> {
  const clients: MatrixClient[] = []
  for (const [binding, Transport] of Object.entries(TRANSPORTS)) {
    const factory = new legacy.ClientFactory({ transports: [new Transport()], preferredTransports: [binding] })
    clients.push(overOldSdk(binding, await factory.createFromUrl(server.baseUrl)))
  }
  return [...clients, overSocket(await Socket.open(server, { 'A2A-Version': '0.3' }))]
}

function overOldSdk(binding: string, client: legacy.Client): MatrixClient {
  type Send = Parameters<legacy.Client['sendMessage']>[0]
  const plain = <T>(answer: T) => answer as unknown as Json
  return {
    name: `the SDK of 0.3 over ${binding}`,
    forgetful: binding !== 'JSONRPC',
    ...(binding === 'GRPC' && { nullable: false }),
    send: async (params) => sentOf(plain(await client.sendMessage(legacyRequest(params) as unknown as Send))),
    stream: (params) => framesOf(client.sendMessageStream(legacyRequest(params) as unknown as Send)),
    subscribe: (id) => framesOf(client.resubscribeTask({ id })),
    get: async (id, historyLength) =>
      taskOf(plain(await client.getTask({ id, ...(historyLength !== undefined && { historyLength }) }))),
    cancel: async (id) => taskOf(plain(await client.cancelTask({ id }))),
    close: () => undefined,
  }
}

async function* framesOf(frames: AsyncIterable<unknown>): AsyncGenerator<Json> {
  try {
    for await (const frame of frames) yield frameOf(frame as Json)
  } catch (error) {
    throw named(error as StreamError)
  }
}

function overSocket(socket: Socket): MatrixClient {
  const call = async (method: string, params: Json): Promise<Json> => unpack(await socket.call(method, params))
  async function* follow(method: string, params: Json): AsyncGenerator<Json> {
    socket.send({ jsonrpc: '2.0', id: 'stream', method, params })
    for (let next = await socket.next(); next.method !== 'stream/end'; next = await socket.next()) {
      yield frameOf(unpack(next))
    }
  }
  return {
    name: 'WebSocket 0.3',
    forgetful: false,
    send: async (params) => sentOf(await call('message/send', legacyRequest(params))),
    stream: (params) => follow('message/stream', legacyRequest(params)),
    subscribe: (id) => follow('tasks/resubscribe', { id }),
    get: async (id, historyLength) => taskOf(await call('tasks/get', { id, historyLength })),
    cancel: async (id) => taskOf(await call('tasks/cancel', { id })),
    close: () => socket.close(),
  }
}
