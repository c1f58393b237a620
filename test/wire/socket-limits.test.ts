import type { Socket as NetSocket } from 'node:net'
import type { Trellis } from '../../src/a2a/trellis.ts'
import { taskNotFound } from '../../src/base/errors.ts'
import t from '../tap.ts'
import { fakeTrellis } from './fake-trellis.ts'
import { userMessage } from './rpc.ts'
import { Socket } from './socket.ts'
import { startDouble } from './start-double.ts'

t.test('a socket may have a thousand unanswered calls, and is told so of the next', async (t) => {
  const { trellis } = fakeTrellis()
  const send: Trellis['send'] = (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(taskNotFound('left')), { once: true })
    })
  const server = await startDouble(t, { trellis: { ...trellis, send } })
  const socket = await Socket.open(server)
  for (let id = 0; id <= 1_000; id += 1) {
    socket.send({ jsonrpc: '2.0', id, method: 'message/send', params: { message: userMessage('Feed the cat') } })
  }
  t.match(await socket.next(), { id: 1_000, error: { code: -31044, message: /1000 unanswered/ } })
  socket.send({ jsonrpc: '2.0', id: 'c', method: 'stream/cancel', params: { id: 7 } })
  const [one, other] = [await socket.next(), await socket.next()]
  t.match([one, other].find(({ id }) => id === 'c')?.result, { id: 7 }, 'a call can be left all the same')
  t.match(await socket.call('tasks/get', { id: 'none' }), { error: { code: -32001 } }, 'which makes room')
  socket.send({ jsonrpc: '2.0', id: {}, method: 'stream/cancel', params: { id: 'none' } })
  t.match(await socket.next(), { id: null, error: { code: -32602, data: { violations: [{ field: 'id' }] } } })
  await socket.close()
})

t.test('a binary frame is read as UTF-8, or not at all', async (t) => {
  const server = await startDouble(t)
  const socket = await Socket.open(server)
  const request = JSON.stringify({ jsonrpc: '2.0', id: 'é', method: 'tasks/get', params: { id: 'none' } })
  socket.sendBytes(Buffer.from(request))
  t.match(await socket.next(), { id: 'é', error: { code: -32001 } })
  socket.sendBytes(Buffer.from(request, 'latin1'))
  t.match(await socket.next(), { id: null, error: { code: -32700, message: /UTF-8/ } })
  await socket.close()
})

t.test('who leaves calls without reading what is said to that is not listened to either', async (t) => {
  const { baseUrl, app } = await startDouble(t, { limits: { bufferBytes: 64 * 1024 } })
  const connections: NetSocket[] = []
  app.server.on('connection', (connection: NetSocket) => connections.push(connection))
  const socket = await Socket.open({ baseUrl })
  socket.pause()
  const id = 'x'.repeat(1024 * 1024)
  for (let sent = 0; sent < 64; sent += 1) {
    socket.send({ jsonrpc: '2.0', id, method: 'stream/cancel', params: { id: 'none' } })
  }
  await new Promise((resolve) => setTimeout(resolve, 1_000))
  const [unread = Number.NaN] = connections.map(({ writableLength }) => writableLength)
  t.ok(unread < 16 * 1024 * 1024, `${unread} bytes wait`)
  socket.resume()
  for (let read = 0; read < 64; read += 1) t.match(await socket.next(), { error: { code: -32602 } })
  await socket.close()
})
