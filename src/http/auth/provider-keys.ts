import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  type FlattenedJWSInput,
  type JWSHeaderParameters,
  type RemoteJWKSet,
} from 'jose'
import { discoveryUrl } from '../../a2a/security.ts'
import type { OidcConfig } from '../../base/config.ts'
import { TrellisError } from '../../base/errors.ts'

/** A key that is not known has the set read again, but not more often than this. */
const COOLDOWN_MILLISECONDS = 10_000
/** Keys that the provider has taken back are gone after this at the latest. */
const MAX_AGE_MILLISECONDS = 10 * 60_000
/** A provider that fails is left alone for a moment. */
const FAILED_MILLISECONDS = 1_000
const MAX_DOCUMENT_BYTES = 1024 * 1024

/** The keys that the provider signs with, read when they are needed and kept for a while. (RFC 7517) */
export class ProviderKeys {
  readonly #config: OidcConfig
  readonly #cooldown: number
  #set: Promise<RemoteJWKSet> | undefined
  #failed = { until: 0, error: undefined as unknown }

  constructor(config: OidcConfig, cooldownMilliseconds = COOLDOWN_MILLISECONDS) {
    this.#config = config
    this.#cooldown = cooldownMilliseconds
  }

  /** The key that a token names. @throws a JOSEError where there is none, TrellisError unavailable where nobody knows */
  async find(header: JWSHeaderParameters, token: FlattenedJWSInput) {
    if (Date.now() < this.#failed.until) return this.#findKept(header, token)
    try {
      const set = await this.#keySet()
      return await set(header, token)
    } catch (error) {
      if (isAnswer(error)) throw error
      this.#failed = { until: Date.now() + FAILED_MILLISECONDS, error }
      throw unavailable(error)
    }
  }

  /** Among the keys that were read before, while the provider is left alone. */
  async #findKept(header: JWSHeaderParameters, token: FlattenedJWSInput) {
    const set = await this.#set?.catch(() => undefined)
    const kept = set?.fresh ? set.jwks() : undefined
    if (kept === undefined) throw unavailable(this.#failed.error)
    return createLocalJWKSet(kept)(header, token).catch(() => {
      throw unavailable(this.#failed.error)
    })
  }

  #keySet(): Promise<RemoteJWKSet> {
    this.#set ??= this.#open().catch((error: unknown) => {
      this.#set = undefined
      throw error
    })
    return this.#set
  }

  async #open(): Promise<RemoteJWKSet> {
    const { jwksUri, timeoutSeconds } = this.#config
    return createRemoteJWKSet(new URL(jwksUri ?? (await this.#discover())), {
      timeoutDuration: Math.ceil(timeoutSeconds * 1_000),
      cooldownDuration: this.#cooldown,
      cacheMaxAge: MAX_AGE_MILLISECONDS,
    })
  }

  /** Where the issuer says its keys are. (OpenID Connect Discovery 1.0 §4) */
  async #discover(): Promise<string> {
    const { issuer, timeoutSeconds } = this.#config
    const url = discoveryUrl(issuer)
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(timeoutSeconds * 1_000) })
    if (!response.ok) throw new Error(`${url} answers ${response.status}`)
    const text = await response.text()
    if (text.length > MAX_DOCUMENT_BYTES) throw new Error(`${url} is larger than ${MAX_DOCUMENT_BYTES} bytes`)
    const document = JSON.parse(text) as { issuer?: unknown; jwks_uri?: unknown } | null
    // Another issuer's document would vouch for another issuer's keys. (§4.3)
    if (document?.issuer !== issuer) throw new Error(`${url} is the document of another issuer`)
    const { jwks_uri: uri } = document
    if (typeof uri === 'string' && /^https?:/.test(uri) && URL.canParse(uri)) return uri
    throw new Error(`${url} names no jwks_uri`)
  }
}

/** Whether the keys were there, and the token's was not among them. */
function isAnswer(error: unknown): boolean {
  return (
    error instanceof errors.JWKSNoMatchingKey ||
    error instanceof errors.JWKSMultipleMatchingKeys ||
    error instanceof errors.JOSENotSupported
  )
}

function unavailable(cause: unknown): TrellisError {
  return new TrellisError('unavailable', "The identity provider's keys cannot be read at the moment", { cause })
}
