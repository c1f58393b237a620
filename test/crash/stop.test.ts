import t from '../tap.ts'
import { Agent } from './agent.ts'
import { planOf } from './client.ts'
import { createDatabase } from './databases.ts'
import { violations } from './invariants.ts'
import { startServer } from './server.ts'

/** Two tasks of the built-in agent, one after the other. */
const PAIR = [
  { name: 'one', agent: 'echo' },
  { name: 'two', agent: 'echo', dependencies: ['one'] },
]

t.test('a server that is asked to stop gives back what it is at, and soon', async (t) => {
  const agent = await Agent.start(t)
  const polling = await Agent.start(t, { streaming: false })
  const database = await createDatabase(t)
  const agents = [agent.config, { ...polling.config, name: 'polling' }]
  const start = () => startServer(t, database, { config: { agents } })
  const server = await start()

  const tasks = [
    { name: 'hold one', agent: 'remote' },
    { name: 'hold two', agent: 'polling' },
    { name: 'ask three', agent: 'remote' },
    { name: 'quick four', agent: 'remote', dependencies: ['hold one', 'hold two'] },
  ]
  const root = await server.client.send(planOf(tasks))
  const follower = server.client.follow(root.contextId)
  await follower.until(({ type }) => type === 'input.requested')
  await follower.until(({ type, taskId }) => type === 'task.artifact' && taskId === follower.taskId('hold one'))
  await polling.called('GetTask', 2)
  await server.stop()

  const held = await database.read((query) =>
    query(
      'SELECT t.id FROM task t LEFT JOIN attempt a ON a.task_id = t.id WHERE t.runner IS NOT NULL OR a.takeovers > 0',
    ),
  )
  t.same(held, [], 'nobody holds anything, and nothing counts as lost')
  t.same(await database.read((query) => query('SELECT id FROM runner')), [])

  const next = await start()
  follower.connect(next.client)
  agent.release('hold one')
  polling.release('hold two')
  const answer = { messageId: 'answer-1', role: 'ROLE_USER', parts: [{ text: 'the third' }], taskId: root.id }
  await next.client.send(answer)
  t.equal(await follower.ended(), 'completed')
  t.same(follower.gaps, [])
  t.equal(follower.of('attempt.started').length, 4)
  t.equal(agent.received('hold one').length + polling.received('hold two').length, 2, 'sent once')

  const messages = Array.from({ length: 20 }, () => planOf(PAIR))
  const sent = Promise.allSettled(messages.map((message) => next.client.send(message)))
  const asked = Date.now()
  await next.stop()
  t.ok(Date.now() - asked < 15_000, 'also under load')
  await sent
  const last = await start()
  const roots = await Promise.all(messages.map((message) => last.client.send(message)))
  const ends = await Promise.all(roots.map(({ contextId }) => last.client.follow(contextId).ended()))
  t.same(new Set(ends), new Set(['completed']))
  await last.stop()
  t.same(await database.read(violations), {})
})
