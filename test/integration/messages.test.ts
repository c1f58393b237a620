import { textOf } from '../../src/domain/message.ts'
import t from '../tap.ts'
import { call, getTask, send } from './client.ts'
import { startServer } from './server.ts'

t.test('a message to a task that works joins its history and reaches an executor that listens', async (t) => {
  const server = await startServer(t)
  server.agent.when('Count', async (run) => {
    run.say('working', 'counting')
    for await (const message of run.context.messages()) {
      run.complete(`told: ${textOf(message)}`)
      return
    }
  })
  const task = await send(server, 'Count until told otherwise', { wait: false })
  t.equal(task.status.state, 'working')
  const told = await send(server, 'Enough', { message: { taskId: task.id } })
  t.equal(told.id, task.id, 'it is answered with that task')
  t.equal(told.status.state, 'completed')
  t.equal(told.artifacts[0].parts[0].text, 'told: Enough')
  const texts = (await getTask(server, task.id)).history.map(
    (message: { parts: { text: string }[] }) => message.parts[0]?.text,
  )
  t.same(texts, ['Count until told otherwise', 'Enough', 'counting'])
})

t.test('whoever listens in vain stops listening when the task is canceled', async (t) => {
  const server = await startServer(t)
  const left = Promise.withResolvers<void>()
  server.agent.when('Listen', async (run) => {
    run.say('working', 'listening')
    for await (const _ of run.context.messages()) t.fail('nobody said anything')
    left.resolve()
  })
  const task = await send(server, 'Listen', { wait: false })
  await server.app.core.changes.drained()
  const followers = server.app.core.hub.size
  await call(server, 'tasks/cancel', { id: task.id })
  await left.promise
  t.ok(server.app.core.hub.size < followers, 'nobody waits for it any more')
})
