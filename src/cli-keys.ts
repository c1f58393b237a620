import { stringify } from 'yaml'
import { makeApiKey, type NewApiKey } from './base/api-key.ts'
import { loadCommandConfig } from './base/config.ts'
import { SCOPES } from './base/config-auth.ts'
import { TrellisError } from './base/errors.ts'
import { listOf, readArgs, required, type Terminal, timeAhead, UsageError } from './cli-usage.ts'
import { type ApiKeyRow, ApiKeyTable, type NewApiKeyRow } from './db/api-keys.ts'
import { MIGRATIONS } from './migrations.ts'

const text = { type: 'string' } as const

/** Prints the key on stdout, alone, so that a script can take it; with --config, what belongs in the file before it. */
export async function createKey(args: string[], terminal: Terminal): Promise<void> {
  const options = { tenant: text, name: text, scopes: text, principal: text, expires: text }
  const { values } = readArgs(args, { ...options, config: { type: 'boolean' } as const })
  const made = makeApiKey()
  const row: NewApiKeyRow = {
    id: made.id,
    hash: made.hash,
    tenant: required('tenant', values.tenant),
    name: required('name', values.name),
    principal: values.principal === undefined ? `key-${made.id}` : required('principal', values.principal),
    scopes: listOf('scopes', values.scopes, SCOPES),
    expiresAt: values.expires === undefined ? null : timeAhead('expires', values.expires, new Date()),
  }
  if (values.config) return printForConfig(terminal, made, row)
  await withKeys(terminal, (keys) => keys.add(row))
  const until = row.expiresAt === null ? '' : ` until ${row.expiresAt.toISOString()}`
  terminal.err(
    `Key ${row.id} of ${row.principal} in ${row.tenant} may ${row.scopes.join(', ')}${until}. It is shown only now:\n`,
  )
  terminal.out(`${made.key}\n`)
}

function printForConfig({ out }: Terminal, { key }: NewApiKey, { name, expiresAt, ...row }: NewApiKeyRow): void {
  const { id, hash, tenant, principal, scopes } = row
  const expires = expiresAt?.toISOString()
  const written = {
    auth: { mode: 'apiKeys', keys: [{ id, hash, tenant, principal, scopes, ...(expires && { expires }) }] },
  }
  out(`# ${name}: belongs in config/trellis.yaml; the server reads it when it starts.\n`)
  out(stringify(written, { defaultStringType: 'QUOTE_DOUBLE', defaultKeyType: 'PLAIN' }))
  out(`# The key, shown only now:\n# ${key}\n`)
}

export async function listKeys(args: string[], terminal: Terminal): Promise<void> {
  const { tenant } = readArgs(args, { tenant: text }).values
  const rows = await withKeys(terminal, (keys) => keys.list(tenant))
  const lines = rows.map((row) => [row.id, row.tenant, row.principal, row.name, row.scopes.join(','), stateOf(row)])
  const table = [['ID', 'TENANT', 'PRINCIPAL', 'NAME', 'SCOPES', 'STATE'], ...lines]
  const widths = (table[0] ?? []).map((_, column) => Math.max(...table.map((line) => line[column]?.length ?? 0)))
  for (const line of table) {
    terminal.out(
      `${line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd()}\n`,
    )
  }
}

function stateOf({ revokedAt, expiresAt }: ApiKeyRow): string {
  if (revokedAt !== null) return `revoked ${revokedAt.toISOString()}`
  if (expiresAt === null) return 'valid'
  return `${expiresAt <= new Date() ? 'expired' : 'valid until'} ${expiresAt.toISOString()}`
}

export async function revokeKey(args: string[], terminal: Terminal): Promise<void> {
  const [id = ''] = readArgs(args, {}, 1).positionals
  if (!(await withKeys(terminal, (keys) => keys.revoke(id)))) {
    throw new UsageError(`There is no key "${id}" in the database; keys list shows those that there are`)
  }
  terminal.err(`Key ${id} is revoked. Servers stop taking it within 10 seconds.\n`)
}

/** Opens the database that the server uses. The embedded one bears one opener only. */
async function withKeys<T>({ env }: Terminal, work: (keys: ApiKeyTable) => Promise<T>): Promise<T> {
  const { data } = loadCommandConfig(env)
  const { dir, databaseUrl } = data
  const where = { dir, poolSize: 1, migrations: MIGRATIONS, ...(databaseUrl !== undefined && { databaseUrl }) }
  // Much to load for commands that leave the database alone.
  const { openDatabase } = await import('./db/client.ts')
  const database = await openDatabase(where).catch((error: unknown) => {
    if (databaseUrl !== undefined || !(error instanceof TrellisError)) throw error
    const way =
      'Or use keys create --config, which leaves the database alone; a key in the file goes when its lines do.'
    throw new TrellisError('unavailable', `${error.message} ${way}`, { cause: error })
  })
  try {
    return await work(new ApiKeyTable(database.prisma))
  } finally {
    await database.close()
  }
}
