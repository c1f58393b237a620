import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { promisify } from 'node:util'
import t from '../tap.ts'
import { ask, getObjective, replan, send, sendPlans, tasksOf, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t)
const { agent } = server
t.beforeEach(() => agent.forget())

const NEXT = { name: 'Next', run: true, tasks: [{ name: 'Go on' }] }

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
  const changed = await replan(server, root.contextId, [{ ...NEXT, key: 'in' }], { taskId: outer.id })
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
  const { plans } = await replan(server, root.contextId, [{ name: 'New', tasks: [{ taskId: outer.id }] }], {
    running: 'keep',
  })
  t.equal(plans.length, 2)
  t.notOk(plans[0].tasks[0].plans, 'here it is history')
  t.match(plans[1].tasks[0].plans, [{ name: 'In', status: 'working', tasks: [{ name: 'Inner' }] }])
  run.complete()
  t.equal((await until(server, root.id)).status.state, 'completed')
})

t.test('an objective that its client moves by hand', async (t) => {
  const { objective } = await ask(server, 'objectives/create', { name: 'Move house' })
  const first = await replan(
    server,
    objective.id,
    [{ name: 'By van', tasks: [{ name: 'Pack' }, { name: 'Drive', dependencies: ['task-1'] }] }],
    { expectedRevision: 0 },
  )
  const [pack] = first.plans[0].tasks
  await ask(server, 'tasks/updateStatus', { taskId: pack.id, state: 'completed' })
  const next = await replan(
    server,
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

t.test('what a task waited for is shown where it was, and not where it is now', async (t) => {
  const names = ['Pack', 'Load', 'Drive']
  const tasks = names.map((name, i) => ({ name, dependencies: i === 0 ? [] : [`task-${i}`] }))
  const plans = [{ name: 'Go', tasks }]
  const { objective } = await ask(server, 'objectives/create', { name: 'Move house', plans })
  const [pack, load] = objective.plans[0].tasks
  for (const { id } of [pack, load]) await ask(server, 'tasks/updateStatus', { taskId: id, state: 'completed' })
  const changed = await replan(server, objective.id, [
    { name: 'Stay', tasks: [{ taskId: load.id }, { name: 'Unload' }] },
  ])
  t.strictSame(changed.plans[0].tasks[1].dependencies, [pack.id])
  t.strictSame(changed.plans[1].tasks[0].dependencies, [])
  t.strictSame((await ask(server, 'tasks/get', { id: load.id })).metadata['opt/v1/dependencies'], [])
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
