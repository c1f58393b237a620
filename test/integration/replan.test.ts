import t from '../tap.ts'
import { ask, getObjective, replan, send, sendPlans, tasksOf, textsOf, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t)
const { agent } = server
t.beforeEach(() => agent.forget())

t.test('completed work is kept, and handed to the tasks that need it', async (t) => {
  agent.when('Write', held)
  const tasks = ['Search', { name: 'Write', dependencies: ['task-1'] }]
  const root = await sendPlans(server, [{ name: 'Paper', key: 'paper', tasks }], { wait: false })
  const writing = await agent.begun('Write')
  const { Search: search } = await tasksOf(server, root.contextId)
  const shorter = [{ taskId: search.id }, { name: 'Shorten', dependencies: ['task-1'] }]
  const objective = await replan(server, root.contextId, [{ name: 'Summary', run: true, tasks: shorter }])
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
  const { plans } = await replan(server, root.contextId, [
    { name: 'Next', tasks: [{ name: 'By hand' }, { taskId: quick }] },
  ])
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
  const objective = await replan(server, root.contextId, [{ name: 'Pond', run: true, tasks }], { running: 'keep' })
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
  t.match(await replan(server, root.contextId, plans, { running: 'keep' }), { status: 'blocked' })
  await send(server, 'the first', { message: { taskId: root.id }, wait: false })
  t.equal((await until(server, root.id)).status.state, 'completed')
  t.equal(agent.runsOf('Then').length, 1)
})

t.test('a plan gives out and hands on what was carried into it', async (t) => {
  agent.when('Long', held)
  const tasks = ['Find', { name: 'Long', dependencies: ['task-1'] }]
  const root = await sendPlans(server, [{ tasks }], { wait: false })
  await agent.begun('Long')
  const { Find: find } = await tasksOf(server, root.contextId)
  const brought = { name: 'Brought', key: 'brought', run: true, tasks: [{ taskId: find.id }, { name: 'Beside' }] }
  await replan(server, root.contextId, [
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
  await replan(server, other.contextId, [{ ...brought, tasks: [{ taskId: again }, { name: 'Beside' }] }])
  const { artifacts } = await until(server, other.id)
  t.strictSame(textsOf(artifacts).toSorted(), ['Beside: done', 'Find: done'])
})
