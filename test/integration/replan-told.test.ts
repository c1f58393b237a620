import t from '../tap.ts'
import { nextResult, open } from '../wire/rpc.ts'
import { type Answer, ask, OPT_03, replan, sendPlans, tasksOf, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'
import { startReceiver } from './webhook-receiver.ts'

const server = await startServer(t, {
  config: { push: { allow: ['127.0.0.1'], backoffSeconds: 0.05, pollSeconds: 0.5 } },
})
const { agent } = server
t.beforeEach(() => agent.forget())

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
  const { plans } = await replan(server, root.contextId, [{ name: 'New', run: true, tasks }], { reason: 'no time' })
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
