import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

export interface Migration {
  /** The folder's name: a timestamp and what changes. */
  name: string
  sql: string
}

export class MigrationError extends Error {
  readonly migration: string

  constructor(migration: string, why: string, cause?: unknown) {
    super(`Migration ${migration} ${why}`, { cause })
    this.name = 'MigrationError'
    this.migration = migration
  }
}

/** Every `<name>/migration.sql` in the folder, by name. */
export async function readMigrations(folder: string): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name)
  return Promise.all(names.sort().map((name) => readMigration(folder, name)))
}

async function readMigration(folder: string, name: string): Promise<Migration> {
  try {
    return { name, sql: await readFile(join(folder, name, 'migration.sql'), 'utf8') }
  } catch (error) {
    throw new MigrationError(name, 'has no migration.sql that can be read', error)
  }
}
