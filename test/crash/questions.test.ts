import t from '../tap.ts'
import { Agent } from './agent.ts'
import { messageOf, planOf } from './client.ts'
import { createDatabase } from './databases.ts'
import type { Follower } from './follower.ts'
import { violations } from './invariants.ts'
import { startServer } from './server.ts'

t.test('a question outlives its server, and so does the answer', async (suite) => {
  const agent = await Agent.start(suite)
  const database = await createDatabase(suite)
  const start = () => startServer(suite, database, { config: { agents: [agent.config] } })
  let server = await start()

  /** Sends a task that asks; resolves when the question is open. */
  const asked = async (name: string) => {
    const root = await server.client.send(planOf([{ name, agent: 'remote' }]))
    const follower = server.client.follow(root.contextId)
    await follower.until(({ type, data }) => type === 'objective.status' && data['status'] === 'blocked')
    return { root, follower, answer: (text: string) => messageOf(text, { taskId: root.id }) }
  }
  const completed = async (follower: Follower) => {
    follower.connect(server.client)
    suite.equal(await follower.ended(), 'completed')
    suite.same(follower.gaps, [])
    suite.equal(follower.of('input.requested').length, 1)
    suite.equal(follower.of('input.answered').length, 1)
    suite.equal(follower.of('attempt.started').length, 1)
  }

  await suite.test('killed while it is open, and before the answer to another is committed', async (t) => {
    const open = await asked('ask one')
    const { follower, answer } = await asked('ask two')
    const message = answer('the second')
    await server.killAt('group:before-commit')
    await t.rejects(server.client.send(message))
    await server.crashed()
    server = await start()
    t.equal((await server.client.getTask(open.root.id)).status.state, 'TASK_STATE_INPUT_REQUIRED')
    await server.client.send(open.answer('the first'))
    await completed(open.follower)
    t.equal(agent.received('the first').length, 1)
    t.equal(agent.received('ask one').length, 1)
    await server.client.send(message)
    await completed(follower)
    t.equal(agent.received('the second').length, 1)
  })

  await suite.test('killed before the agent has the answer', async (t) => {
    const { follower, answer } = await asked('ask three')
    const message = answer('the third')
    await server.killAt('send:before')
    await server.client.send(message).catch(() => undefined)
    await server.crashed()
    server = await start()
    await server.client.send(message)
    await completed(follower)
    t.equal(agent.received('the third').length, 1)
  })

  await suite.test('killed when the agent has the answer, and nobody here knows it', async (t) => {
    const { follower, answer } = await asked('ask four')
    const message = answer('the fourth')
    await server.killAt('send:after')
    await server.client.send(message).catch(() => undefined)
    await server.crashed()
    server = await start()
    await server.client.send(message)
    await completed(follower)
    t.equal(agent.received('the fourth').length, 1)
  })

  await server.stop()
  suite.same(await database.read(violations), {})
})
