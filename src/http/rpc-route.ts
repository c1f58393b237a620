import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Protocol } from '../a2a/call.ts'
import { JsonRpc, type RpcReply, rpcEvents, versionOf } from '../a2a/jsonrpc.ts'
import { type ReaderLimits, sendEventStream } from '../a2a/sse.ts'
import type { Trellis } from '../a2a/trellis.ts'
import { TrellisError } from '../base/errors.ts'
import { countsFailure } from './auth/callers.ts'
import type { OpenCalls } from './open-calls.ts'
import { HttpPeer } from './peer.ts'

/** Where JSON-RPC is spoken. A trailing slash makes no difference. */
export const RPC_PATHS: readonly string[] = ['/', '/a2a']

/**
 * A browser sends these across origins only after asking, and we do not answer such questions: so no page can have its
 * visitor's browser talk to a local server.
 */
export const JSON_TYPES = ['application/json', 'application/a2a+json', 'application/json-rpc']

export interface RpcRouteOptions {
  trellis: Trellis
  calls: OpenCalls
  readers: ReaderLimits
  /** URIs of extensions that every caller must activate. */
  required: readonly string[]
}

/** POST / and /a2a: JSON-RPC 2.0, answered as JSON or, by streaming methods, as server-sent events. (design §8.1) */
export function rpcRoutes(app: FastifyInstance, options: RpcRouteOptions): void {
  const rpc = new JsonRpc(options.trellis, options.required)
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(JSON_TYPES, { parseAs: 'buffer' }, bodyAsIs)
  for (const url of RPC_PATHS) {
    app.post(url, { sse: 'manual', onError: countsFailure }, async (request, reply) => {
      const peer = new HttpPeer(request, reply, options.calls)
      const outcome = await rpc.answer((request.body as Buffer | undefined) ?? '', peer)
      if (outcome.kind === 'none') return reply.code(204).send()
      if (outcome.kind === 'reply') return sendReply(reply, outcome, readsEventsOnly(request, peer))
      echoExtensions(reply, outcome.protocol, peer.parameters.legacyExtensions)
      return sendEventStream(reply, outcome, rpcEvents(outcome), options.readers)
    })
  }

  function sendReply(reply: FastifyReply, { status, headers, body, protocol }: RpcReply, asEvent: boolean) {
    if (protocol) echoExtensions(reply, protocol, reply.request.headers['x-a2a-extensions'])
    if (headers) reply.headers(headers)
    const text = JSON.stringify(body)
    if (asEvent && status === 200) return reply.type('text/event-stream').send(`data: ${text}\n\n`)
    return reply.code(status).type('application/json; charset=utf-8').send(text)
  }
}

/** Clients of 0.3 that ask for a stream read an error only inside one: as JSON, it is lost on them. */
function readsEventsOnly({ headers }: FastifyRequest, peer: HttpPeer): boolean {
  return versionOf(peer) === '0.3' && headers.accept?.trim().toLowerCase() === 'text/event-stream'
}

/** Passes a body on as the bytes that it is. One that is packed is refused as such: a small one could unpack to any size. */
export async function bodyAsIs({ headers }: FastifyRequest, body: string | Buffer): Promise<string | Buffer> {
  const encoding = headers['content-encoding']?.trim().toLowerCase() || 'identity'
  if (encoding === 'identity') return body
  const message = `Content-Encoding was ${encoding.slice(0, 40)}; expected a body that is not encoded`
  throw new TrellisError('contentTypeNotSupported', message)
}

/** Names the extensions that the request activated, in the header that it used. (A2A 1.0 §4.6) */
export function echoExtensions(reply: FastifyReply, { extensions }: Protocol, legacy: unknown): void {
  if (extensions.length === 0) return
  const uris = extensions.join(', ')
  reply.header('A2A-Extensions', uris)
  if (legacy !== undefined) reply.header('X-A2A-Extensions', uris)
}
