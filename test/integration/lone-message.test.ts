import t from '../tap.ts'
import { open, userMessage } from '../wire/rpc.ts'
import { ask, call, getTask, send, sendPlans, tasksOf, textsOf, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t, { config: { limits: { firstEventSeconds: 0.3 } } })
const { agent } = server
t.beforeEach(() => agent.forget())

const greet = () => agent.when('Greet', (run) => run.message('Hello!'))

async function visibleIn(contextId: string): Promise<string[]> {
  const { tasks } = await ask(server, 'tasks/list', { contextId })
  return tasks.map(({ id }: { id: string }) => id)
}

t.test('an agent that answers with nothing but a Message answers the sender', async (t) => {
  for (const wait of [true, false]) {
    await t.test(wait ? 'who waits' : 'who does not wait', async (t) => {
      greet()
      const message = userMessage('Greet me')
      const answer = await send(server, message, { wait })
      t.match(answer, { kind: 'message', role: 'agent', parts: [{ text: 'Hello!' }], contextId: String })
      t.notOk('taskId' in answer, 'of no task that the sender could get')
      const { taskId } = (await agent.begun('Greet')).context
      t.equal((await call(server, 'tasks/get', { id: taskId })).error.code, -32001, 'the task is out of sight')
      t.equal((await call(server, 'tasks/cancel', { id: taskId })).error.code, -32001)
      t.equal((await call(server, 'tasks/resubscribe', { id: taskId })).error.code, -32001)
      t.strictSame(await visibleIn(answer.contextId), [])
      t.match(await send(server, message, { wait }), answer, 'sent again: the same answer')
      t.equal(agent.runsOf('Greet').length, 1)
    })
  }

  await t.test('who streams', async (t) => {
    greet()
    const stream = await open(server, 'message/stream', { message: userMessage('Greet me') })
    const frames = []
    for await (const { data } of stream.events) frames.push(data.result.kind)
    t.strictSame(frames, ['message'])
  })

  await t.test('and a follow-up is not built on it', async (t) => {
    greet()
    const { contextId } = await send(server, 'Greet me')
    t.equal((await send(server, 'Draw a boat', { message: { contextId } })).status.state, 'completed')
    t.strictSame(agent.runsOf('Draw')[0]?.told, ['Draw a boat'])
  })
})

t.test('a Message that comes after the task was shown', async (t) => {
  await t.test('is its artifact `response`', async (t) => {
    agent.when('Think', held)
    const task = await send(server, 'Think', { wait: false })
    t.equal(task.kind, 'task', 'the sender is not kept waiting')
    t.equal((await getTask(server, task.id)).status.state, 'working', 'and can get it at once')
    t.strictSame(await visibleIn(task.contextId), [task.id])
    ;(await agent.begun('Think')).message('42')
    const done = await until(server, task.id)
    t.match(done, { status: { state: 'completed' }, artifacts: [{ name: 'response', parts: [{ text: '42' }] }] })
  })

  await t.test('so it is for one who waits, if it takes that long', async (t) => {
    agent.when('Ponder', held)
    const sending = send(server, 'Ponder')
    const run = await agent.begun('Ponder')
    while ((await call(server, 'tasks/get', { id: run.context.taskId })).error) await run.events.flush()
    run.message('43')
    t.match(await sending, { kind: 'task', artifacts: [{ name: 'response', parts: [{ text: '43' }] }] })
  })

  await t.test('and after the agent has said anything else', async (t) => {
    agent.when('Mumble', async (run) => {
      run.say('working', 'hm')
      await run.events.flush()
      run.message('44')
    })
    const task = await send(server, 'Mumble')
    t.match(task, { kind: 'task', status: { state: 'completed' }, artifacts: [{ name: 'response' }] })
    t.strictSame(await visibleIn(task.contextId), [task.id])
  })

  await t.test('and within a plan', async (t) => {
    greet()
    const root = await sendPlans(server, [{ tasks: ['Greet me', { name: 'Bow', dependencies: ['task-1'] }] }])
    t.equal(root.status.state, 'completed')
    const task = (await tasksOf(server, root.contextId))['Greet me']
    t.strictSame(textsOf((await getTask(server, task.id)).artifacts), ['Hello!'])
    t.strictSame(agent.runsOf('Bow')[0]?.told, ['Bow', 'Hello!'])
  })
})

t.test('a task that no one runs yet is in sight at once', async (t) => {
  const full = await startServer(t, { config: { runner: { capacity: 1 }, limits: { firstEventSeconds: 60 } } })
  full.agent.when(/./, held)
  const first = send(full, 'First')
  const run = await full.agent.begun('First')
  const second = await send(full, 'Second', { wait: false })
  t.equal(second.status.state, 'submitted')
  t.equal((await getTask(full, second.id)).status.state, 'submitted')
  run.complete()
  await first
  ;(await full.agent.begun('Second')).complete()
  t.equal((await until(full, second.id)).status.state, 'completed')
})
