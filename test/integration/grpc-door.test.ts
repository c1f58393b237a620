import { connect } from 'node:http2'
import { status } from '@grpc/grpc-js'
import t from '../tap.ts'
import { endOf, RawClient } from './grpc-raw.ts'
import { addKey } from './principals.ts'
import { startServer } from './server.ts'

/** Who calls is found out before anything is read of what the call brings. */

const config = { auth: { mode: 'apiKeys' }, grpc: { port: 0 }, limits: { bodyBytes: 50_000 } }

/** Opens a call, and sends nothing of its message. Gives what the server ends it with all the same. */
function openOnly(t: { teardown(end: () => unknown): void }, address: string, headers: Record<string, string>) {
  const session = connect(`http://${address}`)
  t.teardown(() => session.destroy())
  const path = '/lf.a2a.v1.A2AService/GetTask'
  const stream = session.request({
    ...{ ':method': 'POST', ':path': path, 'content-type': 'application/grpc', te: 'trailers' },
    ...headers,
  })
  return new Promise<Record<string, unknown>>((resolve, reject) => {
    stream.once('response', resolve)
    stream.once('error', reject)
  })
}

t.test('who is not known is told so before the message has come', async (t) => {
  const server = await startServer(t, { config })
  for (const headers of [{}, { 'x-api-key': 'trl_0123456789ab_00' }, { authorization: 'Bearer nobody' }]) {
    const end = await openOnly(t, server.grpc ?? '', headers)
    t.equal(Number(end['grpc-status']), status.UNAUTHENTICATED, JSON.stringify(headers))
  }
})

t.test('who is known is heard, and may be told of the message', async (t) => {
  const server = await startServer(t, { config })
  const client = new RawClient(t, server.grpc ?? '')
  const { headers } = await addKey(server)
  t.match(await endOf(client.unary('getTask', { id: 'none' }, headers)), { code: status.NOT_FOUND })
  const large = { id: 'x'.repeat(60_000) }
  t.match(await endOf(client.unary('getTask', large, headers)), { code: status.RESOURCE_EXHAUSTED })
  t.match(await endOf(client.unary('getTask', large)), {
    code: status.UNAUTHENTICATED,
    types: ['ErrorInfo'],
    info: { reason: 'UNAUTHENTICATED' },
  })
})
