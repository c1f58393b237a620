import type { Test } from 'tap'
import { call, nextResult, OPT, open, type Server, userMessage, V1 } from '../rpc.ts'

const RESEARCH = 'Research AI safety papers and write a summary'

/** Streams over SSE, as far as any server can be asked without moving its tasks. (design §8.3) */
export async function streams(t: Test, server: Server): Promise<void> {
  await t.test('a direct answer is one frame', async (t) => {
    for (const [method, headers] of [
      ['message/stream', {}],
      ['SendStreamingMessage', V1],
    ] as const) {
      const stream = await open(server, method, { message: userMessage('What is 2 + 2?') }, headers)
      t.match(stream.response.headers.get('content-type'), /^text\/event-stream/)
      const result = await nextResult(stream)
      t.match('message' in result ? result.message.parts : result.parts, [{ text: '2 + 2 = 4' }])
      t.ok((await stream.events.next()).done)
    }
  })

  await t.test('the root task comes first, its frames are numbered', async (t) => {
    const headers = { ...V1, 'A2A-Extensions': OPT }
    const stream = await open(server, 'SendStreamingMessage', { message: userMessage(RESEARCH) }, headers)
    t.equal(stream.response.headers.get('a2a-extensions'), OPT)
    const { value } = await stream.events.next()
    t.match(value, { id: /^\d+$/, data: { jsonrpc: '2.0', id: 'stream', result: { task: { id: String } } } })
    t.notOk('planId' in (value?.data.result.task.metadata ?? {}))
    stream.leave()
  })

  await t.test('what fails early fails as JSON, and in 0.3 as the one event for who reads nothing else', async (t) => {
    const cases: [string, object, Record<string, string>, number][] = [
      ['message/stream', {}, {}, -32602],
      ['tasks/resubscribe', { id: 'none' }, {}, -32001],
      ['SubscribeToTask', { id: 'none' }, V1, -32001],
      ['objectives/subscribe', { id: 'none' }, {}, -31040],
      ['objectives/subscribe', { id: 'none', afterSeq: -1 }, {}, -32602],
      ['objectives/subscribe', { id: 'none' }, { 'Last-Event-ID': 'abc' }, -32602],
    ]
    for (const [method, params, headers, code] of cases) {
      const either = await open(server, method, params, { accept: 'application/json, text/event-stream', ...headers })
      t.match(either.response.headers.get('content-type'), /^application\/json/)
      t.match(await either.response.json(), { id: 'stream', error: { code } }, `${method} ${code}`)
      const events = await open(server, method, params, headers)
      if (headers === V1) t.match(events.response.headers.get('content-type'), /^application\/json/)
      else t.match((await events.events.next()).value?.data, { id: 'stream', error: { code } }, method)
      events.leave()
    }
  })

  await t.test('an objective is followed from its snapshot', async (t) => {
    const params = { message: userMessage(RESEARCH), configuration: { blocking: false } }
    const { id, contextId } = (await call(server, 'message/send', params)).result
    const stream = await open(server, 'objectives/subscribe', { id: contextId })
    const { snapshot } = await nextResult(stream)
    t.match(snapshot, {
      seq: Number,
      objective: { id: contextId, metadata: { 'opt/v1/rootTaskId': id }, plans: Array },
    })
    stream.leave()
  })
}
