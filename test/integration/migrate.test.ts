import { randomUUID } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { Client } from 'pg'
import type { Test } from 'tap'
import { type MigrationConnection, migrate } from '../../src/db/migrate.ts'
import t from '../tap.ts'

const FIRST = "CREATE TABLE one (id int PRIMARY KEY); COMMENT ON TABLE one IS 'semi; colons';"
const SECOND = 'ALTER TABLE one ADD COLUMN name text; INSERT INTO one VALUES (1);'

function folderOf(t: Test, files: Record<string, string>): string {
  const folder = t.testdir()
  for (const [name, sql] of Object.entries(files)) write(folder, name, sql)
  return folder
}

function write(folder: string, name: string, sql: string): void {
  mkdirSync(join(folder, name), { recursive: true })
  writeFileSync(join(folder, name, 'migration.sql'), sql)
}

/** The same promises on whatever `open` gives: each call a new connection to one fresh database. */
function suite(t: Test, open: () => Promise<MigrationConnection>): void {
  t.test('applies what is missing, in order, once', async (t) => {
    const folder = folderOf(t, { '2_second': SECOND, '1_first': FIRST })
    const connection = await open()
    t.same(await migrate(connection, folder), ['1_first', '2_second'])
    t.same(await migrate(connection, folder), [])
    t.same((await connection.query('SELECT id FROM one', [])).rows, [{ id: 1 }])
  })

  t.test('a failing migration leaves nothing behind and names itself', async (t) => {
    const folder = folderOf(t, { '1_first': FIRST, '2_second': SECOND })
    const connection = await open()
    write(folder, '3_third', 'CREATE TABLE half (id int); SELECT nonsense;')
    await t.rejects(migrate(connection, folder), { message: /^Migration 3_third could not be applied: .*nonsense/ })
    t.same((await connection.query("SELECT to_regclass('half') AS half", [])).rows, [{ half: null }])
    write(folder, '3_third', 'CREATE TABLE half (id int)')
    t.same(await migrate(connection, folder), ['3_third'], 'and lands when it is right')
  })

  t.test('refuses what was edited, what is unknown and what failed', async (t) => {
    const connection = await open()
    const third = { '3_third': 'CREATE TABLE half (id int)' }
    const edited = folderOf(t, { '1_first': `${FIRST} --`, '2_second': SECOND, ...third })
    await t.rejects(migrate(connection, edited), { message: /^Migration 1_first was edited/ })
    await t.rejects(migrate(connection, folderOf(t, { '1_first': FIRST, ...third })), {
      message: /2_second was applied/,
    })
    await connection.exec("UPDATE _prisma_migrations SET finished_at = NULL WHERE migration_name = '2_second'")
    const same = folderOf(t, { '1_first': FIRST, '2_second': SECOND, ...third })
    await t.rejects(migrate(connection, same), { message: /2_second failed before/ })
  })
}

t.test('on the embedded database', async (t) => {
  const database = await PGlite.create()
  t.teardown(() => database.close())
  suite(t, async () => database)
})

const server = process.env['TEST_DATABASE_URL']
t.test('on Postgres', { skip: server === undefined && 'TEST_DATABASE_URL is not set' }, async (t) => {
  const name = `trellis_migrate_${randomUUID().replaceAll('-', '')}`
  const url = new URL(server ?? '')
  const admin = new Client({ connectionString: `${url}` })
  await admin.connect()
  await admin.query(`CREATE DATABASE ${name}`)
  const clients: Client[] = []
  t.teardown(async () => {
    await Promise.all(clients.map((client) => client.end()))
    await admin.query(`DROP DATABASE ${name}`)
    await admin.end()
  })
  url.pathname = `/${name}`
  const open = async (): Promise<MigrationConnection> => {
    const client = new Client({ connectionString: `${url}` })
    clients.push(client)
    await client.connect()
    return { exec: (sql) => client.query(sql), query: (sql, params) => client.query(sql, params) }
  }
  suite(t, open)
  t.test('eight racing starts apply each migration exactly once', async (t) => {
    await (await open()).exec('DROP TABLE one, half, _prisma_migrations')
    const folder = folderOf(t, { '1_first': FIRST, '2_second': SECOND })
    const applied = await Promise.all(Array.from({ length: 8 }, async () => migrate(await open(), folder)))
    t.same(applied.flat().toSorted(), ['1_first', '2_second'])
  })
})
