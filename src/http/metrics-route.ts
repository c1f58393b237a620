import type { FastifyInstance } from 'fastify'
import type { Registry } from 'prom-client'
import { type Authenticate, demand } from '../a2a/identity.ts'
import { identifies } from './auth/callers.ts'

/** GET /metrics, in Prometheus' text format. It counts what all principals do, so it takes the scope `admin`. */
export function metricsRoute(app: FastifyInstance, registry: Registry, authenticate: Authenticate): void {
  app.get('/metrics', { onRequest: identifies(authenticate) }, async (request, reply) => {
    demand('admin', request.identity)
    return reply.type(registry.contentType).send(await registry.metrics())
  })
}
