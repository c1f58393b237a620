import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import pg from 'pg'
import { copyDataFolder } from '../embedded-template.ts'

/** Set: the tests run on that Postgres server. Else on the embedded database. */
export const POSTGRES = process.env['TEST_DATABASE_URL']

/** A database for the server processes of one test. */
export interface TestDatabase {
  /** For files that go with it. */
  folder: string
  /** What a server process needs to find it. */
  env: NodeJS.ProcessEnv
  /** Reads it, once no server has it open (the embedded one bears one process only). */
  read<T>(use: (query: Query) => Promise<T>): Promise<T>
  drop(): Promise<void>
}

export type Query = <T>(sql: string, params?: unknown[]) => Promise<T[]>

/** An empty one that is dropped when the test ends. */
export async function createDatabase(t: { teardown(end: () => unknown): void }): Promise<TestDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'trellis-crash-'))
  const database = POSTGRES === undefined ? await embedded(folder) : await onServer(folder, POSTGRES)
  t.teardown(() => database.drop())
  return database
}

async function embedded(folder: string): Promise<TestDatabase> {
  const dir = join(folder, 'data')
  await copyDataFolder(dir)
  const read = async <T>(use: (query: Query) => Promise<T>) => {
    const pglite = await PGlite.create(`${dir}/postgres`)
    try {
      return await use(async (sql, params) => (await pglite.query(sql, params)).rows as never)
    } finally {
      await pglite.close()
    }
  }
  const drop = () => rm(folder, { recursive: true, force: true })
  return { folder, env: { DATA_DIR: dir }, read, drop }
}

async function onServer(folder: string, server: string): Promise<TestDatabase> {
  const name = `trellis_crash_${process.pid}_${randomBytes(4).toString('hex')}`
  const url = new URL(server)
  url.pathname = `/${name}`
  await connected(server, (query) => query(`CREATE DATABASE ${name}`))
  const drop = async () => {
    await connected(server, (query) => query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`))
    await rm(folder, { recursive: true, force: true })
  }
  return { folder, env: { DATABASE_URL: url.href }, read: (use) => connected(url.href, use), drop }
}

async function connected<T>(connectionString: string, use: (query: Query) => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString })
  await client.connect()
  try {
    return await use(async (sql, params) => (await client.query(sql, params)).rows)
  } finally {
    await client.end()
  }
}
