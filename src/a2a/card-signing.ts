import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { type AgentCard, generateAgentCardSignature } from '@a2a-js/sdk'
import { calculateJwkThumbprint, type JWK } from 'jose'
import { ConfigError } from '../base/config.ts'

/** Where a server's public keys are. */
export const JWKS_PATH = '/.well-known/jwks.json'

/** Signs cards, and says with which key they can be checked. */
export interface CardSigner {
  sign(card: AgentCard, publicUrl: string): Promise<AgentCard>
  publicKey: JWK
}

export interface SigningConfig {
  /** A private key: PEM, or a JWK as JSON. */
  keyFile: string
  /** Absent: the JWK's own, else the key's thumbprint. (RFC 7638) */
  kid?: string
  /** Absent: what fits the key. */
  alg?: string
}

/**
 * Reads the key that cards are signed with: a detached JWS over the card in canonical form. (A2A 1.0 §8.4, RFC 8785)
 *
 * @throws ConfigError that says what is wrong with the file, or with the algorithm for its key
 */
export async function loadCardSigner(config: SigningConfig): Promise<CardSigner> {
  const { key, jwkKid } = readKey(config.keyFile)
  const alg = algorithmOf(key, config)
  const exported = createPublicKey(key).export({ format: 'jwk' }) as JWK
  const kid = config.kid ?? jwkKid ?? (await calculateJwkThumbprint(exported))
  return {
    publicKey: { ...exported, kid, alg, use: 'sig' },
    sign: (card, publicUrl) => {
      const jku = publicUrl === '' ? {} : { jku: `${publicUrl.replace(/\/+$/, '')}${JWKS_PATH}` }
      return generateAgentCardSignature(key, { alg, kid, typ: 'JOSE', ...jku })(card)
    },
  }
}

function readKey(path: string): { key: KeyObject; jwkKid?: string } {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw wrong('keyFile', path, `cannot be read (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`)
  }
  try {
    if (!text.trimStart().startsWith('{')) return { key: createPrivateKey(text) }
    const jwk = JSON.parse(text)
    const key = createPrivateKey({ key: jwk, format: 'jwk' })
    return typeof jwk.kid === 'string' ? { key, jwkKid: jwk.kid } : { key }
  } catch {
    // The reason could quote the key.
    throw wrong('keyFile', path, 'must hold a private key: PEM, or a JWK as JSON')
  }
}

const CURVES: Readonly<Record<string, string>> = { prime256v1: 'ES256', secp384r1: 'ES384', secp521r1: 'ES512' }
const RSA = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']

function algorithmOf(key: KeyObject, { alg, keyFile }: SigningConfig): string {
  const allowed = algorithmsOf(key)
  const [first] = allowed
  if (first === undefined) throw wrong('keyFile', keyFile, `must hold an EC, Ed25519 or RSA key`)
  if (alg === undefined || allowed.includes(alg)) return alg ?? first
  throw wrong('alg', alg, `must fit the key, so be ${allowed.join(', ')}`)
}

function algorithmsOf({ asymmetricKeyType, asymmetricKeyDetails }: KeyObject): string[] {
  if (asymmetricKeyType === 'ed25519') return ['EdDSA']
  if (asymmetricKeyType === 'rsa') return RSA
  const curve = asymmetricKeyType === 'ec' ? CURVES[asymmetricKeyDetails?.namedCurve ?? ''] : undefined
  return curve === undefined ? [] : [curve]
}

function wrong(setting: string, given: string, what: string): ConfigError {
  return new ConfigError([`card.signing.${setting}: was "${given}"; ${what}`])
}
