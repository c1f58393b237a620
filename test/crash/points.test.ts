import t from 'tap'
import { planOf } from './client.ts'
import { createDatabase } from './databases.ts'
import { violations } from './invariants.ts'
import { startServer } from './server.ts'

/** Three tasks of the built-in agent: one, and two that wait for it. */
const TASKS = [
  { name: 'first' },
  { name: 'second', dependencies: ['first'] },
  { name: 'third', dependencies: ['first'] },
]

t.test('an objective is finished wherever its server was killed', async (suite) => {
  const database = await createDatabase(suite)
  let server = await startServer(suite, database)

  const killedAt = (point: string) =>
    suite.test(point, async (t) => {
      await server.killAt(point)
      const message = planOf(TASKS)
      await server.client.send(message).catch(() => undefined)
      await server.crashed()
      server = await startServer(suite, database)
      const root = await server.client.send(message)
      const follower = server.client.follow(root.contextId)
      t.equal(await follower.ended(), 'completed')
      t.same(follower.gaps, [])
      t.equal((await server.client.send(message)).id, root.id, 'the same message is the same task')
    })

  await killedAt('group:before-commit')
  await killedAt('group:after-commit')
  await killedAt('attempt:claimed')
  await killedAt('finish:before-commit#2')
  await killedAt('finish:after-commit#2')
  await server.stop()
  suite.same(await database.read(violations), {})
})

t.test('an agent that takes one task at a time is not held by a task that ended', async (t) => {
  const database = await createDatabase(t)
  const start = () =>
    startServer(t, database, { config: { agents: [{ kind: 'echo', name: 'single', maxConcurrent: 1 }] } })
  const server = await start()
  const message = planOf([{ name: 'first' }, { name: 'second' }, { name: 'third' }])
  await server.killAt('finish:after-commit')
  await server.client.send(message).catch(() => undefined)
  await server.crashed()
  const next = await start()
  const root = await next.client.send(message)
  t.equal(await next.client.follow(root.contextId).ended(), 'completed')
  await next.stop()
  t.same(await database.read(violations), {})
})

t.test('in the middle of a group of many', async (t) => {
  const database = await createDatabase(t)
  const server = await startServer(t, database)
  const messages = Array.from({ length: 30 }, () => planOf(TASKS))
  await server.killAt('group:before-commit#4')
  await Promise.allSettled(messages.map((message) => server.client.send(message)))
  await server.crashed()
  const next = await startServer(t, database)
  const roots = await Promise.all(messages.map((message) => next.client.send(message)))
  t.equal(new Set(roots.map(({ id }) => id)).size, 30)
  const followers = roots.map(({ contextId }) => next.client.follow(contextId))
  t.same(new Set(await Promise.all(followers.map((follower) => follower.ended()))), new Set(['completed']))
  t.same(
    followers.flatMap(({ gaps }) => gaps),
    [],
  )
  await next.stop()
  t.same(await database.read(violations), {})
})
