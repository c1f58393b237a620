import type { IncomingMessage } from 'node:http'
import { setTimeout } from 'node:timers/promises'
import fastifyWebsocket, { type WebSocket, type WebsocketHandler } from '@fastify/websocket'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate } from '../a2a/identity.ts'
import { JsonRpc, spoken } from '../a2a/jsonrpc.ts'
import type { ReaderLimits } from '../a2a/sse.ts'
import type { Trellis } from '../a2a/trellis.ts'
import { RpcSocket } from '../a2a/websocket.ts'
import { isUnauthenticated } from './auth/authenticator.ts'
import { credentialsOf, identifies } from './auth/callers.ts'
import type { OpenCalls } from './open-calls.ts'

export interface SocketRouteOptions {
  trellis: Trellis
  authenticate: Authenticate
  calls: OpenCalls
  limits: ReaderLimits & { heartbeatSeconds: number; bodyBytes: number }
  /** URIs of extensions that every caller must activate. */
  required: readonly string[]
}

const PATH = '/ws'

/**
 * Whether a request is one to open a WebSocket. Any other upgrade is an offer that we pass by: taken up, it would leave the
 * request's body unread (clients of Java offer h2c with every call), and a socket that no timeout ever ends.
 */
export function opensSocket({ method, url = '', headers }: IncomingMessage): boolean {
  const path = url.split('?', 1)[0]?.replace(/\/$/, '')
  return method === 'GET' && path === PATH && headers.upgrade?.toLowerCase() === 'websocket'
}

/** /ws: JSON-RPC 2.0 over WebSocket. Service parameters come from the upgrade's headers, else its query. (design §8.3) */
export async function socketRoute(app: FastifyInstance, options: SocketRouteOptions): Promise<void> {
  const { trellis, authenticate, calls, limits } = options
  const rpc = new JsonRpc(trellis, options.required)
  await app.register(fastifyWebsocket, { options: { maxPayload: limits.bodyBytes }, errorHandler: closeBroken })
  const handler = async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('upgrade', 'websocket').header('connection', 'upgrade')
    throw Object.assign(new Error('This is a WebSocket; expected an upgrade'), { statusCode: 426 })
  }
  const wsHandler: WebsocketHandler = (socket, request) => {
    const stopping = calls.open(credentialsOf(request))
    socket.on('close', () => calls.release(stopping))
    const parameters = { ...spoken(request.query as Record<string, unknown>), ...spoken(request.headers) }
    const onFailure = (error: unknown, method: string) => request.log.error({ err: error, method }, 'a call failed')
    const peer = { identity: request.identity, parameters, onFailure }
    const { signal } = stopping
    const opened = new RpcSocket(socket, { rpc, peer, stopping: signal, limits })
    signal.addEventListener('abort', () => void leaveUnknown(socket, opened, signal), { once: true })
  }
  app.route({ method: 'GET', url: PATH, onRequest: identifies(authenticate), handler, wsHandler })
}

/** A peer that breaks off or breaks the rules is no fault of ours; what it broke is in the code that ws closes with. */
function closeBroken(error: Error, socket: WebSocket, request: FastifyRequest): void {
  request.log.debug({ err: error }, 'a socket broke')
  socket.close(1011)
}

const POLICY_VIOLATION = 1008

/** How long what is open may take to end. */
const LAST_WORDS_MILLISECONDS = 1_000

/** Who may not call any more is told so, once its streams have ended and said why. */
async function leaveUnknown(socket: WebSocket, opened: RpcSocket, { reason }: AbortSignal): Promise<void> {
  if (!isUnauthenticated(reason)) return
  await Promise.race([opened.answered(), setTimeout(LAST_WORDS_MILLISECONDS, undefined, { ref: false })])
  socket.close(POLICY_VIOLATION, 'unauthenticated')
}
