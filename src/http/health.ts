import type { FastifyInstance } from 'fastify'

/** Whether the server can do its work now; `why` says what it lacks. */
export type Readiness = { ready: true } | { ready: false; why: string }
export type CheckReadiness = () => Promise<Readiness>

/** /healthz: the process answers. /readyz: it can also do its work. */
export function healthRoutes(app: FastifyInstance, check: CheckReadiness): void {
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const readiness = await check().catch((error: unknown): Readiness => {
      app.log.warn({ err: error }, 'the readiness check failed')
      return { ready: false, why: 'the check failed' }
    })
    reply.header('cache-control', 'no-store')
    if (readiness.ready) return { status: 'ready' }
    return reply.code(503).send({ status: 'not ready', why: readiness.why })
  })
}
