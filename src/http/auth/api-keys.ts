import { LRUCache } from 'lru-cache'
import { type Identity, SCOPES } from '../../a2a/identity.ts'
import { apiKeyId, hashApiKey, isApiKey } from '../../base/api-key.ts'
import type { Clock } from '../../base/clock.ts'
import type { AuthConfig } from '../../base/config.ts'
import { TrellisError } from '../../base/errors.ts'
import { within } from './within.ts'

/** What is known of one key, wherever it is kept. */
export interface StoredKey {
  hash: string
  tenant: string
  principal: string
  scopes: readonly string[]
  expiresAt: Date | null
  revokedAt: Date | null
}

/** Reads one key of the database. */
export type FindKey = (id: string) => Promise<StoredKey | null>

interface KnownKey extends StoredKey {
  identity: Identity
}

/** For so long a revoked key may still be taken, and a new one be unknown. */
const KNOWN_MILLISECONDS = 5_000
const MAX_KNOWN = 10_000
const LOOKUP_SECONDS = 5

/** The callers of API keys: those of the configuration, then those of the database. */
export class ApiKeys {
  readonly #configured: ReadonlyMap<string, KnownKey>
  readonly #find: FindKey
  readonly #clock: Clock
  /** By id, what the database said: also that there is no such key, so that guessing costs it little. */
  readonly #known = new LRUCache<string, Promise<KnownKey | null>>({ max: MAX_KNOWN, ttl: KNOWN_MILLISECONDS })

  constructor(configured: AuthConfig['keys'], find: FindKey, clock: Clock) {
    this.#configured = new Map(configured.map((key) => [key.id, asKnown(key)]))
    this.#find = find
    this.#clock = clock
  }

  /** Whose key it is; undefined if nobody's, or if it has expired or was revoked. @throws TrellisError unavailable */
  async identify(given: string): Promise<Identity | undefined> {
    const id = apiKeyId(given)
    if (id === undefined) return undefined
    const key = this.#configured.get(id) ?? (await this.#lookUp(id))
    // Whether the id is known must not show in how long it takes.
    const fits = isApiKey(given, key?.hash ?? NOBODYS)
    if (key === null || !fits || key.revokedAt !== null) return undefined
    if (key.expiresAt !== null && key.expiresAt <= this.#clock.now()) return undefined
    return key.identity
  }

  #lookUp(id: string): Promise<KnownKey | null> {
    const remembered = this.#known.get(id)
    if (remembered !== undefined) return remembered
    const found = this.#find(id).then((key) => key && known(key))
    const looking = within(LOOKUP_SECONDS, found, () => {
      return new TrellisError('unavailable', 'The key could not be looked up: the database does not answer')
    })
    this.#known.set(id, looking)
    // A failure is nobody's state: the next one looks again.
    looking.catch(() => this.#known.delete(id))
    return looking
  }
}

const NOBODYS = hashApiKey('')

function asKnown({ id, hash, tenant, principal, scopes, expires }: AuthConfig['keys'][number]): KnownKey {
  return known({
    ...{ hash, tenant, scopes, revokedAt: null },
    principal: principal ?? `key-${id}`,
    expiresAt: expires === undefined ? null : new Date(expires),
  })
}

/** A key with what it says about its caller, once for all of its calls. */
function known(key: StoredKey): KnownKey {
  const scopes = SCOPES.filter((scope) => key.scopes.includes(scope))
  return { ...key, identity: { tenant: key.tenant, owner: key.principal, scopes } }
}
