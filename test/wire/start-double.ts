import type { AddressInfo } from 'node:net'
import type { FastifyInstance } from 'fastify'
import { AgentCards } from '../../src/a2a/card.ts'
import { buildHttp, type HttpOptions } from '../../src/http/app.ts'
import { type FakeTrellis, fakeTrellis } from './fake-trellis.ts'

export interface Double {
  baseUrl: string
  fake: FakeTrellis
  app: FastifyInstance
}

/** The HTTP layer over the test double, listening on a free port until the test ends. */
export async function startDouble(
  t: { teardown(end: () => unknown): void },
  options: Partial<HttpOptions> = {},
): Promise<Double> {
  const { fake, trellis } = fakeTrellis()
  let baseUrl = ''
  const app = buildHttp({
    trellis,
    cards: new AgentCards({
      name: 'Trellis',
      description: 'A double',
      version: '0.0.0',
      publicUrl: () => baseUrl,
      skills: [],
      optLimits: { maxPlansPerObjective: 100, maxTasksPerPlan: 1_000 },
    }),
    ready: async () => ({ ready: true }),
    ...options,
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  t.teardown(() => app.close())
  return { baseUrl, fake, app }
}
