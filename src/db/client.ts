import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { type DataFolderLock, lockDataFolder } from './data-folder.ts'
import { PrismaClient } from './generated/client.ts'
import { migrate } from './migrate.ts'
import { openPool } from './pool.ts'
import { copyPrepared } from './prepared.ts'

/** Anything that runs statements: the client, or one transaction of it. */
export type Sql = Pick<PrismaClient, '$queryRawUnsafe' | '$executeRawUnsafe'>

export interface DatabaseOptions {
  /** A postgres:// URL; absent: the embedded database in `dir`. */
  databaseUrl?: string
  dir: string
  poolSize: number
  /** After how long without a sign of life a process counts as lost; 20 when absent. */
  lostSeconds?: number
  /** The folder of the migrations. */
  migrations: string
}

/**
 * Of the 128 MB that Postgres takes by default it clears every byte at each start, a tenth of a second of work. What does
 * not fit the system keeps in memory, too: it holds the same files.
 */
const SHARED_MEMORY = ['-c', 'shared_buffers=48MB', '-c', 'wal_buffers=4MB']
/** A busy process may be silent for a moment in the middle of a transaction. */
const MIN_SILENT_SECONDS = 5

/** The database that the process uses, opened and migrated. */
export interface Database {
  prisma: PrismaClient
  /** The embedded database; undefined on a Postgres server. */
  embedded?: PGlite
  close(): Promise<void>
}

/** Opens the database and brings its schema up to date. The embedded one is this process's alone while it is open. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  return options.databaseUrl === undefined ? openEmbedded(options) : openServer(options.databaseUrl, options)
}

async function openServer(connectionString: string, options: DatabaseOptions): Promise<Database> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 })
  await client.connect()
  try {
    await migrate(
      { exec: (sql) => client.query(sql), query: (sql, params) => client.query(sql, params) },
      options.migrations,
    )
  } finally {
    await client.end()
  }
  const silentSeconds = Math.max(options.lostSeconds ?? 20, MIN_SILENT_SECONDS)
  const prisma = new PrismaClient({ adapter: openPool(connectionString, options.poolSize, silentSeconds) })
  return { prisma, close: () => prisma.$disconnect() }
}

async function openEmbedded(options: DatabaseOptions): Promise<Database> {
  const lock = lockDataFolder(options.dir)
  try {
    const startParams = [...PGlite.defaultStartParams, ...SHARED_MEMORY]
    const folder = `${options.dir}/postgres`
    await copyPrepared(folder, options.migrations)
    const embedded = await PGlite.create(folder, { startParams })
    await migrate(
      { exec: (sql) => embedded.exec(sql), query: (sql, params) => embedded.query(sql, params) },
      options.migrations,
    )
    return embeddedDatabase(embedded, lock)
  } catch (error) {
    lock.release()
    throw error
  }
}

/** Wraps an embedded database that is migrated already; tests clone one. */
export function embeddedDatabase(embedded: PGlite, lock?: DataFolderLock): Database {
  const prisma = new PrismaClient({ adapter: new PrismaPGlite(embedded) })
  const close = async () => {
    await prisma.$disconnect()
    await embedded.close()
    lock?.release()
  }
  return { prisma, embedded, close }
}
