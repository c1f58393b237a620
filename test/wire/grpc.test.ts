import { once } from 'node:events'
import { status } from '@grpc/grpc-js'
import type { Test } from 'tap'
import { AgentCards } from '../../src/a2a/card.ts'
import { type GrpcOptions, GrpcServer } from '../../src/a2a/grpc-server.ts'
import { type Credentials, SCOPES } from '../../src/a2a/identity.ts'
import type { TaskFrame } from '../../src/a2a/trellis.ts'
import { TrellisError } from '../../src/base/errors.ts'
import { OpenCalls } from '../../src/http/open-calls.ts'
import { endOf, framesOf, RawClient, userText } from '../integration/grpc-raw.ts'
import t from '../tap.ts'
import { fakeTrellis } from './fake-trellis.ts'

/** gRPC over the double: who calls, what is not told, and readers that do not read. */

const CARD = { name: 'T', description: 'd', version: '1', publicUrl: 'http://localhost', skills: [], optLimits: {} }

async function startGrpc(t: Test, options: Partial<GrpcOptions> = {}) {
  const { fake, trellis } = fakeTrellis()
  const shown: Credentials[] = []
  const failures: unknown[] = []
  const server = new GrpcServer({
    trellis,
    cards: new AgentCards(CARD),
    authenticate: (credentials) => {
      shown.push(credentials)
      if (credentials.apiKey === 'wrong') throw new TrellisError('unauthenticated', 'The key is not known')
      const scopes = credentials.apiKey === 'reader' ? (['read'] as const) : SCOPES
      return { tenant: 'default', owner: 'anonymous', scopes }
    },
    readers: { bufferBytes: 64 * 1024, stallSeconds: 0.5 },
    bodyBytes: 1024 * 1024,
    heartbeatSeconds: 15,
    calls: new OpenCalls(),
    onFailure: (error) => failures.push(error),
    ...options,
  })
  const port = await server.listen('127.0.0.1', 0)
  t.teardown(() => server.close())
  return { fake, shown, failures, server, client: new RawClient(t, `127.0.0.1:${port}`) }
}

const send = (text: string) => ({ tenant: '', message: userText(text), metadata: undefined })

t.test('who calls stands in metadata, and every call is asked', async (t) => {
  const { client, shown } = await startGrpc(t)
  await client.unary('sendMessage', send('What is 2 + 2?'), { authorization: 'Bearer abc', 'x-api-key': 'k' })
  t.strictSame(shown, [{ authorization: 'Bearer abc', apiKey: 'k', address: '127.0.0.1' }])
  const wrong = { 'x-api-key': 'wrong' }
  const refusal = { code: status.UNAUTHENTICATED, info: { reason: 'UNAUTHENTICATED', domain: 'trellis' } }
  t.match(await endOf(client.unary('getTask', { tenant: '', id: 'x' }, wrong)), refusal)
  t.match(await endOf(client.unary('legacyGetTask', { name: 'tasks/x', historyLength: 0 }, wrong)), refusal)
  t.match(await endOf(framesOf(client.stream('sendStreamingMessage', send('x'), wrong))), refusal)
  t.match(await endOf(client.unary('sendMessage', send('x'), { 'x-api-key': 'reader' })), {
    code: status.PERMISSION_DENIED,
    info: { reason: 'FORBIDDEN', metadata: { scope: 'write' } },
  })
})

t.test('what goes wrong inside is told to the log, not to the caller', async (t) => {
  const { client, fake, failures } = await startGrpc(t)
  fake.failure = new Error('password is 1234')
  const end = await endOf(client.unary('getTask', { tenant: '', id: 'x' }))
  t.match(end, { code: status.INTERNAL, message: 'Internal error', types: ['ErrorInfo'] })
  t.notMatch(JSON.stringify(end), /1234/)
  t.match(failures, [/1234/])
  fake.failure = new TrellisError('unavailable', 'The database cannot be reached')
  t.match(await endOf(client.unary('getTask', { tenant: '', id: 'x' })), {
    code: status.UNAVAILABLE,
    types: ['ErrorInfo', 'RetryInfo'],
    texts: [String, '\n\u0002\b\u0002'],
  })
  fake.failure = new TrellisError('limitExceeded', 'x'.repeat(50_000), { details: { why: 'y'.repeat(50_000) } })
  const long = await endOf(client.unary('getTask', { tenant: '', id: 'x' }))
  t.match(long, { code: status.RESOURCE_EXHAUSTED, types: ['ErrorInfo'], info: { reason: 'LIMIT_EXCEEDED' } })
})

t.test('push configurations pass as they come', async (t) => {
  const { client } = await startGrpc(t)
  const config = { tenant: '', taskId: 'none', url: 'https://example.com/hook', id: 'c', token: '' }
  const end = await endOf(client.unary('createTaskPushNotificationConfig', config))
  t.match(end.info?.reason, /TASK_NOT_FOUND|PUSH_NOTIFICATION_NOT_SUPPORTED/)
})

/** A task that works, and how it goes on. */
async function started({ client, fake }: Awaited<ReturnType<typeof startGrpc>>) {
  const { answer } = await client.unary('sendMessage', { ...send('Feed the cat'), configuration: NOW })
  const { id, contextId } = (answer.payload?.value ?? {}) as { id: string; contextId: string }
  const place = { taskId: id, contextId, append: true, lastChunk: false, metadata: {}, last: false }
  const publish = (seq: number, text: string) => {
    const frame: TaskFrame = { kind: 'artifact', seq, ...place, artifact: { artifactId: 'a', parts: [{ text }] } }
    fake.publish(contextId, frame)
  }
  return { id, context: fake.context(contextId), publish }
}
const NOW = {
  acceptedOutputModes: [],
  taskPushNotificationConfig: undefined,
  historyLength: undefined,
  returnImmediately: true,
}

t.test('a slow reader is cut off and told where to resume, and nobody else waits for it', async (t) => {
  const server = await startGrpc(t)
  const { id, context, publish } = await started(server)
  const deaf = server.client.stream('subscribeToTask', { tenant: '', id })
  // The client library takes a few frames before it asks to be spared.
  const frames: unknown[] = await once(deaf, 'data')
  deaf.pause()
  // Its own connection: the window of a connection is shared by its streams.
  const other = (await secondClient(t, server)).stream('subscribeToTask', { tenant: '', id })
  const seen: unknown[] = []
  other.on('data', (frame) => seen.push(frame))
  other.on('error', () => undefined)
  await once(other, 'data')
  const text = 'x'.repeat(256 * 1024)
  for (let seq = 2; seq <= 41; seq += 1) publish(seq, text)
  while (context.followers > 1) await new Promise((resolve) => setImmediate(resolve))
  while (seen.length < 41) await once(other, 'data')
  deaf.on('data', (frame) => frames.push(frame))
  deaf.resume()
  const [error] = await once(deaf, 'error')
  const end = await endOf(Promise.reject(error))
  t.match(end, { code: status.RESOURCE_EXHAUSTED, message: /resume with Last-Event-ID: \d+/ })
  t.ok(frames.length < 40, 'little was kept for it')
  t.equal(end.info?.metadata['lastEventId'], String(frames.length), 'all before was delivered')
  other.cancel()
})

async function secondClient(t: Test, server: Awaited<ReturnType<typeof startGrpc>>) {
  return new RawClient(t, server.client.client.getChannel().getTarget().replace(/^dns:/, ''), { own: true })
}

t.test('streams that are left, by cancel or by deadline, are followed no more', async (t) => {
  const server = await startGrpc(t)
  const { id, context } = await started(server)
  const left = server.client.stream('subscribeToTask', { tenant: '', id })
  left.on('error', () => undefined)
  const late = server.client.stream('subscribeToTask', { tenant: '', id }, {}, { deadline: Date.now() + 300 })
  late.on('error', () => undefined)
  await Promise.all([once(left, 'data'), once(late, 'data')])
  t.equal(context.followers, 2)
  left.cancel()
  while (context.followers > 0) await new Promise((resolve) => setImmediate(resolve))
  t.pass('nobody follows')
})

t.test('a stream ends with its key', async (t) => {
  const controllers: AbortController[] = []
  const calls = new OpenCalls()
  const open = calls.open.bind(calls)
  calls.open = (credentials) => {
    const controller = open(credentials)
    controllers.push(controller)
    return controller
  }
  const server = await startGrpc(t, { calls })
  const { id } = await started(server)
  const stream = server.client.stream('subscribeToTask', { tenant: '', id })
  await once(stream, 'data')
  const end = endOf(framesOf(stream))
  controllers.at(-1)?.abort(new TrellisError('unauthenticated', 'The key was revoked'))
  t.match(await end, { code: status.UNAUTHENTICATED, message: 'The key was revoked' })
})

t.test('stopping waits for no reader that does not read', async (t) => {
  const server = await startGrpc(t, { readers: { bufferBytes: 64 * 1024, stallSeconds: 600 } })
  const { id, context, publish } = await started(server)
  const deaf = server.client.stream('subscribeToTask', { tenant: '', id })
  const gone = once(deaf, 'error')
  await once(deaf, 'data')
  deaf.pause()
  const other = (await secondClient(t, server)).stream('subscribeToTask', { tenant: '', id })
  const otherGone = once(other, 'error')
  let seen = 0
  other.on('data', () => {
    seen += 1
  })
  await once(other, 'data')
  for (let seq = 2; seq <= 41; seq += 1) publish(seq, 'x'.repeat(256 * 1024))
  while (seen < 41) await once(other, 'data')
  await server.server.close()
  t.equal(context.followers, 0)
  const [told] = await otherGone
  t.equal(told.code, status.UNAVAILABLE, 'who reads is told')
  deaf.resume()
  const [error] = await gone
  t.ok(error.code !== status.OK, error.message)
})
