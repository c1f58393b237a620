import t from 'tap'
import { type Outgoing, planOf } from './client.ts'
import { createDatabase } from './databases.ts'
import { violations } from './invariants.ts'
import { startServer } from './server.ts'

/** Three tasks of the built-in agent: one, and two that wait for it. */
const threeTasks = () =>
  planOf([
    { name: 'first', agent: 'echo' },
    { name: 'second', agent: 'echo', dependencies: ['first'] },
    { name: 'third', agent: 'echo', dependencies: ['first'] },
  ])

t.test('objectives are finished wherever their server was killed', async (suite) => {
  const database = await createDatabase(suite)
  const config = { agents: [{ kind: 'echo', name: 'single', maxConcurrent: 1 }] }
  let server = await startServer(suite, database, { config })

  const killedAt = (point: string, title: string, messages: Outgoing[]) =>
    suite.test(`${point}: ${title}`, async (t) => {
      await server.killAt(point)
      await Promise.allSettled(messages.map((message) => server.client.send(message)))
      await server.crashed()
      server = await startServer(suite, database, { config })
      const roots = await Promise.all(messages.map((message) => server.client.send(message)))
      t.equal(new Set(roots.map(({ id }) => id)).size, messages.length)
      for (const follower of roots.map(({ contextId }) => server.client.follow(contextId))) {
        t.equal(await follower.ended(), 'completed')
        t.same(follower.gaps, [])
      }
      const again = await Promise.all(messages.map((message) => server.client.send(message)))
      t.same(
        again.map(({ id }) => id),
        roots.map(({ id }) => id),
        'the same message is the same task',
      )
    })

  await killedAt('group:before-commit', 'nothing had happened', [threeTasks()])
  await killedAt('group:after-commit', 'committed and not answered', [threeTasks()])
  await killedAt('attempt:claimed', 'claimed and not begun', [threeTasks()])
  await killedAt('finish:before-commit#2', 'done and not committed', [threeTasks()])
  await killedAt('finish:after-commit#2', 'committed and not told', [threeTasks()])
  await killedAt('group:before-commit#4', 'in the middle of a group of many', Array.from({ length: 30 }, threeTasks))
  const single = ['first', 'second', 'third'].map((name) => ({ name, agent: 'single' }))
  await killedAt('finish:after-commit', 'an agent that takes one at a time is not held by what ended', [planOf(single)])
  await server.stop()
  suite.same(await database.read(violations), {})
})
