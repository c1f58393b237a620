import { createHash, randomUUID } from 'node:crypto'
import { type Migration, MigrationError, readMigrations } from './migration-files.ts'

export { MigrationError } from './migration-files.ts'

/** One connection, not a pool: the lock and the transactions belong to it. A pg `Client` and PGlite both fit by a line. */
export interface MigrationConnection {
  /** Runs a script of any number of statements. */
  exec(sql: string): Promise<unknown>
  query(sql: string, params: unknown[]): Promise<{ rows: unknown[] }>
}

interface AppliedMigration {
  migration_name: string
  checksum: string
  finished_at: Date | null
  rolled_back_at: Date | null
}

/** Any number that nothing else locks: "trellis" in ASCII. */
const LOCK_KEY = '32776877234743667'

/** The table as Prisma's own tools make it, so that they can read it. */
const HISTORY_TABLE = `CREATE TABLE IF NOT EXISTS _prisma_migrations (
  id VARCHAR(36) PRIMARY KEY NOT NULL,
  checksum VARCHAR(64) NOT NULL,
  finished_at TIMESTAMPTZ,
  migration_name VARCHAR(255) NOT NULL,
  logs TEXT,
  rolled_back_at TIMESTAMPTZ,
  started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
  applied_steps_count INTEGER NOT NULL DEFAULT 0
)`

/**
 * Applies what is missing from `folder` (prisma/migrations), in the order of names, and resolves with the names applied.
 * Any number of processes may start at once: each migration lands exactly once, under an advisory lock. A migration is
 * one transaction with its history row, so a failed one leaves nothing behind.
 *
 * @throws MigrationError for an applied migration that was edited since, failed, or is not in the folder
 */
export async function migrate(connection: MigrationConnection, folder: string): Promise<string[]> {
  const migrations = await readMigrations(folder)
  await connection.query(`SELECT pg_advisory_lock(${LOCK_KEY})`, [])
  try {
    await connection.exec(HISTORY_TABLE)
    const pending = missing(migrations, await readHistory(connection))
    for (const migration of pending) await apply(connection, migration)
    return pending.map((migration) => migration.name)
  } finally {
    await connection.query(`SELECT pg_advisory_unlock(${LOCK_KEY})`, [])
  }
}

async function readHistory(connection: MigrationConnection): Promise<AppliedMigration[]> {
  const { rows } = await connection.query(
    `SELECT migration_name, checksum, finished_at, rolled_back_at FROM _prisma_migrations
     WHERE rolled_back_at IS NULL ORDER BY migration_name`,
    [],
  )
  return rows as AppliedMigration[]
}

function missing(migrations: Migration[], history: AppliedMigration[]): Migration[] {
  const byName = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const applied of history) refuseBroken(applied, byName.get(applied.migration_name))
  const done = new Set(history.map((applied) => applied.migration_name))
  return migrations.filter((migration) => !done.has(migration.name))
}

function refuseBroken(applied: AppliedMigration, migration: Migration | undefined): void {
  const name = applied.migration_name
  if (migration === undefined) {
    throw new MigrationError(name, 'was applied to this database and is not known here; is this an older Trellis?')
  }
  if (applied.finished_at === null) throw new MigrationError(name, 'failed before; repair the database first')
  if (applied.checksum !== checksumOf(migration)) {
    throw new MigrationError(name, 'was edited after it was applied; put it back and write a new migration instead')
  }
}

async function apply(connection: MigrationConnection, migration: Migration): Promise<void> {
  await connection.exec('BEGIN')
  try {
    await connection.exec(migration.sql)
    await connection.query(
      `INSERT INTO _prisma_migrations (id, checksum, migration_name, finished_at, applied_steps_count)
       VALUES ($1, $2, $3, clock_timestamp(), 1)`,
      [randomUUID(), checksumOf(migration), migration.name],
    )
    await connection.exec('COMMIT')
  } catch (error) {
    // A connection that is gone has rolled back by itself; what is worth telling is why.
    await connection.exec('ROLLBACK').catch(() => undefined)
    throw new MigrationError(migration.name, `could not be applied: ${(error as Error).message}`, error)
  }
}

function checksumOf(migration: Migration): string {
  return createHash('sha256').update(migration.sql).digest('hex')
}
