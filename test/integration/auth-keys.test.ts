import { once } from 'node:events'
import { WebSocket } from 'ws'
import type { Operation } from '../../src/a2a/operation.ts'
import { OPERATIONS } from '../../src/a2a/operations.ts'
import { hashApiKey, makeApiKey } from '../../src/base/api-key.ts'
import t from '../tap.ts'
import { call, open, post } from '../wire/rpc.ts'
import { Socket } from '../wire/socket.ts'
import { BINDINGS, type Binding } from './bindings.ts'
import { addKey, keysOf } from './principals.ts'
import { startServer } from './server.ts'
import { NOWHERE, STEPS } from './tenancy-walk.ts'

const CONFIG = { auth: { mode: 'apiKeys' }, grpc: { port: 0 } }
const LIST_TASKS = OPERATIONS.find(({ method }) => method === 'ListTasks') as Operation
const LIST = { jsonrpc: '2.0', id: 7, method: 'tasks/list', params: {} }

t.test('who does not say who it is gets 401 and a challenge, in the form of each binding', async (t) => {
  const server = await startServer(t, { config: CONFIG })
  const wrong = makeApiKey().key
  const { key } = await addKey(server)
  const altered = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`
  const strangers: Record<string, string>[] = [
    {},
    { 'X-API-Key': 'hello' },
    { 'X-API-Key': wrong },
    { 'X-API-Key': altered },
    { Authorization: `Bearer ${wrong}` },
    { Authorization: `Basic ${Buffer.from('a:b').toString('base64')}` },
    { Authorization: 'Bearer eyJhbGciOiJub25lIn0.e30.' },
  ]
  for (const headers of strangers) {
    const rpc = await post(server, JSON.stringify(LIST), headers)
    t.match(rpc, { status: 401, body: { jsonrpc: '2.0', id: null, error: { code: -31401 } } }, JSON.stringify(headers))
    t.match(rpc.headers.get('www-authenticate'), /^ApiKey realm="trellis"/)
    const rest = await fetch(`${server.baseUrl}/tasks`, { headers })
    t.match(rest.headers.get('www-authenticate'), /^ApiKey/)
    t.match([rest.status, await rest.json()], [401, { error: { code: 401, status: 'UNAUTHENTICATED' } }])
    await t.rejects(Socket.open(server, headers), /401/)
    t.match(await BINDINGS['grpc']?.(server, LIST_TASKS, {}, headers), { error: { code: 16 } })
  }
  t.match((await post(server, JSON.stringify(LIST))).body.error.message, /expected an API key in X-API-Key/)
})

t.test('what everyone may see stays open, and the card says what to show', async (t) => {
  const server = await startServer(t, { config: CONFIG })
  for (const path of ['/healthz', '/readyz', '/.well-known/agent-card.json']) {
    t.equal((await fetch(`${server.baseUrl}${path}`)).status, 200, path)
  }
  const card = await (await fetch(`${server.baseUrl}/.well-known/agent-card.json`)).json()
  t.match(card, {
    securitySchemes: {
      apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' }, type: 'apiKey', in: 'header' },
    },
    securityRequirements: [{ schemes: { apiKey: {} } }],
    security: [{ apiKey: [] }],
  })
})

t.test('a key opens the door over every binding, as X-API-Key or as a bearer token', async (t) => {
  const server = await startServer(t, { config: CONFIG })
  const { key, headers } = await addKey(server)
  for (const shown of [headers, { Authorization: `Bearer ${key}` }]) {
    for (const [name, ask] of Object.entries(BINDINGS)) {
      t.match(await ask(server, LIST_TASKS, {}, shown), { result: { tasks: [] } }, name)
    }
  }
})

t.test('every operation wants its scope, and says which', async (t) => {
  const server = await startServer(t, { config: CONFIG })
  const none = await addKey(server, { scopes: [] })
  const admin = await addKey(server, { scopes: ['admin'] })
  for (const operation of OPERATIONS) {
    const params = STEPS[operation.method]?.params[0]?.(NOWHERE) ?? {}
    const scopes = [operation.scope].flat()
    for (const [name, ask] of Object.entries(BINDINGS)) {
      const said = await ask(server, operation, params, none.headers)
      if (said === undefined) continue
      t.match(said.error?.message, `the scope ${scopes.join(' or ')}`, `${operation.method} over ${name}`)
      if (said.status !== undefined) t.equal(said.status, 403)
    }
    const ask = BINDINGS['jsonRpc'] as Binding
    t.not((await ask(server, operation, params, admin.headers))?.status, 403, `${operation.method} for an admin`)
    for (const scope of scopes) {
      const { headers } = await addKey(server, { scopes: [scope] })
      t.not((await ask(server, operation, params, headers))?.status, 403, `${operation.method} with ${scope}`)
    }
  }
  const refused = await post(server, JSON.stringify({ ...LIST, id: 8 }), none.headers)
  t.match(refused, { status: 403, body: { id: 8, error: { code: -31403 } } })
  t.equal(refused.headers.get('www-authenticate'), 'Bearer error="insufficient_scope", scope="read"')
})

t.test('keys of one principal see the same, so a key can be replaced', async (t) => {
  const server = await startServer(t, { config: CONFIG })
  const first = await addKey(server, { principal: 'reports' })
  const second = await addKey(server, { principal: 'reports' })
  const other = await addKey(server)
  const { result } = await call(server, 'objectives/create', { name: 'Mine' }, first.headers)
  const { id } = result.objective
  t.match(await call(server, 'objectives/get', { id }, second.headers), { result: { objective: { id } } })
  t.match(await call(server, 'objectives/get', { id }, other.headers), { error: { code: -31040 } })
})

t.test('a key that expires, and one that is revoked, open nothing any more', async (t) => {
  const server = await startServer(t, { config: CONFIG })
  const old = await addKey(server, { expiresAt: new Date(Date.now() - 1_000) })
  t.equal((await post(server, JSON.stringify(LIST), old.headers)).status, 401)
  const brief = await addKey(server, { expiresAt: new Date(Date.now() + 2_000) })
  t.equal((await post(server, JSON.stringify(LIST), brief.headers)).status, 200)
  while ((await post(server, JSON.stringify(LIST), brief.headers)).status === 200);
  const taken = await addKey(server)
  t.ok(await keysOf(server).revoke(taken.keyId))
  t.equal((await post(server, JSON.stringify(LIST), taken.headers)).status, 401)
  t.notOk(await keysOf(server).revoke('nosuchkey'))
})

t.test('revoking ends what is open: streams and sockets, within ten seconds', async (t) => {
  const server = await startServer(t, { config: CONFIG })
  const { keyId, headers } = await addKey(server)
  const { result } = await call(server, 'objectives/create', { name: 'Long' }, headers)
  const stream = await open(server, 'objectives/subscribe', { id: result.objective.id }, headers)
  await stream.events.next()
  const socket = new WebSocket(`${server.baseUrl.replace('http', 'ws')}/ws`, { headers })
  await once(socket, 'open')
  const closed = once(socket, 'close')
  const from = Date.now()
  await keysOf(server).revoke(keyId)
  t.match(await stream.events.next(), { value: { data: { error: { code: -31401 } } } })
  t.match(await stream.events.next(), { done: true })
  t.match(await closed, [1008])
  t.ok(Date.now() - from < 10_500, `it took ${Date.now() - from} ms`)
  t.equal((await post(server, JSON.stringify(LIST), headers)).status, 401)
})

t.test('keys may stand in the configuration', async (t) => {
  const made = makeApiKey()
  const gone = makeApiKey()
  const keys = [
    { id: made.id, hash: hashApiKey(made.key), tenant: 'acme', scopes: ['read'] },
    { id: gone.id, hash: gone.hash, tenant: 'acme', scopes: ['read'], expires: '2026-01-01T00:00:00Z' },
  ]
  const server = await startServer(t, { config: { auth: { mode: 'apiKeys', keys } } })
  const headers = { 'X-API-Key': made.key }
  t.match(await call(server, 'tasks/list', {}, headers), { result: { tasks: [] } })
  t.match(await call(server, 'objectives/create', { name: 'No' }, headers), { error: { code: -31403 } })
  t.equal((await post(server, JSON.stringify(LIST), { 'X-API-Key': gone.key })).status, 401)
})

t.test('while the database is away nobody is called unknown', async (t) => {
  const server = await startServer(t, { config: CONFIG })
  const { headers } = await addKey(server)
  await server.app.database.prisma.$executeRawUnsafe('ALTER TABLE api_key RENAME TO api_key_away')
  const answer = await post(server, JSON.stringify(LIST), headers)
  t.not(answer.status, 401)
  t.ok(answer.status >= 500, String(answer.status))
  await server.app.database.prisma.$executeRawUnsafe('ALTER TABLE api_key_away RENAME TO api_key')
  t.equal((await post(server, JSON.stringify(LIST), headers)).status, 200, 'and a failure is not remembered')
})
