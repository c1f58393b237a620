import type { FastifyInstance } from 'fastify'
import { openApi } from '../a2a/describe/openapi.ts'
import { OPERATIONS } from '../a2a/operations.ts'
import { VERSION } from '../base/version.ts'

/** GET /openapi.json: the HTTP+JSON binding, for programs that make clients of it. Public, as the card is. */
export function openApiRoute(app: FastifyInstance): void {
  const json = JSON.stringify(openApi(OPERATIONS, VERSION))
  app.get('/openapi.json', async (_request, reply) => reply.type('application/json; charset=utf-8').send(json))
}
