import t from '../tap.ts'
import type { FakeContext } from './fake-trellis.ts'
import { call, userMessage } from './rpc.ts'
import { sockets } from './scenarios/sockets.ts'
import { Socket } from './socket.ts'
import { startDouble } from './start-double.ts'

t.test('sockets', async (t) => sockets(t, await startDouble(t)))

async function follow(server: Awaited<ReturnType<typeof startDouble>>, socket: Socket) {
  const params = { message: userMessage('Feed the cat'), configuration: { blocking: false } }
  const { id, contextId } = (await call(server, 'message/send', params)).result
  socket.send({ jsonrpc: '2.0', id: 's', method: 'tasks/resubscribe', params: { id } })
  await socket.next()
  return { id, contextId, context: server.fake.context(contextId) }
}

/** Resolves once nobody follows the context any more; the test's timeout is what fails it. */
async function left(context: FakeContext): Promise<void> {
  while (context.followers > 0) await new Promise((resolve) => setImmediate(resolve))
}

t.test('a socket that closes takes its followers along', async (t) => {
  const server = await startDouble(t)
  const socket = await Socket.open(server)
  const { context } = await follow(server, socket)
  t.equal(context.followers, 1)
  await socket.close()
  await left(context)
})

t.test('frames say their seq, and a slow socket is cut off with where to resume', async (t) => {
  const server = await startDouble(t, { limits: { bufferBytes: 64 * 1024, stallSeconds: 0.3 } })
  const socket = await Socket.open(server)
  const { id, contextId, context } = await follow(server, socket)
  const text = 'x'.repeat(1024 * 1024)
  const content = { artifact: { artifactId: 'a', parts: [{ text }] }, append: false, lastChunk: true, metadata: {} }
  socket.pause()
  for (let seq = 2; seq <= 31; seq += 1) {
    server.fake.publish(contextId, { kind: 'artifact', seq, taskId: id, contextId, ...content, last: false })
  }
  await left(context)
  socket.resume()
  let last = 1
  for (;;) {
    const frame = await socket.next()
    if (frame.error) {
      t.match(frame.error, { code: -31044, data: { lastEventId: String(last) } })
      break
    }
    t.equal(frame.seq, last + 1)
    last = frame.seq
  }
  t.match(await socket.next(), { method: 'stream/end', params: { id: 's' } })
  t.match(await socket.call('tasks/get', { id }), { result: { id } }, 'the socket itself goes on')
  await socket.close()
})

t.test('a socket that stops answering pings is let go', async (t) => {
  const server = await startDouble(t, { limits: { heartbeatSeconds: 0.03 } })
  const socket = await Socket.open(server)
  const { context } = await follow(server, socket)
  socket.pause()
  await left(context)
  socket.resume()
  await socket.close()
})

t.test('what is too large closes the socket, and stopping the server closes it too', async (t) => {
  const server = await startDouble(t, { limits: { bodyBytes: 1_000 } })
  const large = await Socket.open(server)
  large.send('x'.repeat(2_000))
  await t.rejects(large.next(), /closed/)
  t.equal(large.closeCode, 1009, 'and says why')
  const socket = await Socket.open(server)
  await follow(server, socket)
  await server.app.close()
  t.match(await socket.next(), { method: 'stream/end' })
  await t.rejects(socket.next(), /closed/)
})
