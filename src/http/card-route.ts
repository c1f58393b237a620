import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type CardInputs, cardSource } from '../a2a/card.ts'

/** 1.0's path, and the one of versions before 0.3. */
const CARD_PATHS = ['/.well-known/agent-card.json', '/.well-known/agent.json']

/** The agent card, cacheable for a little while and revalidated by ETag. (A2A 1.0 §8.2, §8.6) */
export function cardRoutes(app: FastifyInstance, inputs: CardInputs): void {
  const card = cardSource(inputs)
  const serve = async (request: FastifyRequest, reply: FastifyReply) => {
    const { json, etag } = card()
    reply.header('etag', etag).header('cache-control', 'public, max-age=60')
    // The card is public, so a page of any origin may read it.
    reply.header('access-control-allow-origin', '*')
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send()
    return reply.type('application/json; charset=utf-8').send(json)
  }
  for (const path of CARD_PATHS) app.get(path, serve)
}

function matches(header: string | undefined, etag: string): boolean {
  if (header === undefined) return false
  return header.split(',').some((given) => given.trim() === '*' || given.trim().replace(/^W\//, '') === etag)
}
