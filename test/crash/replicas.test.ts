import t from '../tap.ts'
import { Agent } from './agent.ts'
import { planOf } from './client.ts'
import { createDatabase, POSTGRES } from './databases.ts'
import { violations } from './invariants.ts'
import { QUICK, startServer } from './server.ts'

const options = POSTGRES === undefined ? { skip: 'replicas need a Postgres: set TEST_DATABASE_URL' } : {}

t.test('two servers on one database', options, async (suite) => {
  const agent = await Agent.start(suite)
  const database = await createDatabase(suite)
  // Small, so that neither can take all there is.
  const config = { agents: [agent.config], defaultAgent: 'remote', runner: { capacity: 6, ...QUICK } }
  const start = () => startServer(suite, database, { config })
  let [one, two] = await Promise.all([start(), start()])
  const holders = (contextKey: string) =>
    database.read((query) =>
      query('SELECT DISTINCT runner FROM task WHERE context_key = $1 AND runner IS NOT NULL', [contextKey]),
    )

  await suite.test('both work, and each streams what the other does', async (t) => {
    const tasks = Array.from({ length: 10 }, (_, i) => ({ name: `hold ${i}`, agent: 'remote' }))
    const root = await one.client.send(planOf(tasks))
    const followers = [one, two].map(({ client }) => client.follow(root.contextId))
    await Promise.all(tasks.map(({ name }) => agent.receives(name)))
    t.equal((await holders(root.contextId)).length, 2, 'ten tasks are more than one of them takes')
    for (const { name } of tasks) agent.release(name)
    t.same(await Promise.all(followers.map((follower) => follower.ended())), ['completed', 'completed'])
    t.same(followers[0]?.events, followers[1]?.events)
    t.same(
      followers.flatMap(({ gaps }) => gaps),
      [],
    )
  })

  await suite.test(
    'one is killed: the other takes over, and a follower of the dead one goes on with the other',
    async (t) => {
      const tasks = Array.from({ length: 10 }, (_, i) => ({ name: `hold again ${i}`, agent: 'remote' }))
      const root = await one.client.send(planOf(tasks))
      const follower = one.client.follow(root.contextId)
      await Promise.all(tasks.map(({ name }) => agent.receives(name)))
      await follower.until(({ seq }) => seq > 10)
      await one.process.kill()
      const killedAt = Date.now()
      follower.connect(two.client)
      for (const { name } of tasks) agent.release(name)
      t.equal(await follower.ended(), 'completed')
      t.ok(Date.now() - killedAt < 10_000, `after ${Date.now() - killedAt} ms`)
      t.same(follower.gaps, [])
      for (const { name } of tasks) t.equal(agent.received(name).length, 1, `${name} was sent once`)
      one = await start()
    },
  )

  await suite.test('one stands still and comes back: what it was at is the other one’s', async (t) => {
    const tasks = Array.from({ length: 10 }, (_, i) => ({ name: `hold still ${i}`, agent: 'remote' }))
    const root = await one.client.send(planOf(tasks))
    const follower = two.client.follow(root.contextId)
    await Promise.all(tasks.map(({ name }) => agent.receives(name)))
    one.process.signal('SIGSTOP')
    for (const { name } of tasks) agent.release(name)
    t.equal(await follower.ended(), 'completed')
    one.process.signal('SIGCONT')
    t.equal((await one.client.getTask(root.id)).status.state, 'TASK_STATE_COMPLETED')
    t.same(follower.gaps, [])
  })

  await Promise.all([one.stop(), two.stop()])
  suite.same(await database.read(violations), {})
})
