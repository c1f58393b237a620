import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { AgentCards } from '../a2a/card.ts'

/** 1.0's path, and the one of versions before 0.3. */
const CARD_PATHS = ['/.well-known/agent-card.json', '/.well-known/agent.json']

/** The agent card, cacheable for a little while and revalidated by ETag or date. (A2A 1.0 §8.2, §8.6) */
export function cardRoutes(app: FastifyInstance, cards: AgentCards): void {
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const { json, etag, modified } = await cards.served()
    reply.header('etag', etag).header('last-modified', modified.toUTCString())
    reply.header('cache-control', 'public, max-age=60')
    // The card is public, so a page of any origin may read it.
    reply.header('access-control-allow-origin', '*')
    if (isFresh(request, etag, modified)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(json)
  }
  // HEAD comes with GET.
  for (const path of CARD_PATHS) app.get(path, serve)
}

/** The date counts only where no ETag is named. (RFC 9110 §13.1.3) */
function isFresh({ headers }: FastifyRequest, etag: string, modified: Date): boolean {
  const tags = headers['if-none-match']
  if (tags !== undefined) return matches(tags, etag)
  const since = Date.parse(headers['if-modified-since'] ?? '')
  // Dates of HTTP have no fractions of a second.
  return Math.floor(modified.getTime() / 1_000) * 1_000 <= since
}

function matches(header: string, etag: string): boolean {
  return header.split(',').some((given) => given.trim() === '*' || given.trim().replace(/^W\//, '') === etag)
}
