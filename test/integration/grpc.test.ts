import { once } from 'node:events'
import { status } from '@grpc/grpc-js'
import { OPT_URI } from '../../src/a2a/call.ts'
import t from '../tap.ts'
import { Bytes, endOf, framesOf, RawClient, userText } from './grpc-raw.ts'
import type { Run } from './scripted-agent.ts'
import { startServer } from './server.ts'

/** What a gRPC client notices beside the answers themselves: metadata, ends of calls, deadlines, limits. */

const server = await startServer(t, { config: { grpc: { port: 0 }, limits: { bodyBytes: 100_000 } } })
const client = new RawClient(t, server.grpc ?? '')
const { agent } = server
t.beforeEach(() => agent.forget())

const send = (text: string, more = {}) => ({ tenant: '', message: userText(text), metadata: undefined, ...more })
/** Says that it works, so that the task is in sight, and leaves the rest to the test. */
const working = (run: Run) => {
  run.say('working')
  return run.left
}
const task = (id: string) => ({ tenant: '', id })

t.test('the card declares it for both versions', async (t) => {
  const response = await fetch(`${server.baseUrl}/.well-known/agent-card.json`)
  const card = (await response.json()) as Record<string, object[]>
  const declared = card['supportedInterfaces']?.filter(
    (one) => 'GRPC' === (one as Record<string, string>)['protocolBinding'],
  )
  t.match(declared, [
    { url: server.grpc, protocolVersion: '1.0' },
    { url: server.grpc, protocolVersion: '0.3' },
  ])
  t.match(
    card['additionalInterfaces']?.find((one) => (one as Record<string, string>)['transport'] === 'GRPC'),
    { url: server.grpc },
  )
})

t.test('data may be null', async (t) => {
  const part = {
    content: { $case: 'data', value: null },
    filename: '',
    mediaType: 'a/b',
    metadata: { kept: null },
  } as const
  agent.when('null', working)
  const message = userText('null')
  const configuration = { returnImmediately: true, acceptedOutputModes: [], taskPushNotificationConfig: undefined }
  const { answer } = await client.unary(
    'sendMessage',
    send('null', { message: { ...message, parts: [...message.parts, part] }, configuration }),
  )
  t.match(answer.payload, { $case: 'task', value: { history: [{ parts: [{}, part] }] } })
})

t.test('errors have the canonical code and say why, in the way of google.rpc', async (t) => {
  t.match(await endOf(client.unary('getTask', task('none'))), {
    code: status.NOT_FOUND,
    message: 'Task not found: none',
    same: true,
    types: ['ErrorInfo'],
    info: { reason: 'TASK_NOT_FOUND', domain: 'a2a-protocol.org', metadata: { taskId: 'none' } },
  })
  const bad = await endOf(client.unary('sendMessage', send('x', { message: { ...userText('x'), parts: [] } })))
  t.match(bad, { code: status.INVALID_ARGUMENT, types: ['ErrorInfo', 'BadRequest'], texts: [String, /message.parts/] })
  t.match(await endOf(client.unary('getExtendedAgentCard', { tenant: '' })), {
    code: status.FAILED_PRECONDITION,
    info: { reason: 'UNSUPPORTED_OPERATION' },
  })
  t.match(await endOf(client.unary('getTask', new Bytes(Buffer.from([0xff, 0xff])))), {
    code: status.INVALID_ARGUMENT,
    info: { reason: 'PARSE_ERROR' },
  })
  t.match(await endOf(client.unary('getTask', { ...task('x'), tenant: 'another' })), { code: status.NOT_FOUND })
  t.match(await endOf(client.unary('legacyGetTask', { name: 'none', historyLength: 0 })), {
    code: status.INVALID_ARGUMENT,
    message: /name: was "none"; expected tasks\/<id>/,
  })
  const deep = { a: {} }
  for (let at: Record<string, object> = deep, level = 0; level < 300; level += 1) at = at['a'] = { a: {} } as never
  t.match(await endOf(client.unary('sendMessage', send('x', { metadata: deep }))), { code: status.INVALID_ARGUMENT })
  t.match(await endOf(client.unary('sendMessage', send('nul \0'))), { message: /NUL/ })
  const large = send('x'.repeat(200_000))
  t.match(await endOf(client.unary('sendMessage', large)), { code: status.RESOURCE_EXHAUSTED })
})

t.test('a message of the error that cannot be written as a URI does no harm', async (t) => {
  const name = `${'x'.repeat(55)}\u{1F600}\u{1F600}`
  t.match(await endOf(client.unary('legacyGetTask', { name, historyLength: 0 })), { code: status.INVALID_ARGUMENT })
  const long = await endOf(client.unary('getTask', task('é'.repeat(250))))
  t.match(long, { code: status.NOT_FOUND, same: true })
})

t.test('versions: the service says it, metadata may, but not another', async (t) => {
  for (const version of ['1.0', '1.0.1']) {
    await client.unary('sendMessage', send('What is 2 + 2?'), { 'a2a-version': version })
  }
  const info = { reason: 'VERSION_NOT_SUPPORTED' }
  const tried = (version: string) => endOf(client.unary('getTask', task('x'), { 'a2a-version': version }))
  t.match(await tried('0.3'), { code: status.FAILED_PRECONDITION, info, message: /service is that of 1\.0/ })
  t.match(await tried('2.0'), { code: status.FAILED_PRECONDITION, info, message: /supported are 1\.0 and 0\.3/ })
  const legacy = client.unary('legacyGetTask', { name: 'tasks/x', historyLength: 0 }, { 'a2a-version': '1.0' })
  t.match(await endOf(legacy), { code: status.FAILED_PRECONDITION, info })
  const { answer } = await client.unary('getAgentCard', {})
  t.match(answer, { name: 'Trellis', protocolVersion: /^0\.3/, preferredTransport: 'JSONRPC' }, 'the public card')
})

t.test('extensions that were activated are named in the initial metadata', async (t) => {
  const asked = `${OPT_URI}, https://example.com/unknown/v1`
  const { initial } = await client.unary('sendMessage', send('What is 2 + 2?'), { 'a2a-extensions': asked })
  t.strictSame(initial.get('a2a-extensions'), [OPT_URI])
  const message = { ...userText('x'), metadata: { 'opt/v1/plans': [{ name: 'Build', tasks: ['Dig'] }] } }
  const both = await client.unary('sendMessage', send('', { message }), { 'x-a2a-extensions': OPT_URI })
  t.strictSame(both.initial.get('x-a2a-extensions'), [OPT_URI])
  const { payload } = both.answer
  t.match(payload, { $case: 'task', value: { metadata: { 'opt/v1/objective': { plans: [{ name: 'Build' }] } } } })
  const stream = client.stream('sendStreamingMessage', send('Dig'), { 'a2a-extensions': OPT_URI })
  const [metadata] = await once(stream, 'metadata')
  t.strictSame(metadata.get('a2a-extensions'), [OPT_URI])
  await framesOf(stream)
})

t.test('a stream goes on after the event that last-event-id names', async (t) => {
  agent.when('Paint', working)
  const first = client.stream('sendStreamingMessage', send('Paint'))
  const [frame] = await once(first, 'data')
  const { id } = frame.payload.value
  first.on('error', () => undefined)
  first.cancel()
  const run = await agent.begun('Paint')
  const all = client.stream('subscribeToTask', task(id))
  await once(all, 'data')
  run.complete('a sea')
  t.equal((await framesOf(all)).at(-1)?.payload?.$case, 'statusUpdate')
  const resumed = await framesOf(client.stream('subscribeToTask', task(id), { 'last-event-id': '1' }))
  t.notOk(resumed.some(({ payload }) => payload?.$case === 'task'))
  t.ok(resumed.some(({ payload }) => payload?.$case === 'artifactUpdate'))
  const wrong = client.stream('subscribeToTask', task(id), { 'last-event-id': 'yesterday' })
  t.match(await endOf(framesOf(wrong)), { code: status.INVALID_ARGUMENT })
  t.match(await endOf(framesOf(client.stream('subscribeToTask', task(id)))), {
    code: status.FAILED_PRECONDITION,
    info: { reason: 'UNSUPPORTED_OPERATION' },
  })
})

t.test('a deadline ends a wait or a stream, and the task goes on', async (t) => {
  agent.when('Think', working)
  const deadline = () => ({ deadline: Date.now() + 600 })
  const late = await endOf(client.unary('sendMessage', send('Think'), {}, deadline()))
  t.equal(late.code, status.DEADLINE_EXCEEDED)
  const stream = client.stream('sendStreamingMessage', send('Think'), {}, deadline())
  const [first] = await once(stream, 'data')
  t.match(await endOf(framesOf(stream)), { code: status.DEADLINE_EXCEEDED })
  t.ok(agent.runs.every(({ open }) => open) && agent.runs.length === 2)
  for (const run of agent.runs) run.complete()
  const { answer } = await client.unary('getTask', task(first.payload.value.id))
  t.equal(answer.id, first.payload.value.id)
})

t.test('a caller that leaves is waited for by nobody', async (t) => {
  agent.when('Think', working)
  const sent = client.unary(
    'sendMessage',
    send('Think'),
    {},
    {
      started: (call) => void agent.begun('Think').then(() => call.cancel()),
    },
  )
  t.match(await endOf(sent), { code: status.CANCELLED })
  const [run] = agent.runs
  t.ok(run?.open, 'its task goes on')
  run?.complete()
})

t.test('callers show who they are in metadata, on both services', async (t) => {
  const config = {
    grpc: { port: 0 },
    card: { requiredExtensions: ['https://example.com/audit/v1'] },
  }
  const strict = await startServer(t, { config })
  const asks = new RawClient(t, strict.grpc ?? '')
  t.match(await endOf(asks.unary('getTask', task('x'))), {
    code: status.FAILED_PRECONDITION,
    info: { reason: 'EXTENSION_SUPPORT_REQUIRED' },
  })
  const named = { 'a2a-extensions': 'https://example.com/audit/v1' }
  t.match(await endOf(asks.unary('getTask', task('x'), named)), { code: status.NOT_FOUND })
})

t.test('stopping ends streams and waits, and says so', async (t) => {
  const stopping = await startServer(t, { config: { grpc: { port: 0 } } })
  const follower = new RawClient(t, stopping.grpc ?? '')
  stopping.agent.when('Wait', working)
  const stream = follower.stream('sendStreamingMessage', send('Wait'))
  await once(stream, 'data')
  const waiting = follower.unary('sendMessage', send('Wait too'))
  await stopping.agent.nextRun(1)
  const ended = endOf(framesOf(stream))
  const answered = waiting.then(
    () => 'answered',
    () => 'refused',
  )
  await stopping.close()
  const end = await ended
  t.match(end, {
    code: status.UNAVAILABLE,
    message: /stopping; resume with last-event-id: \d+/,
    types: ['ErrorInfo', 'RetryInfo'],
  })
  t.match(end.info?.metadata, { lastEventId: /^\d+$/ })
  t.match(await answered, /answered|refused/)
})

t.test('a port that is taken is named', async (t) => {
  const port = Number(server.grpc?.split(':').at(-1))
  await t.rejects(startServer(t, { config: { grpc: { port } } }), /gRPC cannot listen on 127\.0\.0\.1:\d+.*grpc\.port/)
})
