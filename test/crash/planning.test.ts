import { join } from 'node:path'
import t from '../tap.ts'
import { messageOf } from './client.ts'
import { createDatabase } from './databases.ts'
import { violations } from './invariants.ts'
import { startServer } from './server.ts'

const PLANNER = { modules: [join(import.meta.dirname, 'slow-planner.ts')], inlineSeconds: 0.05 }

t.test('what was being planned when the server was killed is planned once', async (t) => {
  const database = await createDatabase(t)
  const start = () => startServer(t, database, { config: { planner: PLANNER } })
  const server = await start()
  const messages = ['first', 'second', 'third'].map((text) => messageOf(`Slowly do the ${text}`))
  // One has its plan by then, one is about to, and one is still being planned.
  await server.killAt('plan:before-commit#2')
  await Promise.allSettled(messages.map((message) => server.client.send(message)))
  await server.crashed()
  const next = await start()
  const roots = await Promise.all(messages.map((message) => next.client.send(message)))
  t.equal(new Set(roots.map(({ id }) => id)).size, 3)
  for (const follower of roots.map(({ contextId }) => next.client.follow(contextId))) {
    t.equal(await follower.ended(), 'completed')
    t.same(follower.gaps, [])
    t.equal(follower.of('plan.created').length, 1, 'planned once')
  }
  await next.stop()
  t.same(await database.read(violations), {})
})
