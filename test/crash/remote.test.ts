import t from '../tap.ts'
import { Agent } from './agent.ts'
import { planOf } from './client.ts'
import { createDatabase } from './databases.ts'
import type { Follower } from './follower.ts'
import { violations } from './invariants.ts'
import { startServer } from './server.ts'

t.test('remote work is found again after a kill', async (suite) => {
  const [listing, silent, polling] = await Promise.all([
    Agent.start(suite),
    Agent.start(suite, { dialect: '0.3 JSONRPC' }),
    Agent.start(suite, { streaming: false }),
  ])
  const agents = Object.entries({ listing, silent, polling }).map(([name, { url }]) => ({
    kind: 'a2a',
    name,
    url,
    checkSeconds: 0.2,
  }))
  const database = await createDatabase(suite)
  const start = () => startServer(suite, database, { config: { agents } })
  let server = await start()

  /** Sends one task, waits for the kill, and starts the server again; resolves with what follows the objective since. */
  const killed = async (point: string, task: { name: string; agent: string }) => {
    await server.killAt(point)
    const message = planOf([task])
    await server.client.send(message).catch(() => undefined)
    await server.crashed()
    server = await start()
    const root = await server.client.send(message)
    return server.client.follow(root.contextId)
  }
  const resultOf = async (follower: Follower, name: string) => {
    const { artifacts } = await server.client.getTask(follower.taskId(name))
    return artifacts?.map(({ parts }) => parts.map(({ text }) => text).join(''))
  }
  const duplicates = (follower: Follower) => follower.of('attempt.noted').filter(({ data }) => data['maybeDuplicate'])

  await suite.test('before it is sent: sent once, and marked, because nobody can tell', async (t) => {
    const follower = await killed('send:before', { name: 'quick one', agent: 'listing' })
    t.equal(await follower.ended(), 'completed')
    t.equal(listing.received('quick one').length, 1)
    t.equal(duplicates(follower).length, 1)
    t.same(await resultOf(follower, 'quick one'), ['quick one: half, and half'])
  })

  await suite.test('sent, its id not known yet, and the agent lists its tasks: found, not sent again', async (t) => {
    const follower = await killed('send:after', { name: 'quick two', agent: 'listing' })
    t.equal(await follower.ended(), 'completed')
    t.equal(listing.received('quick two').length, 1)
    t.same(duplicates(follower), [])
    t.same(await resultOf(follower, 'quick two'), ['quick two: half, and half'])
  })

  await suite.test('sent, its id not known yet, and the agent lists nothing: sent again, and said so', async (t) => {
    const follower = await killed('send:after', { name: 'quick three', agent: 'silent' })
    t.equal(await follower.ended(), 'completed')
    const sent = silent.received('quick three').map(({ received }) => received)
    t.equal(sent.length, 2)
    t.equal(new Set(sent).size, 1, 'under the same id')
    t.match(duplicates(follower), [{ taskId: follower.taskId('quick three'), data: { attempt: 1 } }])
    t.same(await resultOf(follower, 'quick three'), ['quick three: half, and half'])
    t.same(follower.gaps, [])
  })

  await suite.test('while its stream is open: gone on with, and nothing is published twice', async (t) => {
    const message = planOf([
      { name: 'hold a', agent: 'listing' },
      { name: 'hold b', agent: 'silent' },
    ])
    const root = await server.client.send(message)
    const follower = server.client.follow(root.contextId)
    for (const name of ['hold a', 'hold b']) {
      await follower.until(({ type, taskId }) => type === 'task.artifact' && taskId === follower.taskId(name))
    }
    await server.process.kill()
    listing.release('hold a')
    server = await start()
    follower.connect(server.client)
    silent.release('hold b')
    t.equal(await follower.ended(), 'completed')
    t.same(follower.gaps, [], 'the follower came back with its last event id')
    t.equal(listing.received('hold a').length + silent.received('hold b').length, 2)
    t.same(await resultOf(follower, 'hold a'), ['hold a: half, and half'])
    t.same(await resultOf(follower, 'hold b'), ['hold b: half, and half'])
    t.same(duplicates(follower), [])
  })

  await suite.test('while it is parked: looked at again when it is due', async (t) => {
    await server.killAt('attempt:parked')
    const message = planOf([{ name: 'hold c', agent: 'polling' }])
    const root = await server.client.send(message)
    await server.crashed()
    polling.release('hold c')
    server = await start()
    const follower = server.client.follow(root.contextId)
    t.equal(await follower.ended(), 'completed')
    t.equal(polling.received('hold c').length, 1)
    t.same(await resultOf(follower, 'hold c'), ['hold c: half, and half'])
    t.equal(follower.of('attempt.started').length, 1)
  })

  await server.stop()
  suite.same(await database.read(violations), {})
})
