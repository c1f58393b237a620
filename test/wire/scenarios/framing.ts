import type { Test } from 'tap'
import { call, post, type Server, userMessage, V1 } from '../rpc.ts'

/** JSON-RPC 2.0 as such, against any server that speaks it. */
export async function framing(t: Test, server: Server): Promise<void> {
  await t.test('what is no JSON is a parse error', async (t) => {
    for (const body of ['', '{', '{"jsonrpc":"2.0",', 'nonsense', '[{"jsonrpc"', '\u0000']) {
      const { status, body: answer } = await post(server, body)
      t.equal(status, 200)
      t.match(answer, { jsonrpc: '2.0', id: null, error: { code: -32700, message: String } }, `"${body}"`)
    }
  })

  await t.test('what is no request is invalid, and keeps the id where it has one', async (t) => {
    for (const value of [1, 'text', true, null, {}, { jsonrpc: '2.0' }, { jsonrpc: '2.0', method: 1 }]) {
      const { body } = await post(server, JSON.stringify(value))
      t.match(body, { jsonrpc: '2.0', id: null, error: { code: -32600 } }, JSON.stringify(value))
    }
    const noVersion = await post(server, '{"id":7,"method":"tasks/get"}')
    t.match(noVersion.body, { id: 7, error: { code: -32600, message: /jsonrpc.*"2\.0"/ } })
    for (const id of [true, {}, []]) {
      const { body } = await post(server, JSON.stringify({ jsonrpc: '2.0', id, method: 'tasks/get', params: {} }))
      t.match(body, { id: null, error: { code: -32600, message: /^id was/ } })
    }
  })

  await t.test('every legal id comes back as it was', async (t) => {
    for (const id of ['', 'a', 'Ä', 0, -1, 1.5, 9007199254740991, null]) {
      const request = { jsonrpc: '2.0', id, method: 'tasks/get', params: { id: 'task-none' } }
      const { body } = await post(server, JSON.stringify(request))
      t.strictSame(body.id, id)
      t.equal(body.error.code, -32001)
    }
  })

  await t.test('unknown methods are not found, and the message names them', async (t) => {
    const { error } = await call(server, 'tasks/explode', {})
    t.match(error, { code: -32601, message: /tasks\/explode/ })
    t.equal((await call(server, '__proto__', {})).error.code, -32601)
    t.equal((await call(server, 'constructor', {})).error.code, -32601)
  })

  await t.test('params go by name', async (t) => {
    for (const params of [[], ['task-1'], 'task-1', 1, null]) {
      const { body } = await post(server, JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params }))
      t.match(body, { id: 1, error: { code: -32602, message: /params/ } })
    }
  })

  await t.test('a notification is carried out and not answered', async (t) => {
    const contextId = `notified-${process.pid}-${Date.now()}`
    const message = userMessage('Water the plants', { contextId })
    const { status, body } = await post(
      server,
      JSON.stringify({ jsonrpc: '2.0', method: 'message/send', params: { message } }),
    )
    t.equal(status, 204)
    t.equal(body, undefined)
    const { result } = await call(server, 'tasks/list', { contextId })
    t.equal(result.tasks.length, 1)
    const bad = await post(server, JSON.stringify({ jsonrpc: '2.0', method: 'tasks/get', params: {} }))
    t.equal(bad.status, 204, 'a bad one is not answered either')
  })

  await t.test('a batch gets an answer for each request, and none for notifications', async (t) => {
    const get = (id: unknown) => ({ jsonrpc: '2.0', id, method: 'tasks/get', params: { id: 'task-none' } })
    const { body } = await post(server, JSON.stringify([get('a'), { jsonrpc: '2.0', method: 'x' }, 1, get(2)]))
    t.equal(body.length, 3)
    t.match(body.find(({ id }: { id: unknown }) => id === 'a').error, { code: -32001 })
    t.match(body.find(({ id }: { id: unknown }) => id === null).error, { code: -32600 })
    t.match(body.find(({ id }: { id: unknown }) => id === 2).error, { code: -32001 })
    t.equal((await post(server, JSON.stringify([{ jsonrpc: '2.0', method: 'x' }]))).status, 204)
    t.match((await post(server, '[]')).body, { id: null, error: { code: -32600 } })
    const many = Array.from({ length: 101 }, (_, id) => get(id))
    t.match((await post(server, JSON.stringify(many))).body, { id: null, error: { code: -32600, message: /100/ } })
    const streamed = [{ jsonrpc: '2.0', id: 1, method: 'message/stream', params: { message: userMessage('x') } }]
    t.match((await post(server, JSON.stringify(streamed))).body, [{ id: 1, error: { code: -32600, message: /batch/ } }])
  })

  await t.test('the paths and their trailing slashes are one endpoint', async (t) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'task-none' } })
    for (const path of ['/', '/a2a', '/a2a/'])
      t.equal((await post(server, body, {}, path)).body.error.code, -32001, path)
  })

  await t.test('other content types and other routes are refused as JSON', async (t) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: {} })
    const plain = await post(server, body, { 'content-type': 'text/plain' })
    t.match(plain, {
      status: 415,
      body: { jsonrpc: '2.0', id: null, error: { code: -32600, message: /application\/json/ } },
    })
    const lost = await fetch(`${server.baseUrl}/nowhere`)
    t.equal(lost.status, 404)
    t.match(await lost.json(), { error: { code: 404, message: /POST/ } })
  })

  await t.test('hostile JSON is refused', async (t) => {
    const deep = await post(server, `${'['.repeat(100_000)}${']'.repeat(100_000)}`)
    t.match(deep.body, { id: null, error: { code: -32600, message: /deeper/ } })
    const polluted = '{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"x","__proto__":{"polluted":true}}}'
    t.match((await post(server, polluted)).body.error, { code: -32602, message: /__proto__/ })
    t.equal(({} as Record<string, unknown>)['polluted'], undefined)
    const nul = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message: userMessage('a\0b') },
    })
    t.match((await post(server, nul)).body.error, { code: -32602, message: /message\.parts\[0\]\.text.*NUL/ })
    const half = nul.replace('\\u0000', '\\ud800')
    t.match((await post(server, half)).body.error, { code: -32602, message: /surrogate/ })
    const { body } = await post(server, `[${nul},{"jsonrpc":"2.0","id":2,"method":"tasks/get","params":{"id":"x"}}]`)
    t.match(body, [
      { id: 1, error: { code: -32602 } },
      { id: 2, error: { code: -32001 } },
    ])
    const latin = Buffer.from('{"jsonrpc":"2.0","id":1,"method":"tasks/get","params":{"id":"é"}}', 'latin1')
    t.match((await post(server, latin)).body, { id: null, error: { code: -32700, message: /UTF-8/ } })
    const endless = '{"jsonrpc":"2.0","id":1e999,"method":"tasks/get","params":{"id":"x"}}'
    t.match((await post(server, endless)).body, { id: null, error: { code: -32600, message: /^id was Infinity/ } })
  })

  await t.test('other verbs are told which one is served', async (t) => {
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS']) {
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${server.baseUrl}/a2a`, { method, headers })
      t.match({ status: response.status, allow: response.headers.get('allow') }, { status: 405, allow: 'POST' }, method)
      t.equal(response.headers.get('access-control-allow-origin'), null, 'and no page of another origin is let in')
    }
    const socket = await fetch(`${server.baseUrl}/ws`)
    t.match(await socket.json(), { error: { code: 426, message: /WebSocket/ } })
    t.equal(socket.headers.get('upgrade'), 'websocket')
    const bad = await fetch(`${server.baseUrl}/%ff`)
    t.match(await bad.json(), { error: { code: 400, details: Array } })
  })

  await t.test('1.0 carries errors as a list of typed details', async (t) => {
    const missing = await call(server, 'GetTask', {}, V1)
    t.match(missing.error, { code: -32602, message: /^id: is missing; expected a string/ })
    t.match(missing.error.data, [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'INVALID_PARAMS', domain: 'a2a-protocol.org' },
      { '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: [{ field: 'id' }] },
    ])
    const unknown = await call(server, 'objectives/get', { id: 'none' }, V1)
    t.match(unknown.error, {
      code: -31040,
      data: [{ reason: 'OBJECTIVE_NOT_FOUND', metadata: { objectiveId: 'none' } }],
    })
  })
}
