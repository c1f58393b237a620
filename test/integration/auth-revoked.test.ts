import t from '../tap.ts'
import { call, eventsOf, open, V1 } from '../wire/rpc.ts'
import { Socket } from '../wire/socket.ts'
import { addKey, keysOf } from './principals.ts'
import { startServer } from './server.ts'

t.test('a stream whose caller may not call any more says so before it ends, over every binding', async (t) => {
  const server = await startServer(t, { config: { auth: { mode: 'apiKeys' } } })
  const { keyId, headers } = await addKey(server)
  const { result } = await call(server, 'objectives/create', { name: 'Long' }, headers)
  const { id } = result.objective
  const rpc = (await open(server, 'objectives/subscribe', { id }, headers)).events
  const modern = (await open(server, 'objectives/subscribe', { id }, { ...headers, ...V1 })).events
  const rest = eventsOf(await fetch(`${server.baseUrl}/objectives/${id}/events`, { headers }))
  const socket = await Socket.open(server, headers)
  socket.send({ jsonrpc: '2.0', id: 7, method: 'objectives/subscribe', params: { id } })
  for (const events of [rpc, modern, rest]) t.match((await events.next()).value, { data: {} })
  t.match(await socket.next(), { result: { snapshot: {} } })

  await keysOf(server).revoke(keyId)
  const why = /revoked/
  t.match((await rpc.next()).value, { data: { id: 'stream', error: { code: -31401, message: why } } })
  const details = [{ reason: 'UNAUTHENTICATED' }]
  t.match((await modern.next()).value, { data: { error: { code: -31401, message: why, data: details } } })
  t.match((await rest.next()).value, { data: { error: { status: 'UNAUTHENTICATED', message: why, details } } })
  t.match(await socket.next(), { id: 7, error: { code: -31401, message: why } })
  t.match(await socket.next(), { method: 'stream/end', params: { id: 7 } })
  for (const events of [rpc, modern, rest]) t.match(await events.next(), { done: true })
  await t.rejects(socket.next(), /closed/)
  t.equal(socket.closeCode, 1008)
})
