import { ListTasksResponse, SendMessageResponse, StreamResponse, Task } from '@a2a-js/sdk'
import { LegacyJsonRpcTransportHandler } from '@a2a-js/sdk/compat/v0_3/server'
import { JsonRpcTransportHandler, ServerCallContext } from '@a2a-js/sdk/server'
import { modernCard } from '../../src/a2a/card.ts'
import { SCOPES } from '../../src/a2a/identity.ts'
import { JsonRpc } from '../../src/a2a/jsonrpc.ts'
import type { Peer } from '../../src/a2a/peer.ts'
import type { TaskFrame } from '../../src/a2a/trellis.ts'
import t from '../tap.ts'
import { fakeTrellis } from '../wire/fake-trellis.ts'
import { CALLER_KEY, TrellisRequestHandler } from './sdk-request-handler.ts'

/** Our JSON-RPC and the SDK's transport handlers, over the same Trellis: the same requests get the same answers. */

const IDENTITY = { tenant: 'default', owner: 'anonymous', scopes: SCOPES }
const INPUTS = { name: 'T', description: 'd', version: '1', publicUrl: '', skills: [], optLimits: {} }
const peer = (version: string): Peer => ({
  identity: IDENTITY,
  parameters: { version },
  signal: new AbortController().signal,
  onFailure: (error) => {
    throw error
  },
})

function bothSides() {
  const { fake, trellis } = fakeTrellis()
  const handler = new TrellisRequestHandler(trellis, () => modernCard(INPUTS, 'http://localhost/'))
  const context = () => new ServerCallContext({ state: new Map([[CALLER_KEY, IDENTITY]]) })
  const modern = new JsonRpcTransportHandler(handler)
  const legacy = new LegacyJsonRpcTransportHandler(handler)
  const rpc = new JsonRpc(trellis)
  return {
    fake,
    ours: async (version: string, request: object) => {
      const outcome = await rpc.answer(JSON.stringify(request), peer(version))
      if (outcome.kind === 'reply') return JSON.parse(JSON.stringify(outcome.body))
      if (outcome.kind === 'none') return undefined
      const frames = [(await outcome.first).value]
      for (let next = await outcome.rest.next(); !next.done; next = await outcome.rest.next()) frames.push(next.value)
      return frames.map((frame) => JSON.parse(JSON.stringify({ jsonrpc: '2.0', id: 1, result: frame?.result })))
    },
    theirs: async (version: string, request: object) => {
      const side = version === '1.0' ? modern : legacy
      const answer = await side.handle(structuredClone(request) as Record<string, unknown>, context())
      if (!(Symbol.asyncIterator in answer)) return JSON.parse(JSON.stringify(answer))
      const frames: unknown[] = []
      for await (const frame of answer) frames.push(JSON.parse(JSON.stringify(frame)))
      return frames
    },
  }
}

const rich = {
  state: 'input-required' as const,
  statusMessage: { messageId: 'm-2', role: 'agent' as const, parts: [{ text: 'Which one?' }], taskId: 'task-9' },
  artifacts: [
    {
      artifactId: 'a-1',
      name: 'all parts',
      description: 'of every kind',
      parts: [
        { text: 'Grüße', metadata: { n: 1 } },
        { raw: 'aGk=', filename: 'hi.txt', mediaType: 'text/plain' },
        { url: 'https://example.org/a', mediaType: 'image/png' },
        { data: { deep: [1, { b: null }] } },
        { data: [1, 2] },
        { data: 'text' },
      ],
      metadata: { x: [true] },
    },
  ],
  metadata: { own: 'yes' },
  objectiveId: 'c-1',
  planId: 'plan-1',
  taskIndex: 2,
  dependencies: ['task-1'],
}

t.test('tasks, lists and errors read the same at both versions', async (t) => {
  const { fake, ours, theirs } = bothSides()
  const message = { messageId: 'm-1', role: 'user' as const, parts: [{ text: 'Feed the cat' }], contextId: 'c-1' }
  const signal = new AbortController().signal
  const sent = fake.send(
    { ...IDENTITY, extensions: [] },
    { message, metadata: {}, configuration: {}, wait: false, signal },
  )
  if (sent.kind !== 'task') throw new Error('no task')
  Object.assign(sent.task, rich)
  const { id } = sent.task
  const requests: [string, string, object][] = [
    ['1.0', 'GetTask', { id }],
    ['1.0', 'GetTask', { id: 'none' }],
    ['1.0', 'ListTasks', { contextId: 'c-1', includeArtifacts: true }],
    ['1.0', 'ListTasks', {}],
    ['0.3', 'tasks/get', { id }],
  ]
  for (const [version, method, params] of requests) {
    const request = { jsonrpc: '2.0', id: 1, method, params }
    const [own, sdk] = [await ours(version, request), await theirs(version, request)]
    if (own.error) {
      t.equal(own.error.code, sdk.error.code)
      t.equal(own.error.message, sdk.error.message)
    } else t.same(own, sdk, `${version} ${method}`)
  }
})

t.test('sends and streams read the same at both versions', async (t) => {
  const { fake, ours, theirs } = bothSides()
  const modern = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'What is 2 + 2?' }], contextId: 'c' }
  const legacy = { ...modern, role: 'user', parts: [{ kind: 'text', text: 'What is 2 + 2?' }] }
  for (const [version, methods, message] of [
    ['1.0', ['SendMessage', 'SendStreamingMessage'], modern],
    ['0.3', ['message/send', 'message/stream'], legacy],
  ] as const) {
    for (const method of methods) {
      const request = { jsonrpc: '2.0', id: 1, method, params: { message } }
      const blank = (answer: unknown) => JSON.parse(JSON.stringify(answer).replaceAll(/message-\d+/g, 'message'))
      t.same(blank(await ours(version, request)), blank(await theirs(version, request)), method)
    }
  }
  const task = fake.move(await startedTask(ours), 'working')
  const content = { artifact: { artifactId: 'a', parts: [{ text: 'x' }] }, append: true, lastChunk: false }
  const place = { taskId: task.id, contextId: task.contextId, metadata: { m: 1 }, last: false }
  const chunk: TaskFrame = { kind: 'artifact', seq: 2, ...place, ...content }
  for (const [version, method] of [
    ['1.0', 'SubscribeToTask'],
    ['0.3', 'tasks/resubscribe'],
  ] as const) {
    const request = { jsonrpc: '2.0', id: 1, method, params: { id: task.id } }
    Object.assign(task, { state: 'working', seq: 1 })
    fake.context(task.contextId).frames.length = 0
    const both = Promise.all([ours(version, request), theirs(version, request)])
    while (fake.context(task.contextId).waiters.size < 2) await new Promise((resolve) => setImmediate(resolve))
    fake.publish(task.contextId, chunk)
    fake.task(task.id).seq = 2
    fake.move(task.id, 'completed')
    const [own, sdk] = await both
    t.equal(own.length, 3)
    if (version === '1.0') t.same(sorted(own), sorted(sdk), method)
    else t.same(own, sdk, method)
  }
})

async function startedTask(ours: (version: string, request: object) => Promise<{ result: { id: string } }>) {
  const message = { messageId: 'm', role: 'user', parts: [{ text: 'Feed the cat' }], contextId: 'c' }
  const { result } = await ours('0.3', { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } })
  return result.id
}

/** protobuf leaves out what has its default value; a reader cannot tell. */
function sorted(frames: { result: object }[]): unknown {
  return frames.map(({ result }) => StreamResponse.toJSON(StreamResponse.fromJSON(result)))
}

t.test('the SDK reads back all that we write at 1.0', async (t) => {
  const { ours } = bothSides()
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Research a and write b' }], contextId: 'c' }
  const { result } = await ours('1.0', { jsonrpc: '2.0', id: 1, method: 'SendMessage', params: { message } })
  t.same(SendMessageResponse.toJSON(SendMessageResponse.fromJSON(result)), result)
  const list = await ours('1.0', { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} })
  t.match(ListTasksResponse.fromJSON(list.result), { totalSize: 4, pageSize: 50 })
  t.same(Task.toJSON(Task.fromJSON(result.task)), result.task)
})
