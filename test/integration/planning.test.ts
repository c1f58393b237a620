import { TrellisError } from '../../src/base/errors.ts'
import type { Decision } from '../../src/domain/draft.ts'
import t from '../tap.ts'
import { ask, getObjective, getTask, OPT_03, send, until } from './client.ts'
import { startServer } from './server.ts'
import { oneTask, slow } from './slow-planner.ts'

const MODULE = new URL('./slow-planner.ts', import.meta.url).pathname
const PLANNER = { planner: { modules: [MODULE], inlineSeconds: 0.05 } }

/** A plan that the test lets go when it wants to. */
function held() {
  const { promise, resolve, reject } = Promise.withResolvers<Decision | null>()
  const begun = Promise.withResolvers<AbortSignal>()
  slow.plan = (_, signal) => {
    begun.resolve(signal)
    return promise
  }
  return { resolve, reject, begun: begun.promise }
}

t.test('a planner that is quick enough answers in the request', async (t) => {
  const server = await startServer(t, { config: PLANNER })
  slow.plan = () => Promise.resolve(oneTask('Quick'))
  const task = await send(server, 'slow: but quick')
  t.equal(task.status.state, 'completed')
  t.notOk(task.metadata?.['opt/v1/objectiveId'], 'one task, no objective')
})

t.test('a slow planner: the request is answered with a root that waits for its plans', async (t) => {
  const server = await startServer(t, { config: PLANNER })
  const plan = held()
  const root = await send(server, 'slow: research it', { wait: false, headers: OPT_03 })
  t.equal(root.status.state, 'submitted')
  const objective = await getObjective(server, root.contextId)
  t.equal(objective.status, 'planning')
  t.same(objective.plans, [])
  plan.resolve(oneTask('Research'))
  const done = await until(server, root.id)
  t.equal(done.status.state, 'completed')
  const planned = await getObjective(server, root.contextId)
  t.match(planned, { status: 'completed', plans: [{ tasks: [{ name: 'Research', status: 'completed' }] }] })
})

t.test('a message that comes again is not planned again', async (t) => {
  const server = await startServer(t, { config: PLANNER })
  const before = slow.asked
  const plan = held()
  const message = { messageId: 'again', role: 'user', parts: [{ kind: 'text', text: 'slow: once' }] }
  const sendIt = () => ask(server, 'message/send', { message, configuration: { blocking: false } })
  const first = sendIt()
  await plan.begun
  const [one, two] = await Promise.all([first, sendIt()])
  t.equal(two.id, one.id, 'beside the first')
  plan.resolve(oneTask('Once'))
  t.equal((await until(server, one.id)).status.state, 'completed')
  t.equal((await sendIt()).id, one.id, 'after it')
  t.equal(slow.asked - before, 1)
})

t.test('an answer that comes late completes the root with it', async (t) => {
  const server = await startServer(t, { config: PLANNER })
  const plan = held()
  const root = await send(server, 'slow: what is it?', { wait: false })
  plan.resolve({ kind: 'answer', parts: [{ text: 'It is this.' }] })
  const done = await until(server, root.id)
  t.match(done.status, { state: 'completed', message: { parts: [{ text: 'It is this.' }] } })
})

t.test('a plan for a root that was canceled meanwhile is dropped', async (t) => {
  const server = await startServer(t, { config: PLANNER })
  const plan = held()
  const root = await send(server, 'slow: never mind', { wait: false })
  const canceled = await ask(server, 'tasks/cancel', { id: root.id })
  t.equal(canceled.status.state, 'canceled')
  const signal = await plan.begun
  t.ok(signal.aborted, 'the planner is told')
  plan.resolve(oneTask('Too late'))
  await server.app.core.changes.drained()
  t.match(await getObjective(server, root.contextId), { status: 'canceled', plans: [] })
})

t.test('a request that no planner can plan ends its root, and says why', async (t) => {
  const server = await startServer(t, { config: PLANNER })
  const plan = held()
  const root = await send(server, 'slow: broken', { wait: false })
  plan.reject(new TrellisError('invalidPlan', 'the model wrote nonsense'))
  const done = await until(server, root.id)
  t.equal(done.status.state, 'completed', 'the words are read instead')
  t.ok((await getTask(server, root.id)).metadata['opt/v1/objectiveId'])
})
