import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import t from '../tap.ts'
import { ask } from './client.ts'
import { startServer } from './server.ts'

/** What fails before a route is found is answered in the form of all other errors. */

const server = await startServer(t)

/** Sends bytes as they are, and gives the answer once the server has closed the connection. */
async function sendRaw(bytes: string) {
  const { hostname, port } = new URL(server.baseUrl)
  const socket = connect(Number(port), hostname)
  socket.write(bytes)
  const answer = await text(socket)
  const [head = '', body = ''] = answer.split('\r\n\r\n')
  return { status: Number(head.split(' ')[1]), type: /content-type: (.*)/i.exec(head)?.[1], body: JSON.parse(body) }
}

const CLOSE = 'Host: localhost\r\nConnection: close\r\n'
const info = (reason: string) => [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }]
const invalid = { status: 'INVALID_ARGUMENT', details: info('INVALID_REQUEST') }
const cases: Record<string, [string, object]> = {
  'no HTTP at all': ['nonsense\r\n\r\n', { code: 400, ...invalid, message: /no HTTP/ }],
  'a header that is none': [`GET /tasks HTTP/1.1\r\n${CLOSE}bad header\r\n\r\n`, { code: 400, ...invalid }],
  'headers too large': [
    `GET /tasks HTTP/1.1\r\n${CLOSE}X-Long: ${'x'.repeat(20_000)}\r\n\r\n`,
    { code: 431, status: 'RESOURCE_EXHAUSTED', message: /16 KiB/, details: info('REQUEST_TOO_LARGE') },
  ],
  'a URL too long': [`GET /tasks/${'x'.repeat(20_000)} HTTP/1.1\r\n${CLOSE}\r\n`, { code: 431 }],
  'an id too long': [`GET /tasks/${'x'.repeat(7_000)} HTTP/1.1\r\n${CLOSE}\r\n`, { code: 414, ...invalid }],
  'a URL that cannot be decoded': [`GET /tasks/%ZZ HTTP/1.1\r\n${CLOSE}\r\n`, { code: 400, ...invalid }],
}

for (const [what, [bytes, error]] of Object.entries(cases)) {
  t.test(what, async (t) => {
    const { status, type, body } = await sendRaw(bytes)
    t.match(body, { error })
    t.equal(status, body.error.code)
    t.match(type, /^application\/json/)
  })
}

t.test('in the middle of an answer, which breaks off then', async (t) => {
  const { objective } = await ask(server, 'objectives/create', { name: 'Streamed' })
  const { hostname, port } = new URL(server.baseUrl)
  const socket = connect(Number(port), hostname)
  let seen = ''
  socket.on('data', (bytes) => {
    seen += bytes
  })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'objectives/subscribe', params: { id: objective.id } })
  const head = `POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  socket.write(`${head}\r\n\r\n${body}`)
  while (!seen.includes('snapshot')) await once(socket, 'data')
  socket.write('nonsense\r\n\r\n')
  await once(socket, 'close')
  t.match(seen, /^HTTP\/1\.1 200/)
  t.notMatch(seen, /HTTP\/1\.1 400/)
})
