import { createHash } from 'node:crypto'
import { errors, type JWTPayload, type JWTVerifyOptions, jwtVerify } from 'jose'
import { LRUCache } from 'lru-cache'
import { type Identity, SCOPES } from '../../a2a/identity.ts'
import type { OidcConfig } from '../../base/config.ts'
import { TrellisError } from '../../base/errors.ts'
import { ProviderKeys } from './provider-keys.ts'

/** A token that was checked is not checked again for so long. It says itself when it ends; a key that its provider takes
 * back counts after that. */
const CHECKED_MILLISECONDS = 60_000
const MAX_CHECKED = 10_000
/** Tokens are longer than keys, and end somewhere. */
const MAX_LENGTH = 8_192
const MAX_NAME = 255

/** The callers of an OpenID provider's access tokens, which are JWTs. (RFC 7519, RFC 9068) */
export class Tokens {
  readonly #config: OidcConfig
  readonly #keys: ProviderKeys
  readonly #options: JWTVerifyOptions
  readonly #checked = new LRUCache<string, { identity: Identity; expires: number }>({
    max: MAX_CHECKED,
    ttl: CHECKED_MILLISECONDS,
  })

  constructor(config: OidcConfig) {
    this.#config = config
    this.#keys = new ProviderKeys(config)
    this.#options = {
      issuer: config.issuer,
      audience: config.audience,
      algorithms: [...config.algorithms],
      clockTolerance: config.clockToleranceSeconds,
      requiredClaims: ['exp'],
    }
  }

  /** Who the token says it is. @throws TrellisError unauthenticated, or unavailable while the provider's keys are */
  async identify(token: string): Promise<Identity> {
    if (token.length > MAX_LENGTH) throw refused(`it is longer than ${MAX_LENGTH} characters`)
    const digest = createHash('sha256').update(token).digest('base64url')
    const checked = this.#checked.get(digest)
    if (checked !== undefined && checked.expires > Date.now()) return checked.identity
    const payload = await this.#verify(token)
    const identity = this.#identityOf(payload)
    const expires = ((payload.exp as number) + this.#config.clockToleranceSeconds) * 1_000
    this.#checked.set(digest, { identity, expires })
    return identity
  }

  async #verify(token: string): Promise<JWTPayload> {
    try {
      return (await jwtVerify(token, (header, jws) => this.#keys.find(header, jws), this.#options)).payload
    } catch (error) {
      if (error instanceof TrellisError) throw error
      throw refused(error instanceof errors.JOSEError ? error.message : 'it is no JWT')
    }
  }

  #identityOf(payload: JWTPayload): Identity {
    const { principalClaim, principalPrefix, tenantClaim, tenant } = this.#config
    return {
      tenant: tenantClaim === undefined ? tenant : nameIn(payload, tenantClaim),
      owner: `${principalPrefix}${nameIn(payload, principalClaim)}`,
      scopes: this.#scopesOf(payload),
    }
  }

  #scopesOf(payload: JWTPayload): Identity['scopes'] {
    const { scopeClaim, scopePrefix, defaultScopes } = this.#config
    const given = claim(payload, scopeClaim)
    if (given === undefined) return defaultScopes
    const words = typeof given === 'string' ? given.split(/[\s,]+/) : Array.isArray(given) ? given : []
    return SCOPES.filter((scope) => words.includes(`${scopePrefix}${scope}`))
  }
}

/** A claim by its name; else by a path into objects, as in `realm_access.roles`. Names may have dots: they are often URLs. */
function claim(payload: JWTPayload, name: string): unknown {
  if (Object.hasOwn(payload, name)) return payload[name]
  return name.split('.').reduce<unknown>((at, key) => {
    return typeof at === 'object' && at !== null && Object.hasOwn(at, key) ? (at as JWTPayload)[key] : undefined
  }, payload)
}

/** Whoever has no name is nobody: never a default that others share. */
function nameIn(payload: JWTPayload, at: string): string {
  const name = claim(payload, at)
  if (
    typeof name === 'string' &&
    name !== '' &&
    name.length <= MAX_NAME &&
    name.isWellFormed() &&
    !name.includes('\0')
  ) {
    return name
  }
  throw refused(
    `its claim ${at} is ${name === undefined ? 'missing' : 'not usable'}; expected 1 to ${MAX_NAME} characters`,
  )
}

function refused(why: string): TrellisError {
  return new TrellisError('unauthenticated', `The token is not accepted: ${why}`, {
    details: { challenge: 'Bearer realm="trellis", error="invalid_token"' },
  })
}
