import { makeApiKey } from '../../src/base/api-key.ts'
import { SCOPES } from '../../src/base/config-auth.ts'
import { ApiKeyTable } from '../../src/db/api-keys.ts'
import type { ServerUnderTest } from './server.ts'

export interface KeyOptions {
  tenant?: string
  principal?: string
  scopes?: readonly string[]
  expiresAt?: Date
}

export interface Principal {
  keyId: string
  key: string
  /** What its requests show. */
  headers: Record<string, string>
}

/** A key in the server's database, and the headers of whoever has it. It may do everything unless told otherwise. */
export async function addKey({ app }: ServerUnderTest, options: KeyOptions = {}): Promise<Principal> {
  const { id, key, hash } = makeApiKey()
  const { tenant = 'acme', principal = `key-${id}`, scopes = SCOPES.filter((scope) => scope !== 'admin') } = options
  const expiresAt = options.expiresAt ?? null
  const row = { id, hash, tenant, principal, name: 'a test', scopes: [...scopes], expiresAt }
  await new ApiKeyTable(app.database.prisma).add(row)
  return { keyId: id, key, headers: { 'X-API-Key': key } }
}

export function keysOf({ app }: ServerUnderTest): ApiKeyTable {
  return new ApiKeyTable(app.database.prisma)
}
