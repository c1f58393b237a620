import t from '../tap.ts'
import type { Answer } from '../wire/rpc.ts'
import { ask, call, send, sendPlans, until } from './client.ts'
import { addKey, type Principal } from './principals.ts'
import { held } from './scripted-agent.ts'
import { type ServerUnderTest, startServer } from './server.ts'
import { type Received, startReceiver } from './webhook-receiver.ts'

const PUSH = { allow: ['127.0.0.1'], backoffSeconds: 0.05, maxBackoffSeconds: 0.1, pollSeconds: 0.2, timeoutSeconds: 1 }
const FIXED = { config: { push: PUSH } }

async function begin(server: ServerUnderTest, text: string, url: string, more: object = {}): Promise<Answer> {
  server.agent.when(text, held)
  const configuration = { blocking: false, pushNotificationConfig: { id: 'mine', url, ...more } }
  const task = await send(server, text, { wait: false, params: { configuration } })
  await server.agent.begun(text)
  return task
}

const states = (all: readonly Received[]) => all.map(({ body }) => body.status.state)
const ids = (all: readonly Received[]) => all.map(({ headers }) => String(headers['webhook-id']))

async function deliveriesOf(server: ServerUnderTest, filter: object): Promise<Answer[]> {
  return (await ask(server, 'pushNotifications/deliveries', filter)).deliveries.toReversed()
}

/** Looks until the deliveries are as wanted: marking one follows its answer. */
async function deliveriesUntil(
  server: ServerUnderTest,
  filter: object,
  is: (all: Answer[]) => boolean,
): Promise<Answer[]> {
  for (;;) {
    const all = await deliveriesOf(server, filter)
    if (is(all)) return all
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
}

t.test('what fails is tried again under the same id, and what comes later waits its turn', async (t) => {
  const server = await startServer(t, FIXED)
  const receiver = await startReceiver(t, (_, n, response) => response.writeHead(n <= 2 ? 500 : 200).end())
  const task = await begin(server, 'Try again', receiver.url)
  ;(await server.agent.begun('Try again')).complete()
  const all = await receiver.count(5)
  t.same(states(all), ['working', 'working', 'working', 'working', 'completed'])
  const [first, second, third, fourth, fifth] = ids(all)
  t.same([second, third], [first, first], 'the same delivery three times')
  t.equal(new Set([first, fourth, fifth]).size, 3)
  const ended = await deliveriesUntil(server, { taskId: task.id, state: 'delivered' }, ({ length }) => length === 3)
  t.match(ended[0], {
    id: first,
    configId: 'mine',
    taskId: task.id,
    contextId: task.contextId,
    attempts: 3,
    lastStatus: 200,
  })
  t.match(ended[0].endedAt, /^\d{4}-/)
  t.equal(await server.app.webhooks?.pending(), 0)
  t.match(server.app.webhooks?.counts, { delivered: 3, failed: 2, parked: 0 })
})

t.test('what nobody takes is given up in the end, and says why', async (t) => {
  const server = await startServer(t, { config: { push: { ...PUSH, retryHours: 1.5 / 3_600 } } })
  const receiver = await startReceiver(t, (_, __, response) =>
    response.writeHead(302, { location: '/elsewhere' }).end(),
  )
  const task = await begin(server, 'Give up', receiver.url)
  const [parked] = await deliveriesUntil(server, { taskId: task.id }, ([one]) => one?.state === 'parked')
  t.match(parked, { lastStatus: 302, lastError: /redirects are not followed/ })
  t.ok(parked.attempts > 1)
  t.same([...new Set(receiver.all.map(({ path }) => path))], ['/hook'], 'no redirect was followed')
})

t.test('a receiver that is gone is not asked again', async (t) => {
  const server = await startServer(t, FIXED)
  const receiver = await startReceiver(t, (_, __, response) => response.writeHead(410).end())
  const task = await begin(server, 'Gone', receiver.url)
  await deliveriesUntil(server, { taskId: task.id }, ([one]) => one?.state === 'parked')
  while ((await ask(server, 'tasks/pushNotificationConfig/list', { id: task.id })).length > 0)
    await new Promise(setImmediate)
  ;(await server.agent.begun('Gone')).complete()
  await until(server, task.id)
  t.equal((await deliveriesOf(server, { taskId: task.id })).length, 1)
  t.equal(receiver.all.length, 1)
})

t.test('a receiver that does not answer is let go of, and one that answers at length is not read', async (t) => {
  const server = await startServer(t, FIXED)
  const receiver = await startReceiver(t, (_, n, response) => {
    if (n > 1) response.writeHead(200).end(Buffer.alloc(5_000_000))
  })
  const task = await begin(server, 'Be silent', receiver.url)
  const [failed] = await deliveriesUntil(server, { taskId: task.id }, ([one]) => one?.attempts === 1)
  t.match(failed, { state: 'pending', lastError: /did not answer within 1 s/, nextAttemptAt: /^\d{4}-/ })
  const [done] = await deliveriesUntil(server, { taskId: task.id }, ([one]) => one?.state === 'delivered')
  t.equal(done.attempts, 2)
})

t.test('an objective tells every event of its stream, and a planned root only its own', async (t) => {
  const server = await startServer(t, FIXED)
  const receiver = await startReceiver(t)
  server.agent.when('one', held)
  const plan = {
    name: 'plan',
    tasks: [
      { name: 'one', agent: 'agent' },
      { name: 'two', dependencies: ['one'] },
    ],
  }
  const tasks = plan.tasks.map(({ agent: _, ...task }) => task)
  const root = await sendPlans(server, [{ ...plan, tasks }], { wait: false })
  const run = await server.agent.begun('one')
  const config = (hook: string) => ({ url: `${receiver.url}/${hook}` })
  const { contextId } = root
  const set = await ask(server, 'objectives/pushNotificationConfig/set', {
    id: contextId,
    pushNotificationConfig: { id: 'tree', ...config('objective') },
  })
  t.match(set, { objectiveId: contextId, pushNotificationConfig: { id: 'tree' } })
  await ask(server, 'tasks/pushNotificationConfig/set', { taskId: root.id, pushNotificationConfig: config('root') })
  const from = (await ask(server, 'objectives/get', { id: contextId })).objective
  t.equal(from.status, 'working')
  run.complete()
  await until(server, root.id)
  await receiver.first(({ path, body }) => path === '/hook/root' && body.status.state === 'completed')
  await receiver.first(({ body }) => body.event?.type === 'objective.status' && body.event.data.status === 'completed')
  const of = (hook: string) => receiver.all.filter(({ path }) => path === `/hook/${hook}`)
  t.ok(of('root').every(({ body }) => body.id === root.id))
  const seqs = of('objective').map(({ body }) => body.event.seq)
  t.same(
    seqs,
    seqs.toSorted((a, b) => a - b),
  )
  const types = new Set(of('objective').map(({ body }) => body.event.type))
  for (const type of ['task.status', 'task.artifact', 'plan.status', 'objective.status']) t.ok(types.has(type), type)
  const objectives = await ask(server, 'pushNotifications/deliveries', {
    objectiveId: contextId,
    configId: 'tree',
    pageSize: 2,
  })
  t.equal(objectives.deliveries.length, 2)
  t.equal(objectives.totalSize, seqs.length)
  const next = { objectiveId: contextId, configId: 'tree', pageSize: 100, pageToken: objectives.nextPageToken }
  t.equal((await ask(server, 'pushNotifications/deliveries', next)).deliveries.length, seqs.length - 2)
})

t.test('an answer that turns out to be a Message is told to nobody but its sender', async (t) => {
  const server = await startServer(t, { config: { push: PUSH, limits: { firstEventSeconds: 5 } } })
  const receiver = await startReceiver(t)
  server.agent.when('Just say it', (run) => run.message('Said'))
  const configuration = { blocking: true, pushNotificationConfig: { url: receiver.url } }
  const answer = await send(server, 'Just say it', { params: { configuration } })
  t.equal(answer.kind, 'message')
  while ((await server.app.webhooks?.pending()) !== 0) await new Promise((resolve) => setTimeout(resolve, 20))
  t.same(receiver.all, [])
})

t.test('what is over is forgotten in time', async (t) => {
  const keep = { keepDeliveredHours: 0.000_000_1, keepParkedHours: 1 }
  const server = await startServer(t, { config: { push: { ...PUSH, ...keep } } })
  const receiver = await startReceiver(t, (_, n, response) => response.writeHead(n === 2 ? 410 : 200).end())
  const { id: taskId } = await begin(server, 'Forget', receiver.url)
  await deliveriesUntil(server, { taskId }, ([one]) => one?.state === 'delivered')
  ;(await server.agent.begun('Forget')).complete()
  await deliveriesUntil(server, { taskId }, (all) => all.length > 1 && all.every(({ state }) => state !== 'pending'))
  await server.app.webhooks?.forget()
  const left = await deliveriesOf(server, { taskId })
  t.same([...new Set(left.map(({ state }) => state))], ['parked'])
})

t.test('changes where nobody is told anything write nothing into the outbox', async (t) => {
  const server = await startServer(t, FIXED)
  await send(server, 'Tell nobody')
  const [{ count }] = (await server.query('SELECT count(*)::int AS count FROM webhook_queue')) as [{ count: number }]
  t.equal(count, 0)
})

t.test('receivers of one principal that do not answer hold up nobody else', async (t) => {
  const server = await startServer(t, {
    config: { auth: { mode: 'apiKeys' }, push: { ...PUSH, timeoutSeconds: 600, concurrent: 4 } },
  })
  const [slow, other] = [await addKey(server), await addKey(server)]
  const silent = await startReceiver(t, () => undefined)
  const answering = await startReceiver(t)
  const told = ({ headers }: Principal, text: string, url: string) => {
    const configuration = { blocking: true, pushNotificationConfig: { url } }
    return send(server, text, { headers, params: { configuration } })
  }
  await Promise.all(Array.from({ length: 40 }, (_, n) => told(slow, `Slow ${n}`, silent.url)))
  await silent.count(1)
  await told(other, 'Quick', answering.url)
  t.same(states(await answering.count(3)), ['working', 'working', 'completed'], 'the other one is told at once')
  t.equal(silent.all.length, 1, 'the slow one has its share of the four, and no more')
})

t.test('what was given up can be tried again by hand, over every binding', async (t) => {
  const server = await startServer(t, { config: { push: { ...PUSH, retryHours: 0.2 / 3_600 } } })
  let well = false
  const receiver = await startReceiver(t, (_, __, response) => response.writeHead(well ? 200 : 500).end())
  const task = await begin(server, 'Come back', receiver.url)
  ;(await server.agent.begun('Come back')).complete()
  const of = { taskId: task.id }
  const [first, second] = await deliveriesUntil(server, { ...of, state: 'parked' }, ({ length }) => length === 3)
  well = true
  const back = (await ask(server, 'pushNotifications/retry', { id: first.id })).delivery
  t.match(back, { id: first.id, state: 'pending', attempts: first.attempts, endedAt: undefined })
  await deliveriesUntil(server, of, ([one]) => one.state === 'delivered')
  const { status } = await fetch(`${server.baseUrl}/pushNotificationDeliveries/${second.id}:retry`, { method: 'POST' })
  t.equal(status, 200)
  const ended = await deliveriesUntil(server, of, ([, two]) => two.state === 'delivered')
  t.match(ended, [{ lastStatus: 200, attempts: first.attempts + 1 }, { lastStatus: 200 }, { state: 'parked' }])
  t.same(ids(receiver.all).slice(-2), [first.id, second.id], 'under the ids that they had')
  t.equal(await server.app.webhooks?.pending(), 0)
  const again = await call(server, 'pushNotifications/retry', { id: first.id })
  t.match(again.error, { code: -31042, message: /is delivered: only one that is parked/ })
})

t.test('what was given up with its configuration stays so', async (t) => {
  const server = await startServer(t, FIXED)
  const receiver = await startReceiver(t, (_, __, response) => response.writeHead(410).end())
  const task = await begin(server, 'Gone for good', receiver.url)
  const [parked] = await deliveriesUntil(server, { taskId: task.id }, ([one]) => one?.state === 'parked')
  while ((await ask(server, 'tasks/pushNotificationConfig/list', { id: task.id })).length > 0);
  const { error } = await call(server, 'pushNotifications/retry', { id: parked.id })
  t.match(error, { code: -31042, message: /is parked: its push notification configuration is gone/ })
})
