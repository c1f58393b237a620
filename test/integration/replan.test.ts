import t from '../tap.ts'
import { type Answer, ask, getObjective, sendPlans, tasksOf, textsOf, until } from './client.ts'
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
  const { objective } = await ask(server, 'objectives/replan', {
    id: root.contextId,
    reason: 'shorter, please',
    plans: [
      { name: 'Summary', run: true, tasks: [{ taskId: search.id }, { name: 'Shorten', dependencies: ['task-1'] }] },
    ],
  })
  t.equal(await writing.aborted(), 'canceled')
  const [old, fresh] = objective.plans
  t.match(old, {
    status: 'skipped',
    revision: 1,
    tasks: [{ id: search.id, carriedTo: fresh.id, state: 'completed' }, { status: 'canceled' }],
  })
  t.match(fresh, {
    revision: 2,
    supersedesPlanId: old.id,
    tasks: [{ id: search.id, planId: fresh.id, taskIndex: 0 }, { dependencies: [search.id] }],
  })
  const done = await until(server, root.id)
  t.equal(done.status.state, 'completed')
  t.strictSame(agent.runsOf('Shorten')[0]?.told, ['Shorten', 'Search: done'])
  t.strictSame(textsOf(done.artifacts), ['Shorten: done'])
  const view = await ask(server, 'tasks/get', { id: search.id })
  t.match(view.metadata, { 'opt/v1/planId': fresh.id, 'opt/v1/taskIndex': 0 })
  t.match((await getObjective(server, root.contextId)) as Answer, {
    status: 'completed',
    progress: { total: 3, completed: 2, canceled: 1 },
  })
})
