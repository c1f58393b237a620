import type { Test } from 'tap'
import { OPT, type Server, userMessage } from '../rpc.ts'
import { Socket } from '../socket.ts'

const serviceParameters = { 'A2A-Version': '1.0' }

/** JSON-RPC over WebSocket at /ws. (design §8.3) */
export async function sockets(t: Test, server: Server): Promise<void> {
  await t.test('every method answers, by id', async (t) => {
    const socket = await Socket.open(server)
    const message = userMessage('What is 2 + 2?')
    t.match(await socket.call('message/send', { message }), { id: 1, result: { kind: 'message', role: 'agent' } })
    t.match(await socket.call('tasks/get', { id: 'none' }), { id: 1, error: { code: -32001 } })
    t.match(await socket.call('objectives/get', { id: 'none' }), { error: { code: -31040 } })
    const plans = [{ name: 'By van', tasks: [{ name: 'Pack' }] }]
    t.match(await socket.call('objectives/replan', { id: 'none', plans }), { error: { code: -31040 } })
    t.match(await socket.call('nonsense'), { error: { code: -32601 } })
    socket.send('{')
    t.match(await socket.next(), { id: null, error: { code: -32700 } })
    socket.send([
      { jsonrpc: '2.0', id: 'a', method: 'tasks/get', params: { id: 'none' } },
      { jsonrpc: '2.0', id: 'b', method: 'tasks/get', params: { id: 'none' } },
    ])
    t.match(await socket.next(), [{ id: 'a' }, { id: 'b' }])
    await socket.close()
  })

  await t.test(
    'service parameters come from headers, else the query, and each request may say otherwise',
    async (t) => {
      const plain = await Socket.open(server)
      t.equal((await plain.call('GetTask', { id: 'none' })).error.code, -32601)
      t.equal((await plain.call('GetTask', { id: 'none' }, { serviceParameters })).error.code, -32001)
      t.equal((await plain.call('tasks/get', { id: 'none' })).error.code, -32001, 'for one request only')
      const byHeader = await Socket.open(server, { 'A2A-Version': '1.0' }, '?A2A-Version=0.3')
      t.equal((await byHeader.call('GetTask', { id: 'none' })).error.code, -32001)
      const byQuery = await Socket.open(server, {}, `?a2a-version=1.0&A2A-Extensions=${encodeURIComponent(OPT)}`)
      t.equal((await byQuery.call('GetTask', { id: 'none' })).error.code, -32001)
      await Promise.all([plain.close(), byHeader.close(), byQuery.close()])
    },
  )

  await t.test('a stream ends with a notification that names it', async (t) => {
    const socket = await Socket.open(server)
    const params = { message: userMessage('What is 2 + 2?') }
    socket.send({ jsonrpc: '2.0', id: 's', method: 'message/stream', params })
    t.match(await socket.next(), { jsonrpc: '2.0', id: 's', result: { kind: 'message' } })
    t.strictSame(await socket.next(), { jsonrpc: '2.0', method: 'stream/end', params: { id: 's' } })
    socket.send({ jsonrpc: '2.0', id: 's', method: 'tasks/resubscribe', params: { id: 'none' } })
    t.match(await socket.next(), { id: 's', error: { code: -32001 } }, 'what fails early has no end')
    await socket.close()
  })

  await t.test('a stream can be left while others go on', async (t) => {
    const socket = await Socket.open(server)
    const objective = (await socket.call('objectives/create', { name: 'Move house' })).result.objective
    const follow = (id: unknown) =>
      socket.send({ jsonrpc: '2.0', id, method: 'objectives/subscribe', params: { id: objective.id } })
    follow('one')
    t.match(await socket.next(), { id: 'one', result: { snapshot: { objective: { id: objective.id } } } })
    follow(2)
    t.match(await socket.next(), { id: 2, result: { snapshot: {} } })
    follow(2)
    t.match(await socket.next(), { id: 2, error: { code: -32600, message: /open already/ } })
    socket.send({ jsonrpc: '2.0', id: 'cancel', method: 'stream/cancel', params: { id: 'one' } })
    const answers = [await socket.next(), await socket.next()]
    t.match(
      answers.find(({ id }) => id === 'cancel'),
      { result: { id: 'one' } },
    )
    t.match(
      answers.find(({ method }) => method === 'stream/end'),
      { params: { id: 'one' } },
    )
    t.match(await socket.call('stream/cancel', { id: 'one' }), { id: 1, error: { code: -32602, message: /one/ } })
    socket.send({ jsonrpc: '2.0', method: 'stream/cancel', params: { id: 2 } })
    t.match(await socket.next(), { method: 'stream/end', params: { id: 2 } })
    await socket.close()
  })

  await t.test('pages of other origins are kept out', async (t) => {
    await t.rejects(Socket.open(server, { Origin: 'https://evil.example' }), /403/)
    const own = await Socket.open(server, { Origin: server.baseUrl })
    await own.close()
  })
}
