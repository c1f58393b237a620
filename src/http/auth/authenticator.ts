import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { type Authenticate, anonymous, type Credentials, type Identity } from '../../a2a/identity.ts'
import { API_KEY_HEADER } from '../../a2a/security.ts'
import { type Clock, systemClock } from '../../base/clock.ts'
import type { AuthConfig } from '../../base/config.ts'
import { TrellisError } from '../../base/errors.ts'
import { ApiKeys, type FindKey } from './api-keys.ts'
import { type QuotaLimits, Quotas } from './quotas.ts'
import { Tokens } from './tokens.ts'

export interface AuthenticatorOptions {
  auth: AuthConfig
  limits: QuotaLimits
  findKey: FindKey
  clock?: Clock
}

const MAX_REMEMBERED = 100_000
const BEARER = /^bearer +(\S+) *$/i
const KEY_START = 'trl_'

/** Says who calls, whatever binding the call came over, and how much that caller may ask. (docs/security.md) */
export function createAuthenticate(options: AuthenticatorOptions): Authenticate {
  const quotas = new Quotas(options.limits)
  const identify = options.auth.mode === 'none' ? undefined : identifier(options)
  if (identify === undefined) return byAddress(quotas)
  // Keys and tokens that are known already give the same object each time.
  const known = new WeakMap<Identity, Identity>()
  const withQuota = (identity: Identity): Identity => {
    const limited = known.get(identity) ?? { ...identity, quota: quotas.of(identity) }
    known.set(identity, limited)
    return limited
  }
  return async (credentials) => {
    try {
      return withQuota(await identify(credentials))
    } catch (error) {
      if (isUnauthenticated(error)) await countRefusal(quotas, credentials, error)
      throw error
    }
  }
}

/** Who guesses is slowed down; others behind the same address are not. The cause of that error is the refusal itself. */
async function countRefusal(quotas: Quotas, { address }: Credentials, refusal: unknown): Promise<void> {
  try {
    await quotas.call(`refused ${networkOf(address)}`)
  } catch (error) {
    throw Object.assign(error as Error, { cause: refusal })
  }
}

/** Where nobody has to say who calls, each address has a quota of its own. */
function byAddress(quotas: Quotas): Authenticate {
  const known = new LRUCache<string, Identity>({ max: MAX_REMEMBERED })
  return async (credentials) => {
    const address = networkOf(credentials.address)
    const remembered = known.get(address)
    if (remembered !== undefined) return remembered
    const identity = await anonymous(credentials)
    const limited = { ...identity, quota: quotas.of(identity, address) }
    known.set(address, limited)
    return limited
  }
}

/** An address; of IPv6 the network, since who has one address there has all of its 2^64. `::ffff:192.0.2.1` is 192.0.2.1. */
function networkOf(given = ''): string {
  if (!ipaddr.IPv6.isValid(given)) return given
  const address = ipaddr.IPv6.parse(given)
  if (address.isIPv4MappedAddress()) return address.toIPv4Address().toString()
  return address.parts.slice(0, 4).join(':')
}

/** Whether an error says that the caller is not, or no longer, who may call. */
export function isUnauthenticated(error: unknown): boolean {
  return error instanceof TrellisError && error.meaning === 'unauthenticated'
}

/** That the caller may not call, also where it was only told that it tries too often. */
export function refusalIn(error: unknown): unknown {
  return [error, (error as Error).cause].find(isUnauthenticated)
}

function identifier({ auth, findKey, clock = systemClock }: AuthenticatorOptions) {
  const { mode, oidc } = auth
  const keys = mode === 'oidc' ? undefined : new ApiKeys(auth.keys, findKey, clock)
  const tokens = mode === 'apiKeys' || oidc === undefined ? undefined : new Tokens(oidc)
  const challenge = challengeOf(keys !== undefined, tokens !== undefined)
  return async ({ authorization, apiKey }: Credentials): Promise<Identity> => {
    const token = authorization === undefined ? undefined : BEARER.exec(authorization)?.[1]
    // Clients that know no other way send a key as a bearer token.
    const key = apiKey ?? (token?.startsWith(KEY_START) ? token : undefined)
    if (keys !== undefined && key !== undefined) {
      const identity = await keys.identify(key)
      if (identity !== undefined) return identity
      throw unauthenticated('The API key is not known, has expired or was revoked', challenge)
    }
    if (tokens !== undefined && token !== undefined) return tokens.identify(token)
    throw unauthenticated(`Nobody is named as the caller; expected ${expected(keys, tokens)}`, challenge)
  }
}

function expected(keys: unknown, tokens: unknown): string {
  return [keys && `an API key in ${API_KEY_HEADER}`, tokens && 'a bearer token in Authorization']
    .filter(Boolean)
    .join(' or ')
}

/** (RFC 9110 §11.6.1) A key may come as a bearer token too, which is the scheme that clients know. */
function challengeOf(keys: boolean, tokens: boolean): string {
  const schemes = [tokens && 'Bearer realm="trellis"', keys && `ApiKey realm="trellis", header="${API_KEY_HEADER}"`]
  return schemes.filter(Boolean).join(', ')
}

function unauthenticated(message: string, challenge: string): TrellisError {
  return new TrellisError('unauthenticated', message, { details: { challenge } })
}
