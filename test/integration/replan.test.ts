import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import t from '../tap.ts'
import { nextResult, open, V1 } from '../wire/rpc.ts'
import { Socket } from '../wire/socket.ts'
import { type Answer, ask, call, getObjective, OPT_03, send, sendPlans, tasksOf, textsOf, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'
import { startReceiver } from './webhook-receiver.ts'

const server = await startServer(t, {
  config: { push: { allow: ['127.0.0.1'], backoffSeconds: 0.05, pollSeconds: 0.5 } },
})
const { agent } = server
t.beforeEach(() => agent.forget())

const NEXT = { name: 'Next', run: true, tasks: [{ name: 'Go on' }] }
const replan = async (id: string, plans: unknown, more = {}) =>
  (await ask(server, 'objectives/replan', { id, plans, ...more })).objective
const refused = async (id: string, plans: unknown, more = {}) =>
  (await call(server, 'objectives/replan', { id, plans, ...more })).error

t.test('completed work is kept, and handed to the tasks that need it', async (t) => {
  agent.when('Write', held)
  const tasks = ['Search', { name: 'Write', dependencies: ['task-1'] }]
  const root = await sendPlans(server, [{ name: 'Paper', key: 'paper', tasks }], { wait: false })
  const writing = await agent.begun('Write')
  const { Search: search } = await tasksOf(server, root.contextId)
  const shorter = [{ taskId: search.id }, { name: 'Shorten', dependencies: ['task-1'] }]
  const objective = await replan(root.contextId, [{ name: 'Summary', run: true, tasks: shorter }])
  t.equal(await writing.aborted(), 'canceled')
  await agent.wasCanceled(writing.context.taskId)
  const [old, fresh] = objective.plans
  t.match(old, {
    status: 'skipped',
    revision: 1,
    tasks: [{ id: search.id, carriedTo: fresh.id, state: 'completed' }, { status: 'canceled' }],
  })
  t.match(old.tasks[1].dependencies, [search.id])
  t.match(fresh, { revision: 2, supersedesPlanId: old.id })
  t.match(fresh.tasks, [
    { id: search.id, planId: fresh.id, taskIndex: 0, dependencies: [] },
    { dependencies: [search.id] },
  ])
  t.notOk('carriedTo' in fresh.tasks[0])
  const done = await until(server, root.id)
  t.equal(done.status.state, 'completed')
  t.strictSame(agent.runsOf('Shorten')[0]?.told, ['Shorten', 'Search: done'])
  t.strictSame(textsOf(done.artifacts), ['Shorten: done'], 'deliverables are those of the new plan')
  const view = await ask(server, 'tasks/get', { id: search.id })
  t.match(view.metadata, { 'opt/v1/planId': fresh.id, 'opt/v1/taskIndex': 0 })
  t.match(await getObjective(server, root.contextId), {
    status: 'completed',
    progress: { total: 3, completed: 2, canceled: 1 },
  })
  t.match((await ask(server, 'plans/get', { id: fresh.id })).plan, {
    supersedesPlanId: old.id,
    progress: { total: 2, completed: 2 },
  })
  t.match((await ask(server, 'plans/get', { id: old.id })).plan, {
    progress: { total: 1, canceled: 1 },
    tasks: [{ carriedTo: fresh.id }, {}],
  })
})

t.test('a finished task is shown in its new plan to those who have read it before', async (t) => {
  agent.when('Long', held)
  const root = await sendPlans(server, [{ tasks: ['Quick', 'Long'] }], { wait: false })
  const quick = (await tasksOf(server, root.contextId))['Quick'].id
  await until(server, quick)
  await ask(server, 'tasks/get', { id: quick })
  const { plans } = await replan(root.contextId, [{ name: 'Next', tasks: [{ name: 'By hand' }, { taskId: quick }] }])
  t.match((await ask(server, 'tasks/get', { id: quick })).metadata, {
    'opt/v1/planId': plans[1].id,
    'opt/v1/taskIndex': 1,
  })
  await ask(server, 'objectives/cancel', { id: root.contextId })
})

t.test('what runs goes on, where that is asked for', async (t) => {
  agent.when(/^(Dig|Fill)/, held)
  const root = await sendPlans(
    server,
    [{ name: 'Garden', tasks: ['Dig', 'Fill', { name: 'Plant', dependencies: ['task-1'] }] }],
    { wait: false },
  )
  const dig = await agent.begun('Dig')
  const fill = await agent.begun('Fill')
  const tasks = [
    { taskId: dig.context.taskId, key: 'hole' },
    { name: 'Water', dependencies: ['hole'] },
  ]
  const objective = await replan(root.contextId, [{ name: 'Pond', run: true, tasks }], { running: 'keep' })
  t.strictSame([dig.open, fill.open], [true, true])
  t.match(objective.plans[1], {
    status: 'working',
    tasks: [{ name: 'Dig' }, { name: 'Water', status: 'pending' }, { name: 'Fill', taskIndex: 2 }],
  })
  fill.complete()
  t.equal(agent.runsOf('Water').length, 0)
  dig.complete('a hole')
  t.equal((await until(server, root.id)).status.state, 'completed')
  t.strictSame(agent.runsOf('Water')[0]?.told, ['Water', 'a hole'])
  t.equal(agent.runsOf('Plant').length, 0)
  t.strictSame(agent.canceled, [])
})

t.test('a question that is kept is answered in the new plan', async (t) => {
  agent.when('Ask', (run) => (run.context.answer ? run.complete() : run.ask('Which one?')))
  const root = await sendPlans(server, [{ tasks: ['Ask', { name: 'After', dependencies: ['task-1'] }] }])
  t.equal(root.status.state, 'input-required')
  const { Ask: asks } = await tasksOf(server, root.contextId)
  const plans = [{ name: 'New', run: true, tasks: [{ taskId: asks.id }, { name: 'Then', dependencies: [asks.id] }] }]
  t.match(await replan(root.contextId, plans, { running: 'keep' }), { status: 'blocked' })
  await send(server, 'the first', { message: { taskId: root.id }, wait: false })
  t.equal((await until(server, root.id)).status.state, 'completed')
  t.equal(agent.runsOf('Then').length, 1)
})

t.test('a revision is checked, so that a request that is sent twice changes the plans once', async (t) => {
  agent.when('Long', held)
  const root = await sendPlans(server, [{ tasks: ['Long'] }], { wait: false })
  agent.when('Go on', held)
  const request = { reason: 'better', expectedRevision: 1 }
  t.equal((await replan(root.contextId, [NEXT], request)).plans[1].revision, 2)
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

t.test('followers are told of it in order, over streams and webhooks', async (t) => {
  agent.when('Long', held)
  const receiver = await startReceiver(t)
  const root = await sendPlans(
    server,
    [{ name: 'Old', tasks: ['Quick', 'Long', { name: 'After', dependencies: ['task-2'] }] }],
    { wait: false },
  )
  const { Quick: quick, Long: long, After: after } = await tasksOf(server, root.contextId)
  await until(server, quick.id)
  const hook = { id: root.contextId, pushNotificationConfig: { url: receiver.url } }
  await ask(server, 'objectives/pushNotificationConfig/set', hook)
  const stream = await open(server, 'objectives/subscribe', { id: root.contextId })
  const { snapshot } = await nextResult(stream)
  const inner = await open(server, 'tasks/resubscribe', { id: root.id }, OPT_03)
  await nextResult(inner)
  const tasks = [{ name: 'Last', dependencies: ['task-2'] }, { taskId: quick.id }]
  const { plans } = await replan(root.contextId, [{ name: 'New', run: true, tasks }], { reason: 'no time' })
  const events: Answer[] = []
  while (events.at(-1)?.data.status !== 'completed' || events.at(-1)?.type !== 'objective.status') {
    events.push((await nextResult(stream)).event)
  }
  stream.leave()
  t.strictSame(
    events.map(({ seq }) => seq),
    events.map((_, i) => snapshot.seq + 1 + i),
  )
  const [from, to] = plans.map(({ id }: Answer) => id)
  t.match(events.slice(0, 6), [
    { type: 'plan.created', planId: to, data: { revision: 2, supersedesPlanId: from } },
    { type: 'task.created', planId: to, data: { name: 'Last', dependencies: [quick.id] } },
    {
      type: 'task.carried',
      planId: to,
      taskId: quick.id,
      data: { fromPlanId: from, state: 'completed', taskIndex: 1 },
    },
    {
      type: 'objective.replanned',
      taskId: root.id,
      data: {
        ...{ taskId: root.id, actor: 'anonymous', reason: 'no time', running: 'cancel' },
        ...{ before: { revision: 1, plans: [from] }, after: { revision: 2, plans: [to] } },
        ...{ carried: [quick.id], canceled: [long.id], skipped: [after.id] },
      },
    },
    { type: 'task.status', taskId: long.id, data: { state: 'canceled' } },
    { type: 'task.status', taskId: after.id, data: { state: 'canceled', skipped: true } },
  ])
  const told = await receiver.first(({ body }) => body.event?.type === 'objective.replanned')
  t.strictSame(told.body.event, events[3])
  const frames: Answer[] = []
  for await (const { data } of inner.events) frames.push(data.result)
  t.match(frames.at(-1), { taskId: root.id, final: true, status: { state: 'completed' } }, "the root's stream bears it")
})

t.test('the plans of a task that was planned in its turn', async (t) => {
  agent.when('Inner', held)
  const inner = [{ key: 'in', name: 'In', tasks: ['Inner'] }]
  const tasks = [
    { name: 'Outer', plans: inner },
    { name: 'Last', dependencies: ['task-1'] },
  ]
  const root = await sendPlans(server, [{ name: 'Out', tasks }], { wait: false })
  const run = await agent.begun('Inner')
  const { Outer: outer } = await tasksOf(server, root.contextId)
  const changed = await replan(root.contextId, [{ ...NEXT, key: 'in' }], { taskId: outer.id })
  t.equal(await run.aborted(), 'canceled')
  const [shown] = changed.plans[0].tasks
  t.match(shown.plans, [
    { name: 'In', status: 'skipped' },
    { name: 'Next', revision: 2, supersedesPlanId: shown.plans[0].id },
  ])
  t.equal((await until(server, root.id)).status.state, 'completed')
  t.match(
    (await getObjective(server, root.contextId)).plans,
    [{ status: 'completed', revision: 1 }],
    'its own plan is as it was',
  )
  t.strictSame(agent.runsOf('Last')[0]?.told, ['Last', 'Go on: done'])
})

t.test('a planned task that is carried over is shown with its plans where it is now', async (t) => {
  agent.when('Inner', held)
  const tasks = [
    { name: 'Outer', plans: [{ name: 'In', tasks: ['Inner'] }] },
    { name: 'Last', dependencies: ['task-1'] },
  ]
  const root = await sendPlans(server, [{ name: 'Out', tasks }], { wait: false })
  const run = await agent.begun('Inner')
  const { Outer: outer } = await tasksOf(server, root.contextId)
  const { plans } = await replan(root.contextId, [{ name: 'New', tasks: [{ taskId: outer.id }] }], { running: 'keep' })
  t.equal(plans.length, 2)
  t.notOk(plans[0].tasks[0].plans, 'here it is history')
  t.match(plans[1].tasks[0].plans, [{ name: 'In', status: 'working', tasks: [{ name: 'Inner' }] }])
  run.complete()
  t.equal((await until(server, root.id)).status.state, 'completed')
})

t.test('an objective that its client moves by hand', async (t) => {
  const { objective } = await ask(server, 'objectives/create', { name: 'Move house' })
  const first = await replan(
    objective.id,
    [{ name: 'By van', tasks: [{ name: 'Pack' }, { name: 'Drive', dependencies: ['task-1'] }] }],
    { expectedRevision: 0 },
  )
  const [pack] = first.plans[0].tasks
  await ask(server, 'tasks/updateStatus', { taskId: pack.id, state: 'completed' })
  const next = await replan(
    objective.id,
    [{ name: 'By van', tasks: [{ taskId: pack.id }, { name: 'Fly', dependencies: [pack.id] }] }],
    { expectedRevision: 1 },
  )
  t.match(next, {
    status: 'working',
    plans: [{ status: 'skipped' }, { revision: 2, supersedesPlanId: first.plans[0].id }],
  })
  const { plan } = await ask(server, 'plans/create', {
    objectiveId: objective.id,
    name: 'After',
    dependencies: ['By van'],
    tasks: [{ name: 'Rest' }],
  })
  t.match(plan, { revision: 2, dependencies: [next.plans[1].id] }, 'a name means the plan that stands')
  const printed = { ...(await getObjective(server, objective.id)), name: 'Again' }
  const again = await send(server, 'Do it again', {
    message: { metadata: { 'opt/v1/objective': printed } },
    wait: false,
  })
  t.match(
    await getObjective(server, again.contextId),
    { plans: [{ tasks: Array }, { tasks: Array }, { tasks: Array }] },
    'a printed tree can be sent back',
  )
  await ask(server, 'objectives/cancel', { id: objective.id })
})

t.test('the example of docs/planning.md does what is said there', async (t) => {
  const document = await readFile(new URL('../../docs/planning.md', import.meta.url), 'utf8')
  const [, script = ''] = /## Changing the plan\n[\s\S]*?```sh\n([\s\S]*?)```/.exec(document) ?? []
  const local = script.replaceAll('http://localhost:8080', server.baseUrl)
  const { stdout } = await promisify(execFile)('bash', ['-c', `${local}\necho " $id"`])
  const { plans } = await getObjective(server, stdout.trim().split(' ').at(-1) ?? '')
  const [train, car] = plans
  t.match(train, {
    name: 'By train',
    status: 'skipped',
    tasks: [{ carriedTo: car.id }, { status: 'skipped' }, { status: 'skipped' }],
  })
  t.match(car, {
    name: 'By car',
    revision: 2,
    supersedesPlanId: train.id,
    tasks: [{ status: 'completed' }, {}, { status: 'pending' }],
  })
})

t.test('a plan gives out and hands on what was carried into it', async (t) => {
  agent.when('Long', held)
  const tasks = ['Find', { name: 'Long', dependencies: ['task-1'] }]
  const root = await sendPlans(server, [{ tasks }], { wait: false })
  await agent.begun('Long')
  const { Find: find } = await tasksOf(server, root.contextId)
  const brought = { name: 'Brought', key: 'brought', run: true, tasks: [{ taskId: find.id }, { name: 'Beside' }] }
  await replan(root.contextId, [
    brought,
    { name: 'User', dependencies: ['brought'], run: true, tasks: [{ name: 'Use' }] },
  ])
  t.equal((await until(server, root.id)).status.state, 'completed')
  t.strictSame(
    agent.runsOf('Use')[0]?.told.toSorted(),
    ['Beside: done', 'Find: done', 'Use'],
    'to the plan that depends on it',
  )
  const other = await sendPlans(server, [{ tasks }], { wait: false })
  await agent.begun('Long', 2)
  const again = (await tasksOf(server, other.contextId))['Find'].id
  await replan(other.contextId, [{ ...brought, tasks: [{ taskId: again }, { name: 'Beside' }] }])
  const { artifacts } = await until(server, other.id)
  t.strictSame(textsOf(artifacts).toSorted(), ['Beside: done', 'Find: done'])
})
