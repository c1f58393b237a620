import { createHash, randomBytes } from 'node:crypto'
import { cpSync, existsSync } from 'node:fs'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { embeddedDatabase } from '../src/db/client.ts'
import { migrate } from '../src/db/migrate.ts'
import { readMigrations } from '../src/db/migration-files.ts'
import { Queue } from '../src/db/queue.ts'

const ROOT = join(import.meta.dirname, '..')
const MIGRATIONS = join(ROOT, 'prisma/migrations')
/** Goes with the next install, so nothing has to be cleaned up. */
const CACHE = join(ROOT, 'node_modules/.cache/trellis')

/** What a test writes fits, and every byte is cleared at each start. */
const SMALL = ['-c', 'shared_buffers=16MB', '-c', 'wal_buffers=4MB']

let template: Promise<Blob> | undefined
let folderOfFiles: Promise<string> | undefined

/**
 * An embedded database that is migrated and has its queues, in memory. Making one takes seconds, so the first process of
 * all leaves a dump behind for the others, named by what went into it.
 */
export async function openEmbeddedCopy(): Promise<PGlite> {
  template ??= readOrMakeTemplate()
  return PGlite.create({ loadDataDir: await template, startParams: [...PGlite.defaultStartParams, ...SMALL] })
}

/** Makes a data folder of the same, as a server finds it that was stopped. Only files are copied. */
export async function copyDataFolder(folder: string): Promise<void> {
  folderOfFiles ??= findOrMakeFolder()
  cpSync(await folderOfFiles, join(folder, 'postgres'), { recursive: true })
}

async function findOrMakeFolder(): Promise<string> {
  const folder = join(CACHE, await fingerprint())
  if (existsSync(folder)) return folder
  template ??= readOrMakeTemplate()
  const part = partOf(folder)
  await mkdir(dirname(part), { recursive: true })
  await (await PGlite.create(part, { loadDataDir: await template })).close()
  // Another process may have been first.
  await rename(part, folder).catch(() => rm(part, { recursive: true }))
  return folder
}

async function readOrMakeTemplate(): Promise<Blob> {
  const file = join(CACHE, `${await fingerprint()}.tar`)
  const kept = await readFile(file).catch(() => null)
  if (kept !== null) return new Blob([kept])
  const made = await makeTemplate()
  await keep(file, made)
  return made
}

/** Of everything that decides what is in the template. */
async function fingerprint(): Promise<string> {
  const files = [
    'node_modules/@electric-sql/pglite/package.json',
    'node_modules/pg-boss/package.json',
    'src/db/queue.ts',
  ]
  const texts = await Promise.all(files.map((file) => readFile(join(ROOT, file), 'utf8')))
  const migrations = (await readMigrations(MIGRATIONS)).map(({ name, sql }) => `${name}\n${sql}`)
  return createHash('sha256')
    .update([...texts, ...migrations].join('\0'))
    .digest('hex')
}

async function makeTemplate(): Promise<Blob> {
  const pglite = await PGlite.create()
  await migrate({ exec: (sql) => pglite.exec(sql), query: (sql, params) => pglite.query(sql, params) }, MIGRATIONS)
  const handlers = { plan: async () => undefined, 'remote-cancel': async () => undefined }
  const database = embeddedDatabase(pglite)
  const queue = new Queue({ database, databaseUrl: undefined, handlers, onError: () => undefined })
  await queue.start()
  await queue.stop()
  const dump = await pglite.dumpDataDir('none')
  await pglite.close()
  return dump
}

/** Two processes may make it at once; what one reads is whole, whoever was last. */
async function keep(file: string, dump: Blob): Promise<void> {
  await mkdir(CACHE, { recursive: true })
  const part = partOf(file)
  await writeFile(part, Buffer.from(await dump.arrayBuffer()))
  await rename(part, file)
}

function partOf(path: string): string {
  return `${path}.${randomBytes(4).toString('hex')}`
}
