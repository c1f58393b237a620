import type { FastifyInstance } from 'fastify'
import type { JWK } from 'jose'
import { JWKS_PATH } from '../a2a/card-signing.ts'

/** Public keys that someone may want to check our signatures with. Asked each time, so that keys can change. */
export type KeySource = () => readonly JWK[] | Promise<readonly JWK[]>

/** Every source's keys as one set, which is empty where nothing is signed. (RFC 7517 §5, A2A 1.0 §8.4) */
export function jwksRoute(app: FastifyInstance, sources: readonly KeySource[]): void {
  app.get(JWKS_PATH, async (_request, reply) => {
    const keys = (await Promise.all(sources.map((source) => source()))).flat()
    reply.header('cache-control', 'public, max-age=300').header('access-control-allow-origin', '*')
    return reply.type('application/json; charset=utf-8').send(JSON.stringify({ keys }))
  })
}
