import fastifyWebsocket, { type WebSocket, type WebsocketHandler } from '@fastify/websocket'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate, Identity } from '../a2a/identity.ts'
import { JsonRpc, spoken } from '../a2a/jsonrpc.ts'
import type { ReaderLimits } from '../a2a/sse.ts'
import type { Trellis } from '../a2a/trellis.ts'
import { RpcSocket } from '../a2a/websocket.ts'
import { credentialsOf, type OpenCalls } from './peer.ts'

export interface SocketRouteOptions {
  trellis: Trellis
  authenticate: Authenticate
  calls: OpenCalls
  limits: ReaderLimits & { heartbeatSeconds: number; bodyBytes: number }
  /** URIs of extensions that every caller must activate. */
  required: readonly string[]
  /** Origins of pages that may open sockets, beside our own. */
  allowedOrigins: readonly string[]
}

/** /ws: JSON-RPC 2.0 over WebSocket. Service parameters come from the upgrade's headers, else its query. (design §8.3) */
export async function socketRoute(app: FastifyInstance, options: SocketRouteOptions): Promise<void> {
  const { trellis, authenticate, calls, limits } = options
  const rpc = new JsonRpc(trellis, options.required)
  await app.register(fastifyWebsocket, { options: { maxPayload: limits.bodyBytes }, errorHandler: closeBroken })
  const refuseOrigin = originGuard(options.allowedOrigins)
  const callers = new WeakMap<FastifyRequest, Identity>()
  const identify = async (request: FastifyRequest) => {
    callers.set(request, await authenticate(credentialsOf(request)))
  }
  const handler = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('upgrade', 'websocket').header('connection', 'upgrade')
    throw Object.assign(new Error('This is a WebSocket; expected an upgrade'), { statusCode: 426 })
  }
  const wsHandler: WebsocketHandler = (socket, request) => {
    const stopping = calls.open()
    socket.on('close', () => calls.release(stopping))
    const parameters = { ...spoken(request.query as Record<string, unknown>), ...spoken(request.headers) }
    const onFailure = (error: unknown, method: string) => request.log.error({ err: error, method }, 'a call failed')
    const peer = { identity: callers.get(request) as Identity, parameters, onFailure }
    new RpcSocket(socket, { rpc, peer, stopping: stopping.signal, limits })
  }
  app.route({ method: 'GET', url: '/ws', onRequest: [refuseOrigin, identify], handler, wsHandler })
}

/** A peer that breaks off or breaks the rules is no fault of ours; what it broke is in the code that ws closes with. */
function closeBroken(error: Error, socket: WebSocket, request: FastifyRequest): void {
  request.log.debug({ err: error }, 'a socket broke')
  socket.close(1011)
}

/** Browsers let any page open a socket to anywhere: a page of another origin would act as its visitor. */
function originGuard(allowed: readonly string[]) {
  return async (request: FastifyRequest): Promise<void> => {
    const { origin, host } = request.headers
    if (origin === undefined || allowed.includes(origin)) return
    if (URL.canParse(origin) && new URL(origin).host === host) return
    throw Object.assign(new Error('Pages of this origin may not open sockets here'), { statusCode: 403 })
  }
}
