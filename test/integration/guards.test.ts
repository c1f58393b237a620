import { request } from 'node:http'
import t from '../tap.ts'
import { post, type Server } from '../wire/rpc.ts'
import { Socket } from '../wire/socket.ts'
import { addKey } from './principals.ts'
import { startServer } from './server.ts'

const LIST = JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tasks/list', params: {} })

/** fetch says the truth about Host; a page whose name points here would not. */
function asHost(
  { baseUrl }: Server,
  host: string,
  path = '/',
  method = 'POST',
): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const headers = { host, 'content-type': 'application/json' }
    const sent = request(`${baseUrl}${path}`, { method, headers }, (response) => {
      let body = ''
      response.on('data', (chunk) => {
        body += chunk
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }))
    })
    sent.on('error', reject)
    sent.end(method === 'POST' ? LIST : undefined)
  })
}

t.test('a name that points here is not ours: only our own are served where nobody says who calls', async (t) => {
  const server = await startServer(t, {
    config: { server: { publicUrl: 'https://trellis.example.com', allowedHosts: ['Also.Example.com'] } },
  })
  const { port } = new URL(server.baseUrl)
  const ours = [
    `localhost:${port}`,
    `127.0.0.1:${port}`,
    '[::1]',
    'TRELLIS.example.com',
    'also.example.com:80',
    '192.0.2.7',
  ]
  for (const host of ours) t.equal((await asHost(server, host)).status, 200, host)
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    'trellis.example.com.evil.example',
    'localhost.evil.example',
    'intranet',
  ]) {
    const answer = await asHost(server, host)
    t.match(answer, { status: 403, body: /Host was .*server\.allowedHosts/ }, host)
    t.equal((await asHost(server, host, '/tasks', 'GET')).status, 403)
    await t.rejects(Socket.open(server, { Host: host }), /403/)
  }
  t.equal(
    (await asHost(server, 'probe.cluster.local', '/readyz', 'GET')).status,
    200,
    'probes may call it what they like',
  )
})

t.test('who has a key may call the server what it likes, unless names are named', async (t) => {
  const server = await startServer(t, { config: { auth: { mode: 'apiKeys' } } })
  t.equal((await asHost(server, 'any.example')).status, 401)
  const named = await startServer(t, { config: { auth: { mode: 'apiKeys' }, server: { allowedHosts: ['a.example'] } } })
  t.equal((await asHost(named, 'any.example')).status, 403)
  const any = await startServer(t, { config: { server: { allowedHosts: ['*'] } } })
  t.equal((await asHost(any, 'any.example')).status, 200)
})

t.test('pages of other origins can neither act nor read', async (t) => {
  const server = await startServer(t)
  for (const Origin of ['https://evil.example', 'null', 'http://127.0.0.1', 'file://']) {
    const answer = await post(server, LIST, { Origin })
    t.match(answer, { status: 403, body: { error: { message: /Origin was .*server\.allowedOrigins/ } } }, Origin)
    t.equal(answer.headers.get('access-control-allow-origin'), null)
    await t.rejects(Socket.open(server, { Origin }), /403/)
  }
  t.equal((await post(server, LIST, { Origin: server.baseUrl })).status, 200, 'its own may')
  const asked = await fetch(`${server.baseUrl}/`, { method: 'OPTIONS', headers: { Origin: 'https://evil.example' } })
  t.equal(asked.headers.get('access-control-allow-origin'), null)
})

t.test('those that are allowed may do both', async (t) => {
  const Origin = 'https://app.example.com'
  const config = { auth: { mode: 'apiKeys' }, server: { allowedOrigins: [Origin] } }
  const server = await startServer(t, { config })
  const { headers } = await addKey(server)
  const preflight = await fetch(`${server.baseUrl}/`, {
    method: 'OPTIONS',
    headers: {
      Origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'x-api-key,content-type',
    },
  })
  t.equal(preflight.status, 204, 'a browser asks without a key')
  t.equal(preflight.headers.get('access-control-allow-origin'), Origin)
  t.match(preflight.headers.get('access-control-allow-headers'), 'x-api-key')
  const answer = await post(server, LIST, { Origin, ...headers })
  t.equal(answer.status, 200)
  t.equal(answer.headers.get('access-control-allow-origin'), Origin)
  t.match(answer.headers.get('access-control-expose-headers'), 'A2A-Extensions')
  const refused = await post(server, LIST, { Origin })
  t.match([refused.status, refused.headers.get('access-control-allow-origin')], [401, Origin], 'and reads errors too')
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'objectives/create', params: { name: 'O' } })
  const { id } = (await post(server, body, headers)).body.result.objective
  const stream = await fetch(`${server.baseUrl}/objectives/${id}/events`, { headers: { Origin, ...headers } })
  t.match([stream.status, stream.headers.get('access-control-allow-origin')], [200, Origin])
  await stream.body?.cancel()
  t.equal((await post(server, LIST, { Origin: 'https://evil.example', ...headers })).status, 403)
  await (await Socket.open(server, { Origin, ...headers })).close()
})

t.test('what is answered is data, and nobody keeps it for others', async (t) => {
  const server = await startServer(t)
  const { headers } = await post(server, LIST)
  t.equal(headers.get('x-content-type-options'), 'nosniff')
  t.match(headers.get('content-security-policy'), "default-src 'none'")
  t.equal(headers.get('cache-control'), 'no-store')
})

t.test('a caller that is not known cannot make the server read a body', async (t) => {
  const server = await startServer(t, { config: { auth: { mode: 'apiKeys' }, limits: { bodyBytes: 100 } } })
  t.equal(
    (await post(server, JSON.stringify({ fill: 'x'.repeat(1_000) }))).status,
    401,
    'it is not even found too large',
  )
})
