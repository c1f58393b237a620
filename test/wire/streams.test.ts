import { once } from 'node:events'
import { request } from 'node:http'
import type { TaskFrame } from '../../src/a2a/trellis.ts'
import t from '../tap.ts'
import { call, nextResult, open, post, type Server, userMessage, V1 } from './rpc.ts'
import { streams } from './scenarios/streams.ts'
import { type Double, startDouble } from './start-double.ts'

t.test('streams', async (t) => streams(t, await startDouble(t)))

async function start(server: Server): Promise<{ id: string; contextId: string }> {
  const params = { message: userMessage('Feed the cat'), configuration: { blocking: false } }
  return (await call(server, 'message/send', params)).result
}

function artifact(contextId: string, taskId: string, seq: number, text: string): TaskFrame {
  const content = { artifact: { artifactId: 'artifact-1', parts: [{ text }] }, append: false, lastChunk: true }
  return { kind: 'artifact', seq, taskId, contextId, ...content, metadata: { a: 1 }, last: false }
}

t.test('a task is followed to its end, as each version writes it', async (t) => {
  const server = await startDouble(t)
  for (const [method, headers] of [
    ['tasks/resubscribe', {}],
    ['SubscribeToTask', V1],
  ] as const) {
    const { id, contextId } = await start(server)
    const stream = await open(server, method, { id }, headers)
    const first = await nextResult(stream)
    t.equal((first.task ?? first).id, id)
    server.fake.publish(contextId, artifact(contextId, id, 2, 'a fed cat'))
    const picture = await nextResult(stream)
    server.fake.task(id).seq = 2
    server.fake.move(id, 'completed')
    const { value } = await stream.events.next()
    t.equal(value?.id, '3')
    t.ok((await stream.events.next()).done)
    if (method === 'SubscribeToTask') {
      t.match(picture.artifactUpdate, {
        taskId: id,
        contextId,
        artifact: { parts: [{ text: 'a fed cat' }] },
        lastChunk: true,
      })
      t.match(value?.data.result.statusUpdate, { taskId: id, status: { state: 'TASK_STATE_COMPLETED' } })
      t.notOk('final' in (value?.data.result.statusUpdate ?? {}))
    } else {
      t.match(picture, {
        kind: 'artifact-update',
        artifact: { parts: [{ kind: 'text' }] },
        append: false,
        metadata: { a: 1 },
      })
      t.match(value?.data.result, { kind: 'status-update', status: { state: 'completed' }, final: true })
    }
    const late = await call(server, method, { id }, headers)
    t.equal(late.error.code, -32004, 'a task that has ended cannot be followed')
    const resumed = await open(server, method, { id }, { ...headers, 'Last-Event-ID': '2' })
    t.match((await resumed.events.next()).value, { id: '3' }, 'but what was missed can be had')
    t.ok((await resumed.events.next()).done)
  }
})

t.test('only the last frame is final, whatever task it tells of', async (t) => {
  const server = await startDouble(t)
  const { id, contextId } = await start(server)
  const stream = await open(server, 'tasks/resubscribe', { id })
  await nextResult(stream)
  const inner = { kind: 'status', seq: 2, taskId: 'task-inner', contextId, state: 'completed', last: false } as const
  server.fake.publish(contextId, { ...inner, timestamp: '2026-01-01T00:00:00.000Z', metadata: {} })
  t.match(await nextResult(stream), { taskId: 'task-inner', final: false })
  stream.leave()
})

t.test('dotted streams have no kind', async (t) => {
  const server = await startDouble(t)
  const { id } = await start(server)
  const stream = await open(server, 'tasks.resubscribe', { id })
  t.notOk('kind' in (await nextResult(stream)))
  server.fake.move(id, 'failed')
  t.strictSame(Object.keys(await nextResult(stream)), ['taskId', 'contextId', 'status', 'final'])
})

t.test('an objective is followed after an event, and its artifacts are joined in', async (t) => {
  const server = await startDouble(t)
  const { id } = (await call(server, 'objectives/create', { name: 'Trip' })).result.objective
  const data = { artifactId: 'a', append: false, lastChunk: true, artifactKey: 'row', from: 0, count: 1 }
  const time = '2026-01-01T00:00:00.000Z'
  const joined = { artifactId: 'a', parts: [{ raw: 'aGk=', mediaType: 'text/plain' }] }
  const status = { status: 'working', previous: 'planning' } as const
  server.fake.publishEvent(id, { kind: 'event', event: { seq: 2, time, type: 'objective.status', data: status } })
  const event = { seq: 3, time, type: 'task.artifact', taskId: 't', data, artifact: joined } as const
  server.fake.publishEvent(id, { kind: 'event', event })
  for (const [params, headers] of [
    [{ id, afterSeq: 2 }, {}],
    [{ id }, { 'Last-Event-ID': '2' }],
  ] as const) {
    const stream = await open(server, 'objectives/subscribe', params, headers)
    const { value } = await stream.events.next()
    t.equal(value?.id, '3')
    t.strictSame(value?.data.result.event, {
      seq: 3,
      time,
      type: 'task.artifact',
      taskId: 't',
      data: {
        artifactId: 'a',
        append: false,
        lastChunk: true,
        artifact: { artifactId: 'a', parts: [{ kind: 'file', file: { mimeType: 'text/plain', bytes: 'aGk=' } }] },
      },
    })
    stream.leave()
  }
})

t.test('a comment is sent while nothing happens', async (t) => {
  const server = await startDouble(t, { limits: { heartbeatSeconds: 0.02 } })
  const { id } = await start(server)
  const stream = await open(server, 'tasks/resubscribe', { id })
  await nextResult(stream)
  const next = stream.events.next()
  while (stream.comments.length < 2) await new Promise((resolve) => setImmediate(resolve))
  server.fake.move(id, 'completed')
  t.match((await next).value?.data.result, { status: { state: 'completed' } })
})

t.test('a stream that is resumed where nothing happens is open at once, and kept open', async (t) => {
  const server = await startDouble(t, { limits: { heartbeatSeconds: 0.02 } })
  const { id } = await start(server)
  const before = await open(server, 'tasks/resubscribe', { id })
  const seen = (await before.events.next()).value?.id
  before.leave()
  const stream = await open(server, 'tasks/resubscribe', { id }, { 'Last-Event-ID': seen ?? '' })
  t.equal(stream.response.headers.get('content-type'), 'text/event-stream')
  const next = stream.events.next()
  while (stream.comments.length < 2) await new Promise((resolve) => setImmediate(resolve))
  server.fake.move(id, 'completed')
  await next
  stream.leave()
})

t.test('a follower that leaves is cleaned up', async (t) => {
  const server = await startDouble(t)
  const { id, contextId } = await start(server)
  const stream = await open(server, 'tasks/resubscribe', { id })
  await nextResult(stream)
  const context = server.fake.context(contextId)
  t.equal(context.followers, 1)
  stream.leave()
  while (context.followers > 0) await new Promise((resolve) => setImmediate(resolve))
  t.equal(context.waiters.size, 0)
})

t.test('closing the server ends its streams', async (t) => {
  const server = await startDouble(t)
  const { id } = await start(server)
  const stream = await open(server, 'tasks/resubscribe', { id })
  await nextResult(stream)
  const closed = server.app.close()
  t.ok((await stream.events.next()).done)
  await closed
})

t.test('an error in the middle of a stream is its last frame', async (t) => {
  const server = await startDouble(t)
  const { id } = await start(server)
  const stream = await open(server, 'tasks/resubscribe', { id })
  await nextResult(stream)
  const broken = {
    kind: 'status',
    get seq() {
      throw new Error('secret')
    },
  } as unknown as TaskFrame
  server.fake.publish(server.fake.task(id).contextId, broken)
  t.match((await stream.events.next()).value?.data, {
    id: 'stream',
    error: { code: -32603, message: 'Internal error' },
  })
  t.ok((await stream.events.next()).done)
})

/** Follows a task, and reads nothing until `read` is called; then all there is. */
async function deafFollower(server: Double, id: string): Promise<{ read(): Promise<string> }> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/resubscribe', params: { id } })
  const headers = { 'content-type': 'application/json' }
  const sent = request(`${server.baseUrl}/`, { method: 'POST', headers })
  sent.end(body)
  const [response] = await once(sent, 'response')
  return {
    read: async () => {
      let text = ''
      for await (const chunk of response) text += chunk
      return text
    },
  }
}

t.test('a slow reader is cut off and told where to resume, and nobody else waits for it', async (t) => {
  const server = await startDouble(t, { limits: { bufferBytes: 64 * 1024, stallSeconds: 1 } })
  const { id, contextId } = await start(server)
  const deaf = await deafFollower(server, id)
  const other = await open(server, 'tasks/resubscribe', { id })
  await nextResult(other)
  const text = 'x'.repeat(1024 * 1024)
  for (let seq = 2; seq <= 31; seq += 1) server.fake.publish(contextId, artifact(contextId, id, seq, text))
  for (let seq = 2; seq <= 31; seq += 1) t.equal((await nextResult(other)).taskId, id)
  const context = server.fake.context(contextId)
  while (context.followers > 1) await new Promise((resolve) => setImmediate(resolve))
  const seen = await deaf.read()
  const last = JSON.parse(seen.slice(seen.lastIndexOf('data: ') + 6))
  t.match(last.error, { code: -31044, message: /Last-Event-ID: \d+/, data: { lastEventId: /^\d+$/ } })
  const seqs = [...seen.matchAll(/^id: (\d+)$/gm)].map(([, seq]) => Number(seq))
  t.equal(last.error.data.lastEventId, String(seqs.at(-1)))
  t.strictSame(
    seqs,
    seqs.map((_, index) => index + 1),
    'without gap or repeat up to there',
  )
  other.leave()
})

t.test('a database that is away is told with a hint when to come back', async (t) => {
  const server = await startDouble(t)
  const { TrellisError } = await import('../../src/base/errors.ts')
  server.fake.failure = new TrellisError('unavailable', 'The database cannot be reached')
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'x' } })
  const modern = await post(server, body, V1)
  t.equal(modern.status, 503)
  t.equal(modern.headers.get('retry-after'), '2')
  t.match(modern.body.error.data, [{ reason: 'UNAVAILABLE' }, { '@type': /RetryInfo/, retryDelay: '2s' }])
  const stream = await open(server, 'message/stream', { message: userMessage('x') })
  t.equal(stream.response.status, 503)
  server.fake.failure = new Error('secret')
  t.strictSame((await call(server, 'tasks/get', { id: 'x' })).error, { code: -32603, message: 'Internal error' })
})
