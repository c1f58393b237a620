import { createPrivateKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { calculateJwkThumbprint, type JWK } from 'jose'
import type { Sql } from '../db/client.ts'
import { keepWebhookKey } from '../domain/queries/webhooks.ts'

/** Signs webhooks with Ed25519, as Standard Webhooks' asymmetric form does. */
export class WebhookSigner {
  /** For whoever checks: a member of the server's JWKS. */
  readonly publicKey: JWK
  readonly #key: KeyObject

  constructor(key: KeyObject, publicKey: JWK) {
    this.#key = key
    this.publicKey = publicKey
  }

  /** The `webhook-signature` header: over id, time in seconds and body, joined by dots. */
  sign(id: string, timestamp: number, body: string): string {
    return `v1a,${sign(null, Buffer.from(`${id}.${timestamp}.${body}`), this.#key).toString('base64')}`
  }
}

/** The key that all servers on a database sign with: the first one to come makes it. */
export async function loadWebhookSigner(sql: Sql): Promise<WebhookSigner> {
  const { privateKey } = generateKeyPairSync('ed25519')
  const jwk = await keepWebhookKey(sql, privateKey.export({ format: 'jwk' }))
  const { kty = '', crv = '', x = '' } = jwk as JWK
  const kid = await calculateJwkThumbprint({ kty, crv, x })
  return new WebhookSigner(createPrivateKey({ key: jwk, format: 'jwk' }), {
    kty,
    crv,
    x,
    kid,
    alg: 'EdDSA',
    use: 'sig',
  })
}
