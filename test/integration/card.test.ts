import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { AgentCard, canonicalizeAgentCard, verifyAgentCardSignature } from '@a2a-js/sdk'
import { DefaultAgentCardResolver } from '@a2a-js/sdk/client'
import { createRemoteJWKSet, decodeProtectedHeader, exportJWK, flattenedVerify, type JWK } from 'jose'
import { OPT_URI } from '../../src/a2a/call.ts'
import { loadCardSigner, type SigningConfig } from '../../src/a2a/card-signing.ts'
import t from '../tap.ts'
import { call, V1 } from '../wire/rpc.ts'
import { startImpostor } from './executor-remote-agent.ts'
import { startServer } from './server.ts'

const skill = { id: 'sums', name: 'Sums', description: 'Adds up.', tags: ['maths'] }

async function cardOf(baseUrl: string, init: RequestInit = {}) {
  const response = await fetch(`${baseUrl}/.well-known/agent-card.json`, init)
  const text = await response.text()
  return { response, text, card: text === '' ? undefined : JSON.parse(text) }
}

t.test('a card is revalidated by ETag or date, and HEAD says the same without it', async (t) => {
  const { baseUrl } = await startServer(t, { agents: ['adder'], agentConfig: { skills: [skill] } })
  const { response, card } = await cardOf(baseUrl)
  t.match(card.skills, [{ id: 'orchestrate' }, skill])
  const modified = response.headers.get('last-modified') ?? ''
  t.match(response.headers.get('cache-control'), 'max-age=60')
  const status = async (headers: Record<string, string>) => (await cardOf(baseUrl, { headers })).response.status
  t.equal(await status({ 'if-modified-since': modified }), 304)
  t.equal(await status({ 'if-modified-since': new Date(Date.parse(modified) - 1_000).toUTCString() }), 200)
  t.equal(await status({ 'if-modified-since': 'yesterday' }), 200)
  t.equal(await status({ 'if-modified-since': modified, 'if-none-match': '"other"' }), 200)
  const head = await cardOf(baseUrl, { method: 'HEAD' })
  t.equal(head.text, '')
  for (const name of ['etag', 'last-modified', 'content-type', 'content-length']) {
    t.equal(head.response.headers.get(name), response.headers.get(name), name)
  }
})

t.test('a skill has all that a card asks of it, though its agent left it out', async (t) => {
  const { baseUrl } = await startServer(t, {
    agents: ['adder'],
    agentConfig: { skills: [{ id: 'sums', name: 'Sums' }] },
  })
  const { card } = await cardOf(baseUrl)
  t.match(card.skills, [{ id: 'orchestrate' }, { id: 'sums', name: 'Sums', description: 'Sums', tags: ['sums'] }])
})

t.test('a strict card has no member that 1.0 does not know', async (t) => {
  const { baseUrl } = await startServer(t, { config: { card: { strict: true, websocket: false } } })
  const { card } = await cardOf(baseUrl)
  t.strictSame(AgentCard.toJSON(AgentCard.fromJSON(card)), card)
  t.strictSame(
    card.supportedInterfaces.map((one: { protocolBinding: string }) => one.protocolBinding),
    ['JSONRPC', 'HTTP+JSON', 'JSONRPC', 'HTTP+JSON'],
  )
})

t.test('what callers have to show is said to both versions', async (t) => {
  const oidc = { issuer: 'https://login.example.com', audience: ['trellis'] }
  const { baseUrl } = await startServer(t, { config: { auth: { mode: 'both', oidc } } })
  const { card } = await cardOf(baseUrl)
  t.match(card.securitySchemes, {
    apiKey: { type: 'apiKey', in: 'header', name: 'X-API-Key', apiKeySecurityScheme: { location: 'header' } },
    oidc: { type: 'openIdConnect', openIdConnectUrl: /openid-configuration$/, openIdConnectSecurityScheme: {} },
  })
  t.strictSame(card.security, [{ apiKey: [] }, { oidc: [] }])
  t.match(card.securityRequirements, [{ schemes: { apiKey: {} } }, { schemes: { oidc: {} } }])
  const resolver = new DefaultAgentCardResolver({ legacyCompat: { enabled: true } })
  const { securityRequirements: _, supportedInterfaces: __, ...legacy } = card
  t.match(resolver.normalizeAgentCard(legacy).securitySchemes, {
    apiKey: { scheme: { $case: 'apiKeySecurityScheme', value: { location: 'header' } } },
    oidc: { scheme: { $case: 'openIdConnectSecurityScheme' } },
  })
})

t.test('required extensions are declared, and demanded', async (t) => {
  const requiredExtensions = [OPT_URI, 'https://example.com/audit/v1']
  const { baseUrl } = await startServer(t, { config: { card: { requiredExtensions } } })
  const { card } = await cardOf(baseUrl)
  t.match(card.capabilities.extensions, [
    { uri: OPT_URI, required: true },
    { uri: 'https://example.com/audit/v1', required: true },
  ])
  t.equal((await call({ baseUrl }, 'tasks/get', { id: 'x' })).error.code, -32008)
  const named = { 'X-A2A-Extensions': requiredExtensions.join(', ') }
  t.equal((await call({ baseUrl }, 'tasks/get', { id: 'x' }, named)).error.code, -32001)
})

t.test('a server that does not stream says so, and refuses', async (t) => {
  const { baseUrl } = await startServer(t, { config: { card: { streaming: false } } })
  const { card } = await cardOf(baseUrl)
  t.notOk(card.capabilities.streaming)
  const message = { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Feed the cat' }] }
  t.equal((await call({ baseUrl }, 'SendStreamingMessage', { message }, V1)).error.code, -32004)
  t.equal((await call({ baseUrl }, 'tasks/resubscribe', { id: 'task-1' })).error.code, -32004)
})

t.test('the extended card names the agents, the public one does not', async (t) => {
  const options = { agents: ['adder', 'poet'], agentConfig: { skills: [skill] }, config: { card: { extended: true } } }
  const { baseUrl } = await startServer(t, options)
  const { card } = await cardOf(baseUrl)
  t.match(card, { capabilities: { extendedAgentCard: true }, supportsAuthenticatedExtendedCard: true })
  t.notMatch(JSON.stringify(card), /poet/)
  t.equal(card.skills.filter(({ id }: { id: string }) => id === 'sums').length, 1, 'two agents with one skill')
  const modern = (await call({ baseUrl }, 'GetExtendedAgentCard', {}, V1)).result
  const ids = modern.skills.map(({ id }: { id: string }) => id)
  t.ok(ids.includes('sums') && ids.includes('agent/poet') && ids.includes('agent/adder/sums'))
  t.match(
    modern.skills.find(({ id }: { id: string }) => id === 'agent/poet/sums'),
    { name: 'Sums', description: 'Adds up.', tags: ['maths', 'agent:poet'] },
  )
  t.strictSame(AgentCard.toJSON(AgentCard.fromJSON(modern)), modern)
  const legacy = (await call({ baseUrl }, 'agent/getAuthenticatedExtendedCard')).result
  t.match(legacy, { preferredTransport: 'JSONRPC', supportsAuthenticatedExtendedCard: true, skills: modern.skills })
})

t.test('a signed card is checked with the keys that the server shows, and holds what was signed', async (t) => {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const jwk = { ...(await exportJWK(privateKey)), kid: 'key-1' }
  const ed = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' })
  const files: [string, string, string][] = [
    ['ES256', 'key.jwk', JSON.stringify(jwk)],
    ['EdDSA', 'key.pem', ed as string],
  ]
  for (const [alg, name, text] of files) {
    const keyFile = join(t.testdir(), name)
    writeFileSync(keyFile, text)
    const { baseUrl } = await startServer(t, { config: { card: { extended: true, signing: { keyFile } } } })
    const { card } = await cardOf(baseUrl)
    const header = decodeProtectedHeader(card.signatures[0])
    t.match(header, { alg, kid: String, typ: 'JOSE', jku: `${baseUrl}/.well-known/jwks.json` })
    const { keys } = (await (await fetch(header.jku as string)).json()) as { keys: JWK[] }
    t.match(keys, [{ kid: header.kid, alg, use: 'sig' }])
    t.notOk(
      keys.some((key) => 'd' in key),
      'no private part',
    )
    const verify = verifyAgentCardSignature(async (kid) => keys.find((key) => key.kid === kid) as JWK)
    await verify(card)
    await t.rejects(
      quietly(() => verify({ ...card, description: 'Pays well' })),
      /No valid signatures/,
    )
    const extended = (await call({ baseUrl }, 'GetExtendedAgentCard', {}, V1)).result
    await verify(extended)
    // As someone without the SDK would: every member that is there is covered.
    const { signatures, ...rest } = card
    t.equal(JSON.stringify(sorted(rest)), canonicalizeAgentCard(card))
    const payload = Buffer.from(JSON.stringify(sorted(rest))).toString('base64url')
    await flattenedVerify({ ...signatures[0], payload }, createRemoteJWKSet(new URL(header.jku as string)))
  }
})

/** The SDK tells the console of each signature that does not fit. */
async function quietly<T>(run: () => Promise<T>): Promise<T> {
  const { debug } = console
  console.debug = () => undefined
  try {
    return await run()
  } finally {
    console.debug = debug
  }
}

/** Without what is empty, keys in order. (RFC 8785) */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([, member]) => !(Array.isArray(member) && member.length === 0))
  return Object.fromEntries(
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([key, member]) => [key, sorted(member)]),
  )
}

t.test('a key that does not fit stops the start by name, and is not told', async (t) => {
  const keyFile = join(t.testdir({ 'key.pem': 'secret words' }), 'key.pem')
  const refused = (config: SigningConfig, why: RegExp) => t.rejects(loadCardSigner(config), why)
  await refused({ keyFile }, /^(?!.*secret).*card\.signing\.keyFile: was .*must hold a private key/s)
  await refused({ keyFile: '/nowhere' }, /cannot be read \(ENOENT\)/)
  writeFileSync(keyFile, generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }))
  await refused({ keyFile, alg: 'ES256' }, /alg: was "ES256"; must fit the key, so be EdDSA/)
})

t.test("a remote agent's skills are there once its own card was read", async (t) => {
  let ready = false
  const remote = await startImpostor(() => undefined, { card: (card) => (ready ? card : 'not yet') })
  t.teardown(() => remote.close())
  const { baseUrl } = await startServer(t, { config: { agents: [{ kind: 'a2a', name: 'shepherd', url: remote.url }] } })
  const before = await cardOf(baseUrl)
  t.notMatch(before.text, /Counting sheep/)
  ready = true
  let after = before
  while (after.text === before.text) after = await cardOf(baseUrl)
  t.match(after.card.skills[1], { id: 'counting', name: 'Counting sheep' })
  t.not(after.response.headers.get('etag'), before.response.headers.get('etag'))
})
