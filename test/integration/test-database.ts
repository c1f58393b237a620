import { randomBytes } from 'node:crypto'
import pg from 'pg'
import t from 'tap'
import { type Database, embeddedDatabase, openDatabase } from '../../src/db/client.ts'
import { migrate } from '../../src/db/migrate.ts'
import { Queue } from '../../src/db/queue.ts'
import { openEmbeddedCopy } from '../embedded-template.ts'

const MIGRATIONS = new URL('../../prisma/migrations', import.meta.url).pathname

/** Set: the suites run on that Postgres server, each in databases of its own. Else on the embedded one. */
export const POSTGRES = process.env['TEST_DATABASE_URL']

/** A migrated database of a test's own: an open embedded one, or the URL of one on the server. */
export interface TestDatabase {
  embedded?: Database
  url?: string
  drop(): Promise<void>
}

/** A copy of a migrated template; on a server that goes when the test file ends. */
export async function createDatabase(): Promise<TestDatabase> {
  return POSTGRES === undefined ? copyEmbedded() : createOnServer(POSTGRES)
}

async function copyEmbedded(): Promise<TestDatabase> {
  const embedded = embeddedDatabase(await openEmbeddedCopy())
  return { embedded, drop: async () => undefined }
}

/** What the queue makes at its first start: copies need not make it again. */
async function provideQueues(where: { database: Database; databaseUrl: string }): Promise<void> {
  const handlers = { plan: async () => undefined, 'remote-cancel': async () => undefined }
  const queue = new Queue({ ...where, handlers, onError: () => undefined })
  await queue.start()
  await queue.stop()
}

let serverTemplate: Promise<string> | undefined

async function createOnServer(server: string): Promise<TestDatabase> {
  serverTemplate ??= migratedServerTemplate(server)
  const from = await serverTemplate
  const name = newName()
  await onServer(server, `CREATE DATABASE ${name} TEMPLATE ${from}`)
  return { url: urlOf(server, name), drop: () => drop(server, name) }
}

async function migratedServerTemplate(server: string): Promise<string> {
  const name = newName()
  await onServer(server, `CREATE DATABASE ${name}`)
  t.teardown(() => drop(server, name))
  const client = new pg.Client({ connectionString: urlOf(server, name) })
  await client.connect()
  await migrate({ exec: (sql) => client.query(sql), query: (sql, params) => client.query(sql, params) }, MIGRATIONS)
  await client.end()
  const databaseUrl = urlOf(server, name)
  const database = await openDatabase({ databaseUrl, dir: '', poolSize: 2, migrations: MIGRATIONS })
  await provideQueues({ database, databaseUrl })
  await database.close()
  return name
}

function newName(): string {
  return `trellis_test_${process.pid}_${randomBytes(4).toString('hex')}`
}

function urlOf(server: string, name: string): string {
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

function drop(server: string, name: string): Promise<void> {
  return onServer(server, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
}

async function onServer(server: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  try {
    await client.query(sql)
  } finally {
    await client.end()
  }
}
