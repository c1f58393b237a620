import t from '../tap.ts'
import { type Answer, ask, call, getObjective, objectiveUntil, sendPlans, tasksOf, textsOf, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t)
const { agent } = server
t.beforeEach(() => agent.forget())

async function statusOf(objectiveId: string): Promise<Record<string, string>> {
  const tasks = Object.values(await tasksOf(server, objectiveId)) as Answer[]
  return Object.fromEntries(tasks.map(({ name, status }) => [name, status]))
}

t.test('policies', async (t) => {
  t.beforeEach(() => agent.when(/^Bad/, (run) => run.fail('bad luck')))

  await t.test('onFailure fail: the plan ends with the task, and what waited is skipped', async (t) => {
    agent.when('Long', held)
    const tasks = ['Long', { name: 'Bad', dependencies: [] }, { name: 'After', dependencies: ['task-2'] }]
    const root = await sendPlans(server, [{ tasks }, { dependencies: ['plan-1'], tasks: ['Next'] }])
    t.equal(root.status.state, 'failed')
    t.equal(await (await agent.begun('Long')).aborted(), 'canceled')
    t.strictSame(await statusOf(root.contextId), { Long: 'canceled', Bad: 'failed', After: 'skipped', Next: 'skipped' })
    const { plans, status } = await getObjective(server, root.contextId)
    t.strictSame([status, ...plans.map((plan: Answer) => plan.status)], ['failed', 'failed', 'skipped'])
  })

  await t.test('a reason that is cut short is cut between characters', async (t) => {
    agent.when('Long-winded', (run) => run.fail(`${'a'.repeat(499)}😀 and so on`))
    const root = await sendPlans(server, [{ tasks: ['Long-winded'] }])
    t.equal(root.status.state, 'failed')
    t.match(root.status.message.parts[0].text, /^Task "Long-winded" failed: a{499}…$/)
  })

  await t.test('onFailure continue: the others go on, and then the plan fails', async (t) => {
    const tasks = ['Bad', 'Good', { name: 'After', dependencies: ['task-1'] }]
    const root = await sendPlans(server, [{ onFailure: 'continue', tasks }])
    t.equal(root.status.state, 'failed')
    t.strictSame(await statusOf(root.contextId), { Bad: 'failed', Good: 'completed', After: 'skipped' })
  })

  await t.test('onFailure ignore: a failure is as good as done', async (t) => {
    const tasks = ['Bad', { name: 'After', dependencies: ['task-1'] }]
    const root = await sendPlans(server, [{ onFailure: 'ignore', tasks }])
    t.equal(root.status.state, 'completed')
    t.strictSame(await statusOf(root.contextId), { Bad: 'failed', After: 'completed' })
    t.strictSame(textsOf(root.artifacts), ['After: done'])
  })

  await t.test('an optional task may fail', async (t) => {
    const tasks = [
      { name: 'Bad', optional: true },
      { name: 'After', dependencies: ['task-1'] },
    ]
    const root = await sendPlans(server, [{ tasks }])
    t.equal(root.status.state, 'completed')
    t.equal((await statusOf(root.contextId))['After'], 'completed')
  })

  await t.test('onPlanFailure fail: the other plans end, too', async (t) => {
    agent.when('Long', held)
    const root = await sendPlans(server, [{ tasks: ['Bad'] }, { tasks: ['Long'] }])
    t.equal(root.status.state, 'failed')
    t.equal((await statusOf(root.contextId))['Long'], 'canceled')
  })

  await t.test('onPlanFailure continue: the other plans go on', async (t) => {
    agent.when('Long', held)
    const objective = { onPlanFailure: 'continue', plans: [{ tasks: ['Bad'] }, { tasks: ['Long'] }] }
    const message = { metadata: { 'opt/v1/objective': objective } }
    const root = await sendPlans(server, [], { message, wait: false })
    const failed = await until(server, (await tasksOf(server, root.contextId))['Bad'].id)
    t.equal(failed.status.state, 'failed')
    const run = await agent.begun('Long')
    t.equal(run.open, true)
    run.complete()
    t.equal((await until(server, root.id)).status.state, 'failed', 'one plan did fail')
    t.equal((await statusOf(root.contextId))['Long'], 'completed')
  })

  await t.test('an alternative runs when its plan fails, and stands for it', async (t) => {
    const plans = [
      { key: 'train', tasks: ['Bad train'] },
      { key: 'bus', alternativeTo: 'train', tasks: ['Bus'] },
      { key: 'arrive', dependencies: ['train'], tasks: ['Arrive'] },
    ]
    const root = await sendPlans(server, plans)
    t.equal(root.status.state, 'completed')
    t.strictSame(await statusOf(root.contextId), { 'Bad train': 'failed', Bus: 'completed', Arrive: 'completed' })
    t.strictSame(agent.runsOf('Arrive')[0]?.told, ['Arrive', 'Bus: done'])
  })

  await t.test('an alternative that is not needed is skipped', async (t) => {
    const root = await sendPlans(server, [{ tasks: ['Train'] }, { alternativeTo: 'plan-1', tasks: ['Bus'] }])
    t.equal(root.status.state, 'completed')
    t.strictSame(await statusOf(root.contextId), { Train: 'completed', Bus: 'skipped' })
    t.equal(agent.runsOf('Bus').length, 0)
  })
})

t.test("manual tasks: the extension's own quick start", async (t) => {
  const move = (taskId: string, state: string, more = {}) =>
    ask(server, 'tasks/updateStatus', { taskId, state, ...more })

  await t.test('a client creates an objective and its plans, and moves the tasks to the end', async (t) => {
    const { objective } = await ask(server, 'objectives/create', { name: 'Research AI safety' })
    t.equal(objective.status, 'planning')
    const objectiveId = objective.id
    const first = [{ name: 'Search papers' }, { name: 'Summarize findings', dependencies: ['task-1'] }]
    const { plan: research } = await ask(server, 'plans/create', { objectiveId, name: 'Research', tasks: first })
    const second = { objectiveId, name: 'Writing', dependencies: [research.id], tasks: [{ name: 'Write summary' }] }
    const { plan: writing } = await ask(server, 'plans/create', second)
    t.strictSame([research.status, writing.status], ['pending', 'pending'])

    const [search, summarize] = research.tasks
    const early = await call(server, 'tasks/updateStatus', { taskId: summarize.id, state: 'working' })
    t.match(early.error, { code: -31042 }, 'what it depends on is not done')
    await move(search.id, 'working')
    t.match(await getObjective(server, objectiveId), { status: 'working', plans: [{ status: 'working' }] })
    const artifacts = [{ artifactId: 'papers', name: 'papers', parts: [{ text: 'three papers' }] }]
    const { task } = await move(search.id, 'completed', { artifacts })
    t.match(task, { status: { state: 'completed' }, artifacts: [{ name: 'papers' }] })
    await move(summarize.id, 'completed')
    t.match(await getObjective(server, objectiveId), { plans: [{ status: 'completed' }, { status: 'pending' }] })
    await move(writing.tasks[0].id, 'completed', { artifacts })
    const done = await objectiveUntil(server, objectiveId, 'completed')
    t.match(done, { status: 'completed', progress: { total: 3, completed: 3 } })
    const root = await ask(server, 'tasks/get', { id: done.metadata['opt/v1/rootTaskId'] })
    t.match(root, { status: { state: 'completed' }, artifacts: [{ name: 'papers' }] })
  })

  await t.test('they ask, wait and fail as their client says', async (t) => {
    const { objective } = await ask(server, 'objectives/create', { name: 'Move house' })
    const tasks = [{ name: 'Pack' }]
    const { plan } = await ask(server, 'plans/create', { objectiveId: objective.id, name: 'Van', tasks })
    const { id } = plan.tasks[0]
    await move(id, 'working')
    await move(id, 'input-required', { message: { parts: [{ text: 'The piano, too?' }] } })
    const blocked = await getObjective(server, objective.id)
    t.match(blocked, { status: 'blocked', plans: [{ status: 'blocked' }] })
    await move(id, 'working')
    t.equal((await getObjective(server, objective.id)).status, 'working')
    await move(id, 'failed')
    t.match(await getObjective(server, objective.id), { status: 'failed', plans: [{ status: 'failed' }] })
    const late = await call(server, 'tasks/updateStatus', { taskId: id, state: 'working' })
    t.equal(late.error.code, -31042)
  })

  await t.test('what an agent does is not moved by a client', async (t) => {
    agent.when('Long', held)
    const root = await sendPlans(server, [{ tasks: ['Long'] }], { wait: false })
    const { Long } = await tasksOf(server, root.contextId)
    const { error } = await call(server, 'tasks/updateStatus', { taskId: Long.id, state: 'completed' })
    t.match(error, { code: -31042, message: /agent/ })
    const rootMove = await call(server, 'tasks/updateStatus', { taskId: root.id, state: 'completed' })
    t.match(rootMove.error, { code: -31042, message: /plans/ })
    ;(await agent.begun('Long')).complete()
    await until(server, root.id)
  })

  await t.test('a plan with `run` is done by agents', async (t) => {
    const { objective } = await ask(server, 'objectives/create', { name: 'Cook' })
    const plan = {
      objectiveId: objective.id,
      name: 'Soup',
      run: true,
      tasks: [{ name: 'Chop' }, { name: 'Boil', dependencies: ['task-1'] }],
    }
    await ask(server, 'plans/create', plan)
    await objectiveUntil(server, objective.id, 'completed')
    t.strictSame(agent.runsOf('Boil')[0]?.told, ['Boil', 'Chop: done'])
  })

  await t.test('a plan that depends on a finished one starts; on a failed one it is refused', async (t) => {
    const { objective } = await ask(server, 'objectives/create', { name: 'Cook again' })
    const objectiveId = objective.id
    const keep = await ask(server, 'plans/create', { objectiveId, name: 'Open', tasks: [{ name: 'Stay' }] })
    const { plan } = await ask(server, 'plans/create', { objectiveId, name: 'Soup', tasks: [{ name: 'Chop' }] })
    await move(plan.tasks[0].id, 'completed')
    const more = { objectiveId, name: 'Serve', dependencies: ['Soup'], run: true, tasks: [{ name: 'Serve it' }] }
    await ask(server, 'plans/create', more)
    await agent.begun('Serve it')
    await move(keep.plan.tasks[0].id, 'failed')
    t.equal((await objectiveUntil(server, objectiveId, 'failed', 'completed')).status, 'failed')
  })

  await t.test('an objective of manual tasks may be ended by its client', async (t) => {
    const { objective } = await ask(server, 'objectives/create', { name: 'Holiday' })
    const { id } = objective
    await ask(server, 'plans/create', {
      objectiveId: id,
      name: 'Plan',
      tasks: [{ name: 'Pack' }, { name: 'Go', dependencies: ['task-1'] }],
    })
    const { objective: ended } = await ask(server, 'objectives/update', { id, status: 'completed' })
    t.match(ended, { status: 'completed', progress: { completed: 2 } })
  })
})
