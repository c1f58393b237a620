import type { Test } from 'tap'
import { call, OPT, type Server, userMessage, V1 } from '../rpc.ts'

const RESEARCH = 'Research AI safety papers and write a summary'

/** The OPT methods, and who gets which result of a planned send. (design §8.2) */
export async function opt(t: Test, server: Server): Promise<void> {
  await t.test('at both versions, OPT adds the tree to the root task as metadata', async (t) => {
    const ways: [string, object, Record<string, string>][] = [
      ['SendMessage', { returnImmediately: true }, { ...V1, 'A2A-Extensions': OPT }],
      ['message/send', { blocking: false }, { 'X-A2A-Extensions': OPT }],
      ['message/send', { blocking: false }, { 'A2A-Version': '0.3', 'A2A-Extensions': OPT }],
    ]
    for (const [method, configuration, headers] of ways) {
      const { result } = await call(server, method, { message: userMessage(RESEARCH), configuration }, headers)
      const task = result.task ?? result
      const objective = task.metadata['opt/v1/objective']
      t.match(objective, { id: task.contextId, plans: [{ name: 'Research', tasks: Array }, { name: 'Writing' }] })
      t.equal(objective.metadata['opt/v1/rootTaskId'], task.id, 'the result is the root')
      t.equal(task.metadata['opt/v1/firstTaskId'], objective.plans[0].tasks[0].id)
      t.equal(task.metadata['opt/v1/objectiveId'], objective.id)
      t.strictSame(Object.keys(result).sort(), 'task' in result ? ['task'] : Object.keys(result).sort())
    }
  })

  await t.test('objectives live from create to cancel, at both versions', async (t) => {
    for (const headers of [{}, V1]) {
      const { result } = await call(server, 'objectives/create', { name: 'Move house', description: 'By May' }, headers)
      const { id } = result.objective
      t.match(result.objective, {
        name: 'Move house',
        description: 'By May',
        metadata: { 'opt/v1/rootTaskId': String },
      })
      const renamed = await call(server, 'objectives/update', { id, name: 'Move flat', metadata: { a: 1 } }, headers)
      t.match(renamed.result.objective, { id, name: 'Move flat' })
      const list = await call(server, 'objectives/list', { pageSize: 100 }, headers)
      t.match(list.result, { objectives: Array, nextPageToken: String, totalSize: Number, pageSize: 100 })
      t.ok(list.result.objectives.some((objective: { id: string }) => objective.id === id))
      const canceled = await call(server, 'objectives/cancel', { id }, headers)
      t.match(canceled.result.objective, { id, status: 'canceled' })
    }
  })

  await t.test("an objective's plans are replaced, at both versions", async (t) => {
    for (const headers of [{}, V1]) {
      const { id } = (await call(server, 'objectives/create', { name: 'Move house' }, headers)).result.objective
      const plans = [{ name: 'By van', tasks: [{ name: 'Pack' }, { name: 'Drive', dependencies: ['task-1'] }] }]
      const changed = await call(server, 'objectives/replan', { contextId: id, plans, expectedRevision: 0 }, headers)
      t.match(changed.result, { objective: { id, plans: Array, metadata: { 'opt/v1/rootTaskId': String } } })
      const nameless = await call(server, 'objectives/replan', { id, plans: [{ name: 'x', tasks: [{}] }] }, headers)
      t.match(nameless.error, { code: -32602, message: /^plans\[0\]\.tasks\[0\]\.name: is missing/ })
      t.equal((await call(server, 'objectives/replan', { id, plans: [] }, headers)).error.code, -32602)
    }
  })

  await t.test('a client may choose the id, as id or contextId', async (t) => {
    for (const member of ['id', 'contextId']) {
      const id = `objective-${member}-${process.pid}-${Date.now()}`
      const { result } = await call(server, 'objectives/create', { name: 'Mine', [member]: id })
      t.equal(result.objective.id, id)
      t.equal((await call(server, 'objectives/get', { [member]: id })).result.objective.id, id)
    }
  })

  await t.test('a plan of manual tasks is driven by the client', async (t) => {
    const objective = (await call(server, 'objectives/create', { name: 'Move house' })).result.objective
    const tasks = [{ name: 'Pack' }, { name: 'Drive', dependencies: ['task-1'] }]
    const created = await call(server, 'plans/create', { objectiveId: objective.id, name: 'By van', tasks })
    const { plan } = created.result
    t.match(plan, {
      id: String,
      objectiveId: objective.id,
      name: 'By van',
      tasks: [{ name: 'Pack' }, { name: 'Drive' }],
    })
    const taskId = plan.tasks[0].id
    const working = await call(server, 'tasks/updateStatus', { taskId, state: 'working' })
    t.match(working.result.task, { kind: 'task', id: taskId, status: { state: 'working' } })
    const done = await call(server, 'tasks/updateStatus', {
      id: taskId,
      status: 'completed',
      message: { parts: [{ text: 'Packed' }] },
    })
    t.match(done.result.task, { id: taskId, status: { state: 'completed' } })
    const again = await call(server, 'tasks/updateStatus', { taskId, status: { state: 'working' } })
    t.match(again.error, { code: -31042, message: /completed/ })
  })

  await t.test('what is not there has an error of its own', async (t) => {
    t.equal((await call(server, 'objectives/get', { id: 'none' })).error.code, -31040)
    t.equal((await call(server, 'objectives/cancel', { id: 'none' })).error.code, -31040)
    t.equal((await call(server, 'objectives/update', { id: 'none' })).error.code, -31040)
    const plans = [{ name: 'x', tasks: [{ name: 'y' }] }]
    t.equal((await call(server, 'objectives/replan', { id: 'none', plans })).error.code, -31040)
    t.equal((await call(server, 'plans/get', { id: 'none' })).error.code, -31041)
    t.equal((await call(server, 'plans/create', { objectiveId: 'none', name: 'x' })).error.code, -31040)
    t.equal((await call(server, 'tasks/updateStatus', { taskId: 'none', state: 'working' })).error.code, -32001)
    t.equal((await call(server, 'objectives/subscribe', { id: 'none' })).error.code, -31040)
  })
}
