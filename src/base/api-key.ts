import { hash as digest, randomBytes, timingSafeEqual } from 'node:crypto'

/** `trl_<id>_<secret>`: the id finds the key, the secret proves it. Neither has characters that break a double-click. */
export const API_KEY_ID = /^[a-z0-9]{12}$/
const API_KEY = /^trl_([a-z0-9]{12})_([0-9a-f]{64})$/

const ID_BYTES = 6
const SECRET_BYTES = 32

export interface NewApiKey {
  id: string
  /** The key itself, which is kept nowhere. */
  key: string
  hash: string
}

/** A key with 256 bits that nobody can guess. */
export function makeApiKey(): NewApiKey {
  const id = randomBytes(ID_BYTES).toString('hex')
  const key = `trl_${id}_${randomBytes(SECRET_BYTES).toString('hex')}`
  return { id, key, hash: hashApiKey(key) }
}

/** The id in what may be a key; undefined if it is none. */
export function apiKeyId(given: string): string | undefined {
  return API_KEY.exec(given)?.[1]
}

/** SHA-256 in hexadecimal. A slow hash would add nothing: the secret is random, not chosen by a person. */
export function hashApiKey(key: string): string {
  return digest('sha256', key, 'hex')
}

/** Whether the key has that hash. How long it takes says nothing about where they differ. */
export function isApiKey(key: string, hash: string): boolean {
  const given = digest('sha256', key, 'buffer')
  const expected = Buffer.from(hash, 'hex')
  return expected.length === given.length && timingSafeEqual(given, expected)
}
