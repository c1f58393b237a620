import { join } from 'node:path'
import t, { type Test } from 'tap'
import { messageOf } from './client.ts'
import { createDatabase } from './databases.ts'
import { violations } from './invariants.ts'
import { startServer } from './server.ts'

const PLANNER = { modules: [join(import.meta.dirname, 'slow-planner.ts')], inlineSeconds: 0.05 }

/** Sends three messages that are planned slowly, to a server that is killed at a point; then to one that is not. */
async function killedAt(t: Test, point: string): Promise<void> {
  const database = await createDatabase(t)
  const start = () => startServer(t, database, { config: { planner: PLANNER } })
  const server = await start()
  const messages = ['first', 'second', 'third'].map((text) => messageOf(`Slowly do the ${text}`))
  await server.killAt(point)
  await Promise.allSettled(messages.map((message) => server.client.send(message)))
  await server.crashed()
  const next = await start()
  const roots = await Promise.all(messages.map((message) => next.client.send(message)))
  t.equal(new Set(roots.map(({ id }) => id)).size, 3)
  const followers = roots.map(({ contextId }) => next.client.follow(contextId))
  for (const follower of followers) {
    t.equal(await follower.ended(), 'completed', point)
    t.same(follower.gaps, [])
    t.equal(follower.of('plan.created').length, 1, 'planned once')
  }
  await next.stop()
  t.same(await database.read(violations), {})
}

t.test('what was being planned is planned once', async (t) => {
  await Promise.all([killedAt(t, 'plan:begun#2'), killedAt(t, 'plan:before-commit#2')])
})
