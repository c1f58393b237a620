import { SignJWT } from 'jose'
import type { Test } from 'tap'
import type { OidcConfig } from '../../src/base/config.ts'
import { ProviderKeys } from '../../src/http/auth/provider-keys.ts'
import t from '../tap.ts'
import { type Answer, type Posted, post } from '../wire/rpc.ts'
import { Socket } from '../wire/socket.ts'
import { call, send } from './client.ts'
import { addKey } from './principals.ts'
import { bearer, Provider } from './provider.ts'
import { type ServerUnderTest, startServer } from './server.ts'

async function setUp(t: Test, oidc: object = {}, mode = 'oidc') {
  const provider = await Provider.start(t)
  const auth = { mode, oidc: { issuer: provider.issuer, audience: ['trellis'], ...oidc } }
  return { provider, server: await startServer(t, { config: { auth } }) }
}

function ask(server: ServerUnderTest, headers: Record<string, string>, method = 'tasks/list', params = {}) {
  return post(server, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers)
}

const refused = (answer: Posted) => answer.status === 401 && String(answer.headers.get('www-authenticate'))

t.test("a provider's token says who calls", async (t) => {
  const { provider, server } = await setUp(t)
  const mary = bearer(await provider.token())
  const john = bearer(await provider.token({ sub: 'john' }))
  const made = await ask(server, mary, 'objectives/create', { name: 'Mine' })
  const { id } = made.body.result.objective
  t.match((await ask(server, mary, 'objectives/get', { id })).body, { result: { objective: { id } } })
  t.match((await ask(server, john, 'objectives/get', { id })).body, { error: { code: -31040 } })
  const socket = await Socket.open(server, mary)
  t.match(await socket.call('objectives/get', { id }), { result: { objective: { id } } })
  await socket.close()
  const reader = bearer(await provider.token({ sub: 'eve', scope: 'openid read' }))
  t.equal((await ask(server, reader)).status, 200)
  t.equal((await ask(server, reader, 'objectives/create', { name: 'No' })).status, 403)
  t.equal(provider.reads, 1, 'keys are read once')
  const card: Answer = await (await fetch(`${server.baseUrl}/.well-known/agent-card.json`)).json()
  const openIdConnectUrl = `${provider.issuer}/.well-known/openid-configuration`
  t.match(card.securitySchemes, { oidc: { openIdConnectSecurityScheme: { openIdConnectUrl }, type: 'openIdConnect' } })
})

t.test('a token that is not for us, or not theirs, is refused and says why', async (t) => {
  const { provider, server } = await setUp(t)
  const now = Math.floor(Date.now() / 1_000)
  const cases: [claims: Record<string, unknown>, why: RegExp][] = [
    [{ aud: 'someone-else' }, /"aud"/],
    [{ iss: 'https://evil.example' }, /"iss"/],
    [{ exp: now - 60 }, /"exp"/],
    [{ exp: undefined }, /"exp"/],
    [{ nbf: now + 600 }, /"nbf"/],
    [{ sub: undefined }, /claim sub is missing/],
    [{ sub: '' }, /claim sub/],
    [{ sub: 'x'.repeat(256) }, /claim sub/],
    [{ sub: 'a\u0000b' }, /claim sub/],
  ]
  for (const [claims, why] of cases) {
    const answer = await ask(server, bearer(await provider.token(claims)))
    t.match(refused(answer), /error="invalid_token"/, JSON.stringify(claims))
    t.match(answer.body.error.message, why)
  }
  t.equal(
    (await ask(server, bearer(await provider.token({ exp: now - 10 })))).status,
    200,
    'clocks may differ a little',
  )
  const [head, body, signature] = (await provider.token()).split('.')
  const other = Buffer.from(JSON.stringify({ iss: provider.issuer, aud: 'trellis', sub: 'eve', exp: now + 60 }))
  const secret = new TextEncoder().encode('a secret that the provider and we might share')
  const shared = new SignJWT({ sub: 'eve' }).setProtectedHeader({ alg: 'HS256', kid: 'k1' })
  const forged = [
    `${head}.${other.toString('base64url')}.${signature}`,
    `${Buffer.from('{"alg":"none"}').toString('base64url')}.${body}.`,
    await shared.setIssuer(provider.issuer).setAudience('trellis').setExpirationTime('1h').sign(secret),
    'not.a.token',
    `${head}.${body}.${'A'.repeat(9_000)}`,
  ]
  for (const token of forged) t.match(refused(await ask(server, bearer(token))), /error="invalid_token"/)
})

t.test('a new key of the provider is read when a token names it', async (t) => {
  const provider = await Provider.start(t)
  const keys = new ProviderKeys({ issuer: provider.issuer, timeoutSeconds: 5 } as OidcConfig, 0)
  const find = (kid: string) => keys.find({ alg: 'ES256', kid }, { payload: '', signature: '' })
  t.ok(await find('k1'))
  await t.rejects(find('k2'), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
  await provider.newKey('k2')
  t.ok(await find('k2'))
})

t.test('but not each time', async (t) => {
  const { provider, server } = await setUp(t)
  t.equal((await ask(server, bearer(await provider.token()))).status, 200)
  t.match(refused(await ask(server, bearer('eyJhbGciOiJFUzI1NiIsImtpZCI6Im5vbmUifQ.e30.AAAA'))), /invalid_token/)
  t.equal(provider.reads, 1, 'tokens with made-up keys do not have it asked each time')
})

t.test('a provider that cannot be reached makes nobody unknown', async (t) => {
  const { provider, server } = await setUp(t, { timeoutSeconds: 0.3 })
  const token = await provider.token()
  provider.ill = 'down'
  const down = await ask(server, bearer(token))
  t.match([down.status, down.body.error.code], [503, -32603])
  t.match(down.headers.get('retry-after'), /^\d+$/)
  const soon = await ask(server, bearer(token))
  t.equal(soon.status, 503)
  t.equal(provider.reads, 1, 'and it is left alone for a moment')
  provider.ill = undefined
  let answer = await ask(server, bearer(token))
  while (answer.status === 503) answer = await ask(server, bearer(token))
  t.equal(answer.status, 200)
  provider.ill = 'down'
  t.equal((await ask(server, bearer(await provider.token({ sub: 'john' })))).status, 200, 'keys once read are kept')
})

t.test('nor does one that says nothing', async (t) => {
  const { provider, server } = await setUp(t, { timeoutSeconds: 0.3 })
  provider.ill = 'silent'
  const from = Date.now()
  t.equal((await ask(server, bearer(await provider.token()))).status, 503)
  t.ok(Date.now() - from < 4_500)
})

t.test('claims are taken from where the settings say', async (t) => {
  const { provider, server } = await setUp(t, {
    principalClaim: 'email',
    tenantClaim: 'https://example.com/tenant',
    scopeClaim: 'realm_access.roles',
    scopePrefix: 'trellis:',
  })
  const claims = (tenant: unknown, roles: unknown) => ({
    email: 'mary@example.com',
    'https://example.com/tenant': tenant,
    realm_access: { roles },
  })
  const acme = bearer(await provider.token(claims('acme', ['trellis:read', 'trellis:write', 'offline_access'])))
  const other = bearer(await provider.token(claims('umbrella', ['trellis:read'])))
  const made = await ask(server, acme, 'objectives/create', { name: 'Mine' })
  const { id } = made.body.result.objective
  t.equal((await ask(server, other, 'objectives/get', { id })).body.error.code, -31040)
  t.equal((await ask(server, other, 'objectives/create', { name: 'No' })).status, 403)
  t.equal((await ask(server, bearer(await provider.token(claims('acme', ['read']))))).status, 403, 'ours have a prefix')
  const nowhere = await ask(server, bearer(await provider.token(claims(undefined, ['trellis:read']))))
  t.match([nowhere.status, nowhere.body.error.message], [401, /tenant is missing/], 'never a tenant that others share')
})

t.test('keys and tokens side by side', async (t) => {
  const { provider, server } = await setUp(t, { defaultScopes: ['read'] }, 'both')
  const key = await addKey(server)
  t.equal((await ask(server, key.headers)).status, 200)
  t.equal((await ask(server, bearer(key.key))).status, 200)
  t.equal((await ask(server, bearer(await provider.token({ scope: undefined })))).status, 200)
  t.match(refused(await ask(server, {})), /^Bearer realm="trellis", ApiKey/)
  const card: Answer = await (await fetch(`${server.baseUrl}/.well-known/agent-card.json`)).json()
  t.same(card.security, [{ apiKey: [] }, { oidc: [] }])
})

t.test('a token whose subject is the name of a key is not that key', async (t) => {
  const { provider, server } = await setUp(t, {}, 'both')
  const key = await addKey(server, { tenant: 'default' })
  const { id } = await send(server, 'Of the key', { headers: key.headers })
  const sub = `key-${key.keyId}`
  const seen = await call(server, 'tasks/get', { id }, bearer(await provider.token({ sub })))
  t.match(seen, { error: { code: -32001 } }, 'it sees nothing of the key')
  const mary = bearer(await provider.token({ sub: 'mary' }))
  const hers = await send(server, 'Of mary', { headers: mary })
  const script = await addKey(server, { tenant: 'default', principal: 'oidc:mary' })
  t.match(await call(server, 'tasks/get', { id: hers.id }, script.headers), { result: { id: hers.id } })
})

t.test('a database that has subjects as they are goes on with them', async (t) => {
  const { provider, server } = await setUp(t, { principalPrefix: '' }, 'both')
  const mary = await addKey(server, { tenant: 'default', principal: 'mary' })
  const { id } = await send(server, 'Of mary', { headers: mary.headers })
  const token = bearer(await provider.token({ sub: 'mary' }))
  t.match(await call(server, 'tasks/get', { id }, token), { result: { id } })
})
