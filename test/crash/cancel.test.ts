import t from '../tap.ts'
import { Agent } from './agent.ts'
import { planOf } from './client.ts'
import { createDatabase } from './databases.ts'
import { violations } from './invariants.ts'
import { startServer } from './server.ts'

t.test('a remote agent hears of a cancel in the end', async (suite) => {
  const agent = await Agent.start(suite)
  const polling = await Agent.start(suite, { streaming: false })
  const database = await createDatabase(suite)
  const agents = [agent.config, { ...polling.config, name: 'polling' }]
  const start = () => startServer(suite, database, { config: { agents } })
  let server = await start()

  /** Cancels a task that runs, where the server is killed at a point; resolves with its stream on the next server. */
  const canceledAt = async (point: string, name: string) => {
    const root = await server.client.send(planOf([{ name, agent: 'remote' }]))
    const follower = server.client.follow(root.contextId)
    const { taskId } = await follower.until(({ type }) => type === 'task.artifact')
    await server.killAt(point)
    await server.client.call('CancelTask', { id: root.id }).catch(() => undefined)
    await server.crashed()
    server = await start()
    follower.connect(server.client)
    return { root, follower, taskId: taskId as string }
  }

  await suite.test('killed before the cancel is committed: it goes on', async (t) => {
    const { root, follower } = await canceledAt('group:before-commit', 'hold one')
    await server.client.call('CancelTask', { id: root.id })
    t.equal(await follower.ended(), 'canceled')
    await agent.canceled((await agent.receives('hold one')).taskId)
    t.same(follower.gaps, [])
  })

  await suite.test('killed right after the commit', async (t) => {
    const { follower, taskId } = await canceledAt('group:after-commit', 'hold two')
    t.equal(await follower.ended(), 'canceled')
    await agent.canceled((await agent.receives('hold two')).taskId)
    t.equal((await server.client.getTask(taskId)).status.state, 'TASK_STATE_CANCELED')
    t.same(follower.gaps, [])
  })

  await suite.test('killed before the agent is told', async (t) => {
    const { follower } = await canceledAt('cancel:before', 'hold three')
    t.equal(await follower.ended(), 'canceled')
    await agent.canceled((await agent.receives('hold three')).taskId)
    t.same(follower.gaps, [])
  })

  await suite.test('killed while it is told of a parked task', async (t) => {
    const root = await server.client.send(planOf([{ name: 'hold four', agent: 'polling' }]))
    const { taskId } = await polling.receives('hold four')
    await polling.called('GetTask', 2)
    await server.killAt('cancel:before')
    await server.client.call('CancelTask', { id: root.id }).catch(() => undefined)
    await server.crashed()
    server = await start()
    await polling.canceled(taskId)
    t.equal((await server.client.getTask(root.id)).status.state, 'TASK_STATE_CANCELED')
  })

  await server.stop()
  suite.same(await database.read(violations), {})
})
