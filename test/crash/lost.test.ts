import t from '../tap.ts'
import { Agent } from './agent.ts'
import { planOf } from './client.ts'
import { createDatabase } from './databases.ts'
import { violations } from './invariants.ts'
import { startServer } from './server.ts'

t.test('an attempt that loses its server three times is lost; then the task’s retry decides', async (t) => {
  const agent = await Agent.start(t)
  const database = await createDatabase(t)
  const start = () => startServer(t, database, { config: { agents: [agent.config] } })
  let server = await start()
  const follow = async (name: string, maxAttempts: number) => {
    const task = { name, agent: 'remote', retry: { maxAttempts, backoffSeconds: 0.05 } }
    const root = await server.client.send(planOf([task]))
    await agent.receives(name)
    return server.client.follow(root.contextId)
  }
  const followers = [await follow('hold once', 1), await follow('hold twice', 2)]
  for (let kills = 0; kills < 3; kills += 1) {
    // Both are gone on with since the last kill.
    await agent.called('SubscribeToTask', 2 * kills)
    for (const follower of followers) await follower.until(({ type }) => type === 'attempt.noted')
    await server.process.kill()
    server = await start()
  }
  for (const follower of followers) follower.connect(server.client)
  await agent.receives('hold twice', 2)
  agent.release('hold twice')
  const ends = await Promise.all(followers.map((follower) => follower.ended()))
  t.same(ends, ['failed', 'completed'])
  t.same(
    followers.flatMap(({ gaps }) => gaps),
    [],
  )
  // What the lost attempts had begun is ended where it runs; nothing goes on there that nobody waits for.
  const held = await Promise.all(['hold once', 'hold twice'].map((name) => agent.receives(name)))
  await Promise.all(held.map(({ taskId }) => agent.canceled(taskId)))
  await server.stop()
  const attempts = await database.read((query) =>
    query(
      'SELECT t.name, a.number, a.outcome FROM attempt a JOIN task t ON t.id = a.task_id ORDER BY t.name, a.number',
    ),
  )
  t.same(attempts, [
    { name: 'hold once', number: 1, outcome: 'lost' },
    { name: 'hold twice', number: 1, outcome: 'lost' },
    { name: 'hold twice', number: 2, outcome: 'completed' },
  ])
  t.same(await database.read(violations), {})
})
