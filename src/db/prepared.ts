import { createHash } from 'node:crypto'
import { cpSync, existsSync, renameSync, rmSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readMigrations } from './migration-files.ts'

const ROOT = join(import.meta.dirname, '../..')
/** Beside the packages: it goes with the next install. */
const CACHE = join(ROOT, 'node_modules/.cache/trellis')
/** What decides how an empty database looks, beside the migrations. */
const SOURCES = [
  'node_modules/@electric-sql/pglite/package.json',
  'node_modules/pg-boss/package.json',
  'src/db/queue.ts',
  'src/db/prepare.ts',
]

/**
 * Where an install keeps an empty embedded database that is migrated and has its queues (`prepareDatabase`): making one is
 * most of a first start. Named by all that went into it, so that another version's is not found.
 */
export async function preparedFolder(migrations: string): Promise<string> {
  const sources = await Promise.all(SOURCES.map((file) => readFile(join(ROOT, file), 'utf8')))
  const steps = (await readMigrations(migrations)).map(({ name, sql }) => `${name}\n${sql}`)
  const hash = createHash('sha256').update([...sources, ...steps].join('\0'))
  return join(CACHE, hash.digest('hex'))
}

/** Puts a copy where a data folder's database will be. False: there is a database already, or none that can be copied. */
export async function copyPrepared(database: string, migrations: string): Promise<boolean> {
  if (existsSync(database)) return false
  const prepared = await preparedFolder(migrations).catch(() => null)
  if (prepared === null || !existsSync(prepared)) return false
  // Renamed once it is whole: half a copy is never opened. Nothing else is done meanwhile, and file by file it takes longer.
  const part = `${database}.part`
  rmSync(part, { recursive: true, force: true })
  try {
    cpSync(prepared, part, { recursive: true })
    renameSync(part, database)
    return true
  } catch {
    // An install of somebody else's, maybe, that this user may not read: a start can do without it.
    rmSync(part, { recursive: true, force: true })
    return false
  }
}
