import t from '../tap.ts'
import { V1 } from '../wire/rpc.ts'
import { Socket } from '../wire/socket.ts'
import { type Answer, ask, call, getObjective, replan, sendPlans, tasksOf, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t)
const { agent } = server
t.beforeEach(() => agent.forget())

const NEXT = { name: 'Next', run: true, tasks: [{ name: 'Go on' }] }
const refused = async (id: string, plans: unknown, more = {}) =>
  (await call(server, 'objectives/replan', { id, plans, ...more })).error

t.test('a revision is checked, so that a request that is sent twice changes the plans once', async (t) => {
  agent.when('Long', held)
  const root = await sendPlans(server, [{ tasks: ['Long'] }], { wait: false })
  agent.when('Go on', held)
  const request = { reason: 'better', expectedRevision: 1 }
  t.equal((await replan(server, root.contextId, [NEXT], request)).plans[1].revision, 2)
  t.match(await refused(root.contextId, [NEXT], request), {
    code: -31043,
    message: /at revision 2, and expectedRevision was 1/,
    data: { revision: '2', expectedRevision: '1' },
  })
  t.equal((await getObjective(server, root.contextId)).plans.length, 2)
  const path = `${server.baseUrl}/objectives/${root.contextId}:replan`
  const post = async (body: object) => {
    const headers = { 'content-type': 'application/json', ...V1 }
    const response = await fetch(path, { method: 'POST', headers, body: JSON.stringify(body) })
    return { status: response.status, body: (await response.json()) as Answer }
  }
  t.match(await post({ plans: [NEXT], ...request }), {
    status: 409,
    body: { error: { status: 'ABORTED', details: [{ reason: 'REVISION_MISMATCH' }] } },
  })
  t.match(await post({ plans: [NEXT], expectedRevision: 2 }), {
    status: 200,
    body: { objective: { plans: [{}, {}, { revision: 3 }] } },
  })
  const socket = await Socket.open(server)
  const over = await socket.call('objectives/replan', { id: root.contextId, plans: [NEXT], expected_revision: 3 })
  t.match(over.result, { objective: { plans: [{}, {}, {}, { revision: 4 }] } })
  await socket.close()
  await ask(server, 'objectives/cancel', { id: root.contextId })
})

t.test('what is wrong is named', async (t) => {
  agent.when('Long', held)
  const root = await sendPlans(server, [{ tasks: ['Quick', 'Long'] }], { wait: false })
  const { Quick: quick, Long: long } = await tasksOf(server, root.contextId)
  await until(server, quick.id)
  const tasks = (...given: unknown[]) => [{ name: 'N', tasks: given }]
  const invalid: [plans: unknown, more: object, field: string][] = [
    [undefined, {}, 'plans'],
    [[], {}, 'plans'],
    [[{}], {}, 'plans[0].name'],
    [tasks({}), {}, 'plans[0].tasks[0].name'],
    [tasks({ taskId: 1 }), {}, 'plans[0].tasks[0].taskId'],
    [tasks({ taskId: quick.id, agent: 'other' }), {}, 'plans[0].tasks[0].agent'],
    [tasks({ taskId: quick.id, name: 'Mine' }), {}, 'plans[0].tasks[0].name'],
    [[NEXT], { running: 'stop' }, 'running'],
    [[NEXT], { expectedRevision: -1 }, 'expectedRevision'],
    [[NEXT], { reason: 'x'.repeat(10_001) }, 'reason'],
    [[NEXT], { taskId: long.id }, 'taskId'],
  ]
  for (const [plans, more, field] of invalid) {
    const error = await refused(root.contextId, plans, more)
    t.match(error, { code: -32602, data: { violations: [{ field }] } }, field)
  }
  const invalidPlans: [plans: unknown, key: string, why: RegExp][] = [
    [tasks({ name: 'x', dependencies: ['nothing'] }), 'task-1', /"nothing"/],
    [[{ name: 'N', dependencies: ['nothing'], tasks: [{ name: 'x' }] }], 'plan-1', /nothing/],
    [tasks({ taskId: long.id }), long.id, /running "keep"/],
    [tasks({ taskId: quick.id, key: 'q' }, { taskId: quick.id }), quick.id, /twice/],
    [tasks({ taskId: 'nobody' }), 'nobody', /in no plan/],
    [[{ name: 'Empty' }], 'plan-1', /nothing would be left/],
  ]
  for (const [plans, key, why] of invalidPlans) {
    t.match(await refused(root.contextId, plans), { code: -31045, data: { key, why } }, String(why))
  }
  t.equal((await refused('nobody', [NEXT])).code, -31040)
  t.equal((await refused(root.contextId, [NEXT], { taskId: 'nobody' })).code, -32001)
  t.equal((await getObjective(server, root.contextId)).plans.length, 1)
  await ask(server, 'objectives/cancel', { id: root.contextId })
  t.match(await refused(root.contextId, [NEXT]), { code: -31042, message: /is canceled/ })
  t.match(await refused(root.contextId, [NEXT], { taskId: root.id }), { code: -31042, message: new RegExp(root.id) })
})

t.test('plans that were superseded leave room for others', async (t) => {
  const small = await startServer(t, { agents: [], config: { limits: { maxPlansPerObjective: 2 } } })
  const byHand = { name: 'By hand', tasks: [{ name: 'Wait' }] }
  const { objective } = await ask(small, 'objectives/create', { name: 'Trip', plans: [byHand, byHand] })
  const { id } = objective
  const add = (name: string) => call(small, 'plans/create', { objectiveId: id, name, tasks: [{ name: 'One' }] })
  t.match((await add('Third')).error, { code: -31045, message: /maxPlansPerObjective/ })
  await ask(small, 'objectives/replan', { id, plans: [byHand] })
  t.match((await add('Third')).result, { plan: { revision: 2 } })
  t.match((await add('Fourth')).error, { code: -31045 })
  const many = [byHand, byHand, byHand]
  t.match((await call(small, 'objectives/replan', { id, plans: many })).error, {
    code: -31045,
    data: { key: 'plan-3' },
  })
})
