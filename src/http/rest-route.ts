import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { parseJson, refuseUnsafe } from '../a2a/json.ts'
import { openStream } from '../a2a/opened-stream.ts'
import { checkTenant, makeCall } from '../a2a/peer.ts'
import {
  LEGACY_PREFIX,
  type RestRequest,
  type RestRoute,
  restEvents,
  restParams,
  restProtocol,
  restResult,
  restRoutes,
} from '../a2a/rest.ts'
import { inCamelCase } from '../a2a/spelling.ts'
import { type ReaderLimits, sendEventStream } from '../a2a/sse.ts'
import type { Trellis } from '../a2a/trellis.ts'
import { countsCall } from './auth/callers.ts'
import type { OpenCalls } from './open-calls.ts'
import { HttpPeer } from './peer.ts'
import { bodyAsIs, echoExtensions, JSON_TYPES } from './rpc-route.ts'

export interface RestRouteOptions {
  trellis: Trellis
  calls: OpenCalls
  readers: ReaderLimits
  /** URIs of extensions that every caller must activate. */
  required: readonly string[]
}

/** A2A's own media type, which an answer has if the request names it. (A2A 1.0 §11.1) */
export const A2A_TYPE = 'application/a2a+json'

/** HTTP+JSON, of both versions, for every operation that has a path. Errors go through the error handler. (design §8.1) */
export function restRoutesOf(app: FastifyInstance, options: RestRouteOptions): void {
  app.addHook('onRequest', countsCall)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser([...JSON_TYPES], { parseAs: 'buffer' }, bodyAsIs)
  for (const route of restRoutes()) {
    const handler = (request: FastifyRequest, reply: FastifyReply) => serve(route, request, reply, options)
    // A stream without its events would hold the connection until the task ends, and say nothing.
    const exposeHeadRoute = !route.operation.streams
    app.route({ method: route.verb, url: fastifyPath(route.path), sse: 'manual', exposeHeadRoute, handler } as never)
  }
}

/** `/tasks/{id}:cancel` as Fastify writes it: a literal colon is doubled. The parameter may have others. */
export function fastifyPath(path: string): string {
  return path
    .replace(/\{tenant\}/, `:tenant(^(?!${LEGACY_PREFIX.slice(1)}$).+)`)
    .replace(/\{(\w+)\}:/g, ':$1(.+)::')
    .replace(/\{(\w+)\}/g, ':$1')
    .replace('message:', 'message::')
}

async function serve(route: RestRoute, request: FastifyRequest, reply: FastifyReply, options: RestRouteOptions) {
  const { trellis, calls, readers, required } = options
  const { operation } = route
  const peer = new HttpPeer(request, reply, calls)
  const protocol = restProtocol(route, peer.parameters, required)
  const { path, query, body } = read(request)
  checkTenant(path['tenant'], peer.identity.tenant)
  checkTenant(query['tenant'], peer.identity.tenant)
  const params = restParams(route, { path, query, body })
  checkTenant((params as { tenant?: unknown }).tenant, peer.identity.tenant)
  const call = makeCall(peer, protocol, protocol.version)
  if (operation.streams) {
    const stream = await openStream(operation, trellis, params, call)
    echoExtensions(reply, protocol, peer.parameters.legacyExtensions)
    return sendEventStream(reply, stream, restEvents(route), readers)
  }
  const result = await operation.run(trellis, params, call)
  echoExtensions(reply, protocol, peer.parameters.legacyExtensions)
  if (route.verb === 'DELETE') return reply.code(204).send()
  return reply.type(answerType(request)).send(JSON.stringify(restResult(route, result)))
}

function read(request: FastifyRequest): RestRequest {
  const path = request.params as Record<string, string>
  const query = request.query as Record<string, unknown>
  refuseUnsafe(path)
  refuseUnsafe(query)
  const bytes = request.body as Buffer | undefined
  if (bytes === undefined || bytes.length === 0) return { path, query, body: undefined }
  const { value, suspicious, underscored } = parseJson(bytes)
  if (suspicious) refuseUnsafe(value)
  return { path, query, body: underscored ? inCamelCase(value) : value }
}

/** `application/json`, unless the request names A2A's own type in Accept or Content-Type. */
export function answerType({ headers }: FastifyRequest): string {
  const named = headers.accept?.split(',').some(wantsA2a) || headers['content-type']?.toLowerCase().includes(A2A_TYPE)
  return `${named ? A2A_TYPE : 'application/json'}; charset=utf-8`
}

/** A weight of 0 says that it is not wanted. (RFC 9110 §12.4.2) */
function wantsA2a(range: string): boolean {
  const [type, ...parameters] = range.split(';').map((text) => text.trim().toLowerCase())
  return type === A2A_TYPE && !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))
}
