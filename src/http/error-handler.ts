import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { asTrellisError, ERROR_CODES, errorHeaders } from '../a2a/errors.ts'
import { errorBody } from '../a2a/jsonrpc.ts'
import { actionsAt, LEGACY_PREFIX, restError, verbsAt } from '../a2a/rest.ts'
import { TrellisError } from '../base/errors.ts'
import { answerType } from './rest-route.ts'
import { RPC_PATHS } from './rpc-route.ts'

/** What fails before or outside of an operation: still JSON, and JSON-RPC where JSON-RPC was asked. */
export function errorHandler(app: FastifyInstance, bodyBytes: number): void {
  // Bodies are read by the routes that want them, so that what is refused anyway is not refused for its body.
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('*', (_request, _payload, done) => done(null))
  app.setErrorHandler(failureOf(bodyBytes))
  app.setNotFoundHandler((request, reply) => {
    const path = pathOf(request)
    return sendNotServed(request, reply, RPC_PATHS.includes(path) ? ['POST'] : verbsAt(path))
  })
}

/** The verb is not one of those that the path can be asked with; or there are none. */
function sendNotServed(request: FastifyRequest, reply: FastifyReply, verbs: readonly string[]) {
  const asked = `${request.method} ${request.url.slice(0, 200)} is not served`
  const hint =
    verbs.length > 0
      ? `expected ${verbs.join(' or ')}`
      : 'JSON-RPC is at POST / and POST /a2a, and GET /openapi.json has every other path'
  if (verbs.length > 0) reply.header('allow', verbs.join(', '))
  const error = new TrellisError('methodNotFound', `${asked}; ${hint}`)
  return sendError(request, reply, error, verbs.length > 0 ? 405 : 404)
}

/**
 * `GET /tasks/1:cancel` is a task called `1:cancel` as far as routes go. Where there is none, it was the verb that was
 * wrong.
 */
function otherVerbs({ meaning }: TrellisError, request: FastifyRequest): string[] {
  const missing = meaning === 'taskNotFound' || meaning === 'objectiveNotFound' || meaning === 'planNotFound'
  const verbs: string[] = missing ? actionsAt(pathOf(request)) : []
  return verbs.includes(request.method) ? [] : verbs
}

/** Answers what failed before or outside of an operation. */
export function failureOf(bodyBytes: number) {
  return (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
    const seen = transportError(error, bodyBytes, isRpc(request))
    const verbs = otherVerbs(seen, request)
    if (verbs.length > 0) return sendNotServed(request, reply, verbs)
    if (seen.meaning === 'internal') request.log.error({ err: error }, 'a request failed')
    return sendError(request, reply, seen, statusOf(error, seen))
  }
}

/** Fastify's own errors, by meaning. */
function transportError(error: FastifyError, bodyBytes: number, rpc: boolean): TrellisError {
  switch (error.code) {
    case 'FST_ERR_CTP_BODY_TOO_LARGE':
      return new TrellisError('tooLarge', `The request's body is over the limit of ${bodyBytes} bytes`, {
        details: { limitBytes: String(bodyBytes) },
        cause: error,
      })
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new TrellisError(
        rpc ? 'invalidRequest' : 'contentTypeNotSupported',
        'The Content-Type is not served; expected application/json',
      )
    default:
      if (error.statusCode !== undefined && error.statusCode < 500) {
        return new TrellisError('invalidRequest', error.message, { cause: error })
      }
      return asTrellisError(error)
  }
}

function statusOf(error: FastifyError, seen: TrellisError): number {
  return error instanceof TrellisError
    ? ERROR_CODES[seen.meaning].http
    : (error.statusCode ?? ERROR_CODES[seen.meaning].http)
}

function sendError(request: FastifyRequest, reply: FastifyReply, error: TrellisError, status: number) {
  reply.headers(errorHeaders(error))
  const version = String(request.headers['a2a-version'] ?? '').startsWith('1.') ? '1.0' : '0.3'
  const path = pathOf(request)
  if (isRpc(request)) {
    return reply.code(status).send(errorBody(null, error, version))
  }
  const legacy = path.startsWith(`${LEGACY_PREFIX}/`)
  return reply
    .code(status)
    .type(answerType(request))
    .send(JSON.stringify(restError(error, legacy ? '0.3' : '1.0', status)))
}

function isRpc(request: FastifyRequest): boolean {
  return request.method === 'POST' && RPC_PATHS.includes(pathOf(request))
}

function pathOf({ url }: FastifyRequest): string {
  return url.split('?', 1)[0]?.replace(/(.)\/$/, '$1') ?? ''
}
