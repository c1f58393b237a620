import t from '../tap.ts'
import { nextResult, open, userMessage } from '../wire/rpc.ts'
import { ask, call, getObjective, getTask, send, textsOf, trySend, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t)
t.beforeEach(() => server.agent.forget())

t.test('what a message becomes', async (t) => {
  await t.test('an answer: a Message, and no task', async (t) => {
    const answer = await send(server, 'What is 2 + 2?')
    t.match(answer, { kind: 'message', role: 'agent', contextId: String, parts: [{ text: '2 + 2 = 4' }] })
    const { tasks } = await ask(server, 'tasks/list', { contextId: answer.contextId })
    t.strictSame(tasks, [])
  })

  await t.test('one task: done by an agent, with what it made', async (t) => {
    const task = await send(server, 'Feed the cat')
    t.match(task, { kind: 'task', status: { state: 'completed' }, history: [{ parts: [{ text: 'Feed the cat' }] }] })
    t.strictSame(textsOf(task.artifacts), ['Feed the cat: done'])
    t.strictSame(await getTask(server, task.id), task, 'and so it stays')
    const missing = await call(server, 'objectives/get', { id: task.contextId })
    t.equal(missing.error.code, -31040, 'a task alone is no objective')
  })

  await t.test('an objective: one ordinary task, which is all of it', async (t) => {
    const root = await send(server, 'Find a flat, then rent it. In parallel, buy a bed')
    t.match(root, { kind: 'task', status: { state: 'completed' }, metadata: { 'opt/v1/objectiveId': root.contextId } })
    t.strictSame(textsOf(root.artifacts).sort(), ['Buy a bed: done', 'Rent it: done'])
    const objective = await getObjective(server, root.contextId)
    t.match(objective, { status: 'completed', progress: { total: 3, completed: 3, pending: 0 } })
    t.match(objective.metadata, { 'opt/v1/rootTaskId': root.id })
  })

  await t.test('a sender who does not wait has the task at work in the answer', async (t) => {
    server.agent.when('Walk the dog', held)
    const task = await send(server, 'Walk the dog', { wait: false })
    t.equal(task.status.state, 'working')
    t.equal((await getTask(server, task.id)).status.state, 'working', 'and can get it at once')
    const run = await server.agent.begun('Walk the dog')
    run.complete()
    t.equal((await until(server, task.id)).status.state, 'completed')
  })

  await t.test('historyLength counts from the newest', async (t) => {
    const params = { configuration: { historyLength: 0 } }
    const task = await send(server, 'Water the plants', { params })
    t.notOk(task.history?.length)
    const streamed = { message: userMessage('Water the plants'), configuration: { historyLength: 0 } }
    const stream = await open(server, 'message/stream', streamed)
    t.notOk((await nextResult(stream)).history, 'in streams, too')
    stream.leave()
  })
})

t.test('the same message again', async (t) => {
  await t.test('twice: the first answer again, nothing new', async (t) => {
    const message = userMessage('Feed the cat')
    const first = await send(server, message)
    t.strictSame(await send(server, message), first)
    t.equal(server.agent.runsOf('Feed the cat').length, 1)
    const question = userMessage('What is 2 + 2?')
    const answer = await send(server, question)
    t.strictSame(await send(server, question), answer, 'answers, too')
  })

  await t.test('twenty times at once: one task', async (t) => {
    const message = userMessage('Walk the dog')
    const tasks = await Promise.all(Array.from({ length: 20 }, () => send(server, message)))
    t.equal(new Set(tasks.map(({ id }) => id)).size, 1)
    t.equal(server.agent.runsOf('Walk the dog').length, 1)
  })

  await t.test('twenty times at once into a context of the sender: one task', async (t) => {
    const message = userMessage('Wash the dog', { contextId: 'dog-care' })
    const tasks = await Promise.all(Array.from({ length: 20 }, () => send(server, message)))
    t.equal(new Set(tasks.map(({ id }) => id)).size, 1)
    t.equal(server.agent.runsOf('Wash the dog').length, 1)
  })

  await t.test('while the first is at work: waits for the same end', async (t) => {
    server.agent.when('Groom the dog', held)
    const message = userMessage('Groom the dog')
    const first = send(server, message)
    const run = await server.agent.begun('Groom the dog')
    const second = send(server, message)
    const now = await send(server, message, { wait: false })
    t.equal(now.status.state, 'working')
    run.complete()
    t.strictSame(await second, await first)
  })

  await t.test('with other content: refused', async (t) => {
    const message = userMessage('Buy milk') as { messageId: string }
    await send(server, message)
    const other = { ...message, parts: [{ kind: 'text', text: 'Buy bread' }] }
    t.match((await trySend(server, other)).error, { code: -32602, message: /messageId.*other content/ })
    t.equal(server.agent.runsOf('Buy bread').length, 0)
  })

  await t.test('in another context it is another message', async (t) => {
    const message = userMessage('Buy eggs')
    const one = await send(server, { ...message, contextId: 'shop-1' })
    const other = await send(server, { ...message, contextId: 'shop-2' })
    t.not(one.id, other.id)
  })

  await t.test('one that was refused is not remembered', async (t) => {
    const message = userMessage('Sell eggs', { referenceTaskIds: ['none'] })
    t.equal((await trySend(server, message)).error.code, -32001)
    t.equal((await trySend(server, message)).error.code, -32001)
  })
})

t.test('with idempotency off, the same message is a new one', async (t) => {
  const server = await startServer(t, { config: { idempotency: 'off' } })
  const message = userMessage('Feed the cat')
  const [one, other] = [await send(server, message), await send(server, message)]
  t.not(one.id, other.id)
})

t.test('contexts', async (t) => {
  await t.test("one of the sender's own is kept, however it is written", async (t) => {
    const id = 'my own: Ü/😀'
    const first = await send(server, 'Feed the cat', { message: { contextId: id } })
    const second = await send(server, 'Feed the dog', { message: { contextId: id } })
    t.strictSame([first.contextId, second.contextId], [id, id])
    const { tasks } = await ask(server, 'tasks/list', { contextId: id })
    t.strictSame(tasks.map((task: { id: string }) => task.id).sort(), [first.id, second.id].sort())
  })

  await t.test("the server's own can be gone on with", async (t) => {
    const { contextId } = await send(server, 'What is 2 + 2?')
    t.equal((await send(server, 'Feed the cat', { message: { contextId } })).contextId, contextId)
  })

  await t.test("one that contradicts the task's is refused", async (t) => {
    server.agent.when('Wait for it', held)
    const task = await send(server, 'Wait for it', { wait: false })
    const message = { taskId: task.id, contextId: 'another' }
    const { error } = await trySend(server, 'More', { message })
    t.match(error, { code: -32602, message: /contextId.*another/ })
    const joined = await send(server, 'More', { message: { taskId: task.id, contextId: task.contextId }, wait: false })
    t.equal(joined.id, task.id)
    t.match(joined.history.at(-1).parts, [{ text: 'More' }], 'a message to a working task joins its history')
    ;(await server.agent.begun('Wait for it')).complete()
    await until(server, task.id)
  })

  await t.test('a terminal task takes no message', async (t) => {
    const task = await send(server, 'Feed the cat')
    const { error } = await trySend(server, 'Again', { message: { taskId: task.id } })
    t.match(error, { code: -32004, message: /completed/ })
    t.equal((await trySend(server, 'Again', { message: { taskId: 'none' } })).error.code, -32001)
  })
})
