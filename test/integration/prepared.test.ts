import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openDatabase } from '../../src/db/client.ts'
import { prepareDatabase } from '../../src/db/prepare.ts'
import { copyPrepared } from '../../src/db/prepared.ts'
import { MIGRATIONS } from '../../src/migrations.ts'
import t from '../tap.ts'

t.test('a first start opens the database that the install prepared', async (t) => {
  await prepareDatabase(MIGRATIONS)
  const dir = t.testdir({ 'postgres.part': { 'half-a-copy': 'of a process that was killed' } })
  const database = await openDatabase({ dir, poolSize: 1, migrations: MIGRATIONS })
  const [row] = await database.prisma.$queryRawUnsafe<{ queues: number }[]>(
    'SELECT count(*)::int AS queues FROM pgboss.queue WHERE table_name IS NOT NULL',
  )
  t.ok(row && row.queues >= 2, 'its queues are there before any queue was started')
  await database.close()
  t.notOk(existsSync(join(dir, 'postgres/half-a-copy')))
  t.notOk(existsSync(join(dir, 'postgres.part')))
})

t.test('a database that is there is left alone', async (t) => {
  const dir = t.testdir({ postgres: { PG_VERSION: 'mine' } })
  t.equal(await copyPrepared(join(dir, 'postgres'), MIGRATIONS), false)
  t.equal(readFileSync(join(dir, 'postgres/PG_VERSION'), 'utf8'), 'mine')
})

t.test('one that was prepared for other migrations is not taken', async (t) => {
  const dir = t.testdir({})
  cpSync(MIGRATIONS, join(dir, 'migrations'), { recursive: true })
  mkdirSync(join(dir, 'migrations/99999999999999_more'))
  writeFileSync(join(dir, 'migrations/99999999999999_more/migration.sql'), 'CREATE TABLE more (id text)')
  t.equal(await copyPrepared(join(dir, 'postgres'), join(dir, 'migrations')), false)
  t.notOk(existsSync(join(dir, 'postgres')), 'it is made at the start')
})

t.test('nobody else can write what was prepared, nor open a data folder that was made', async (t) => {
  const prepared = await prepareDatabase(MIGRATIONS)
  const modeOf = (path: string) => statSync(path).mode & 0o777
  const files = readdirSync(prepared, { recursive: true, encoding: 'utf8' }).map((name) => join(prepared, name))
  t.strictSame(
    files.filter((file) => modeOf(file) & 0o022),
    [],
  )
  const dir = join(t.testdir(), 'data')
  const database = await openDatabase({ dir, poolSize: 1, migrations: MIGRATIONS })
  await database.close()
  t.equal(modeOf(dir), 0o700)
})

t.test('one that cannot be copied is done without', async (t) => {
  await prepareDatabase(MIGRATIONS)
  const dir = t.testdir({ postgres: t.fixture('symlink', 'a-disk-that-is-not-there') })
  t.equal(await copyPrepared(join(dir, 'postgres'), MIGRATIONS), false)
  t.strictSame(readdirSync(dir), ['postgres'], 'and nothing is left behind')
})
