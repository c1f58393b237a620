import { once } from 'node:events'
import { connect } from 'node:net'
import t from '../tap.ts'
import { startServer } from './server.ts'

t.test('a connection that nobody has said anything on does not keep the server from closing', async (t) => {
  const server = await startServer(t)
  const socket = connect(Number(new URL(server.baseUrl).port), '127.0.0.1')
  await once(socket, 'connect')
  const ended = once(socket, 'close')
  await server.close()
  await ended
  t.pass('it was ended')
})
