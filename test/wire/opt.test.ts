import { SCOPES } from '../../src/a2a/identity.ts'
import type { CreatePlan, ReplanRequest, SendRequest, TaskFilter } from '../../src/a2a/trellis.ts'
import t from '../tap.ts'
import { call, OPT, OPT_DIALECT, post, userMessage, V1 } from './rpc.ts'
import { documents } from './scenarios/documents.ts'
import { opt } from './scenarios/opt.ts'
import { startDouble } from './start-double.ts'

t.test('documents', async (t) => documents(t, await startDouble(t)))
t.test('opt', async (t) => opt(t, await startDouble(t)))

t.test('the documents print pictures in their own spelling', async (t) => {
  const server = await startDouble(t)
  const message = userMessage('Generate an image of a sailboat on the ocean.')
  const legacy = (await call(server, 'message/send', { message })).result
  t.match(legacy.artifacts, [
    {
      artifactId: String,
      name: 'sailboat_image.png',
      description: 'A generated image of a sailboat on the ocean.',
      parts: [{ kind: 'file', file: { name: 'sailboat_image.png', mimeType: 'image/png', bytes: String } }],
    },
  ])
  const dotted = (await call(server, 'message.send', { message })).result
  const bytes = Buffer.from('a sailboat').toString('base64')
  t.strictSame(dotted.artifacts[0].parts, [
    { file: { name: 'sailboat_image.png', mediaType: 'image/png', fileWithBytes: bytes } },
  ])
  t.strictSame(Object.keys(dotted), ['id', 'contextId', 'status', 'artifacts', 'history'])
  const extension = (await call(server, 'message/send', { message }, OPT_DIALECT)).result
  t.match(extension.task.artifacts[0].parts, [{ type: 'file', kind: 'file', file: { mimeType: 'image/png', bytes } }])
})

t.test('each version has its own flag for waiting', async (t) => {
  const server = await startDouble(t)
  const cases: [string, object | undefined, Record<string, string>, boolean][] = [
    ['message/send', undefined, {}, true],
    ['message/send', {}, {}, true],
    ['message/send', { blocking: true }, {}, true],
    ['message/send', { blocking: false }, {}, false],
    ['message/send', { returnImmediately: true }, {}, true],
    ['message.send', undefined, {}, true],
    ['message.send', { blocking: false }, OPT_DIALECT, false],
    ['SendMessage', undefined, V1, true],
    ['SendMessage', { returnImmediately: true }, V1, false],
    ['SendMessage', { blocking: false }, V1, true],
    ['message/send', undefined, OPT_DIALECT, false],
    ['message/send', { blocking: true }, OPT_DIALECT, true],
    ['message/send', undefined, { 'X-A2A-Extensions': OPT }, true],
    ['message/send', undefined, { ...OPT_DIALECT, 'A2A-Version': '0.3' }, true],
    ['message/send', undefined, { ...OPT_DIALECT, 'X-A2A-Extensions': OPT }, true],
  ]
  for (const [method, configuration, headers, wait] of cases) {
    await call(server, method, { message: userMessage('Feed the cat'), configuration }, headers)
    t.equal((server.fake.last.given as SendRequest).wait, wait, `${method} ${JSON.stringify(configuration)}`)
  }
  const params = { message: userMessage('Feed the cat') }
  await post(server, JSON.stringify({ jsonrpc: '2.0', method: 'message/send', params }))
  t.equal((server.fake.last.given as SendRequest).wait, false, 'nobody waits for a notification')
})

t.test('a send reaches Trellis in its own words', async (t) => {
  const server = await startDouble(t)
  const message = userMessage('Feed the cat', { referenceTaskIds: ['task-9'], extensions: [OPT], metadata: { a: 1 } })
  const configuration = { acceptedOutputModes: ['text/plain'], historyLength: 0 }
  await call(server, 'message/send', { message, configuration, metadata: { b: 2 } }, { 'X-A2A-Extensions': OPT })
  const { caller, given } = server.fake.last
  t.strictSame(caller, { tenant: 'default', owner: 'anonymous', scopes: SCOPES, extensions: [OPT] })
  t.match(given, {
    message: { role: 'user', parts: [{ text: 'Feed the cat' }], referenceTaskIds: ['task-9'], metadata: { a: 1 } },
    configuration,
    metadata: { b: 2 },
    wait: true,
  })
})

t.test('plans/create takes tasks as the extension has them', async (t) => {
  const server = await startDouble(t)
  const { id } = (await call(server, 'objectives/create', { name: 'Trip' })).result.objective
  const tasks = [
    { name: 'Flight', key: 'flight', agent: 'travel', retry: { maxAttempts: 3 }, timeoutSeconds: 60 },
    { name: 'Hotel', id: 'hotel', skill: 'booking', dependencies: ['flight'], optional: true },
    { name: 'Spa', dependencies: ['task-2', 'task-1'] },
    { name: 'Sauna', dependencies: ['hotel', 'nothing'] },
  ]
  const policies = { onFailure: 'continue', alternativeTo: 'plan-1', dependencies: ['plan-2'] }
  await call(server, 'plans/create', { objectiveId: id, name: 'Go', tasks, ...policies })
  const given = server.fake.last.given as CreatePlan
  t.match(given, { objectiveId: id, name: 'Go', run: false, ...policies })
  t.strictSame(given.tasks, [
    { name: 'Flight', agent: 'travel', retry: { maxAttempts: 3 }, timeoutSeconds: 60, key: 'flight', dependencies: [] },
    { name: 'Hotel', skill: 'booking', optional: true, key: 'hotel', dependencies: ['flight'] },
    { name: 'Spa', key: 'task-3', dependencies: ['hotel', 'flight'], manual: true },
    { name: 'Sauna', key: 'task-4', dependencies: ['hotel', 'nothing'], manual: true },
  ])
  await call(server, 'plans/create', { objectiveId: id, name: 'Run', tasks: [{ name: 'Flight' }], run: true })
  t.strictSame((server.fake.last.given as CreatePlan).tasks, [{ name: 'Flight', key: 'task-1', dependencies: [] }])
})

t.test('objectives/replan takes new tasks, and tasks to carry over', async (t) => {
  const server = await startDouble(t)
  const { id } = (await call(server, 'objectives/create', { name: 'Trip' })).result.objective
  const replan = async (plans: object[], more = {}) => {
    const { error } = await call(server, 'objectives/replan', { id, plans, ...more })
    t.notOk(error)
    return server.fake.last.given as ReplanRequest & { id: string }
  }
  const tasks = [
    { taskId: 'task-9', key: 'flight' },
    { taskId: 'task-8', dependencies: ['flight'] },
    { name: 'Hotel', dependencies: ['task-9', 'task-2'], plans: [], taskIds: 'not read' },
    { name: 'Spa', agent: 'booking', dependencies: ['Hotel'] },
  ]
  const given = await replan([
    { name: 'Go', tasks },
    { name: 'Back', dependencies: ['Go', 'plan-of-old'], run: true },
  ])
  t.match(given, { id, running: 'cancel', plans: [{ key: 'plan-1' }, { dependencies: ['plan-1', 'plan-of-old'] }] })
  t.strictSame(given.plans[0]?.tasks, [
    { key: 'flight', name: 'task-9', taskId: 'task-9', dependencies: [] },
    { key: 'task-8', name: 'task-8', taskId: 'task-8', dependencies: ['flight'] },
    { name: 'Hotel', key: 'plan-1/task-3', dependencies: ['flight', 'task-8'], manual: true },
    { name: 'Spa', agent: 'booking', key: 'plan-1/task-4', dependencies: ['plan-1/task-3'] },
  ])
  const change = { taskId: 'task-1', running: 'keep', reason: 'rain', expectedRevision: 3 }
  const { plans: _, ...rest } = await replan([{ name: 'Go', tasks: [{ name: 'Walk' }] }], change)
  t.strictSame(rest, { id, ...change })
})

t.test('plans that are created carry nothing over, whatever they say', async (t) => {
  const server = await startDouble(t)
  const tasks = [{ name: 'Mine now', taskId: 'task-9', plans: 5, manual: false, parts: 'x' }]
  await call(server, 'objectives/create', { name: 'Trip', plans: [{ name: 'Go', run: true, tasks }] })
  const made = server.fake.calls.findLast(({ method }) => method === 'createObjective')
  const given = made?.given as ReplanRequest | undefined
  t.strictSame(given?.plans[0]?.tasks, [{ name: 'Mine now', key: 'task-1', dependencies: [] }])
})

t.test('lists ask for exactly what the params say', async (t) => {
  const server = await startDouble(t)
  await call(server, 'ListTasks', {}, V1)
  const plain: TaskFilter = { historyLength: 0, includeArtifacts: false, pageSize: 50, leaveOutPlannedRoots: false }
  t.strictSame(server.fake.last.given, plain)
  const statusTimestampAfter = '2026-01-01T00:00:00.000Z'
  const more = {
    contextId: 'c',
    pageSize: 2,
    pageToken: 'p',
    historyLength: 3,
    includeArtifacts: true,
    statusTimestampAfter,
  }
  await call(server, 'ListTasks', { ...more, status: 'TASK_STATE_INPUT_REQUIRED' }, V1)
  t.strictSame(server.fake.last.given, { ...plain, ...more, state: 'input-required' })
  await call(server, 'tasks/list', { status: 'auth-required' }, { 'X-A2A-Extensions': OPT })
  t.strictSame(server.fake.last.given, { ...plain, state: 'auth-required', leaveOutPlannedRoots: true })
  await call(server, 'ListTasks', { status: 'TASK_STATE_UNSPECIFIED' }, V1)
  t.strictSame(server.fake.last.given, plain)
})
