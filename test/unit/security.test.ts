import { demand, type Scope } from '../../src/a2a/identity.ts'
import { securityOf } from '../../src/a2a/security.ts'
import { apiKeyId, isApiKey, makeApiKey } from '../../src/base/api-key.ts'
import type { AuthConfig, OidcConfig } from '../../src/base/config.ts'
import t from '../tap.ts'

const auth = (mode: AuthConfig['mode'], oidc: Partial<OidcConfig> = {}): AuthConfig => ({
  mode,
  allowAnonymous: false,
  keys: [],
  oidc: { issuer: 'https://id.example.com/', ...oidc } as OidcConfig,
})

t.test('the card says what callers have to show', async (t) => {
  t.equal(securityOf(auth('none')), undefined)
  const keys = securityOf(auth('apiKeys'))
  t.match(keys?.securitySchemes, { apiKey: { apiKeySecurityScheme: { location: 'header', name: 'X-API-Key' } } })
  t.same(keys?.securityRequirements, [{ schemes: { apiKey: { list: [] } } }])
  const openIdConnectUrl = 'https://id.example.com/.well-known/openid-configuration'
  t.same(securityOf(auth('oidc'))?.securitySchemes, { oidc: { openIdConnectSecurityScheme: { openIdConnectUrl } } })
  t.same(
    securityOf(auth('oidc', { jwksUri: 'https://id.example.com/keys' }))?.securitySchemes,
    { oidc: { httpAuthSecurityScheme: { scheme: 'Bearer', bearerFormat: 'JWT' } } },
    'an issuer whose keys are named by hand may have no discovery document',
  )
  t.same(
    securityOf(auth('both'))?.securityRequirements,
    [{ schemes: { apiKey: { list: [] } } }, { schemes: { oidc: { list: [] } } }],
    'either will do',
  )
})

t.test('a scope is demanded, or one of several', async (t) => {
  const who = (...scopes: Scope[]) => ({ tenant: 't', owner: 'o', scopes })
  t.doesNotThrow(() => demand('read', who('read')))
  t.doesNotThrow(() => demand(['write', 'work'], who('work')))
  t.doesNotThrow(() => demand(['write', 'work'], who('admin')))
  t.throws(() => demand('write', who('read', 'work')), { meaning: 'forbidden', message: /scope write; .* read, work/ })
  t.throws(() => demand(['write', 'work'], who()), { meaning: 'forbidden', message: /scope write or work; .* none/ })
})

t.test('a key is found by its id and proved by all of it', async (t) => {
  const { id, key, hash } = makeApiKey()
  t.match(key, /^trl_[a-z0-9]{12}_[0-9a-f]{64}$/)
  t.equal(apiKeyId(key), id)
  t.ok(isApiKey(key, hash))
  t.notOk(isApiKey(makeApiKey().key, hash))
  t.notOk(isApiKey(key, 'no hash'))
  for (const given of ['', 'trl_', `${key}0`, ` ${key}`, key.toUpperCase(), key.replace('trl', 'xyz')]) {
    t.equal(apiKeyId(given), undefined, JSON.stringify(given))
  }
})
