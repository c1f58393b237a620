import fastify from 'fastify'
import type { Test } from 'tap'
import { type CheckReadiness, healthRoutes } from '../../src/http/health.ts'
import t from '../tap.ts'

async function serve(t: Test, check: CheckReadiness, seconds?: number) {
  const app = fastify()
  healthRoutes(app, check, seconds)
  const url = await app.listen({ host: '127.0.0.1', port: 0 })
  t.teardown(() => app.close())
  return async () => {
    const answer = await fetch(`${url}/readyz`)
    return { status: answer.status, body: await answer.json() }
  }
}

t.test('a check that never ends is one that failed', async (t) => {
  const ask = await serve(t, () => new Promise(() => undefined), 0.05)
  t.match(await ask(), { status: 503, body: { status: 'not ready', why: 'the check failed' } })
  t.equal((await ask()).status, 503, 'and the next one is made anew')
})

t.test('however many ask at once, it is checked once, and again for who asks later', async (t) => {
  let checks = 0
  const ask = await serve(t, async () => {
    checks += 1
    await new Promise((resolve) => setTimeout(resolve, 100))
    return { ready: true }
  })
  const answers = await Promise.all(Array.from({ length: 50 }, ask))
  t.ok(answers.every(({ status }) => status === 200))
  t.equal(checks, 1)
  await ask()
  t.equal(checks, 2)
})
