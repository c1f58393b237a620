import { randomBytes } from 'node:crypto'
import type { PGlite } from '@electric-sql/pglite'
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

/** A copy of a migrated template, or one that was given back; on a server the template goes when the test file ends. */
export async function createDatabase(): Promise<TestDatabase> {
  return POSTGRES === undefined ? borrowEmbedded() : createOnServer(POSTGRES)
}

/** Embedded databases that servers of this file are done with, emptied: making one takes half a second of work. */
const unused: PGlite[] = []
t.teardown(() => Promise.all(unused.splice(0).map((pglite) => pglite.close())))

async function borrowEmbedded(): Promise<TestDatabase> {
  const pglite = unused.pop() ?? (await openEmbeddedCopy())
  const { prisma } = embeddedDatabase(pglite)
  const close = async () => {
    await prisma.$disconnect()
    if (pglite.closed) return
    await pglite.exec(EMPTY)
    unused.push(pglite)
  }
  return { embedded: { prisma, embedded: pglite, close }, drop: async () => undefined }
}

/** Takes away what tests have written, and leaves what migrations and the queue's first start have. */
const EMPTY = `DO $$ DECLARE name text; BEGIN
  FOR name IN SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
    WHERE (schemaname = 'public' AND tablename <> '_prisma_migrations') OR (schemaname, tablename) = ('pgboss', 'job')
  LOOP EXECUTE 'DELETE FROM ' || name; END LOOP;
END $$`

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
