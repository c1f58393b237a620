import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import { type MigrationList, SchemaEngine } from '@prisma/schema-engine-wasm'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { readMigrations } from '../src/db/migration-files.ts'

export const SCHEMA_FILE = 'prisma/schema.prisma'
export const MIGRATIONS_FOLDER = 'prisma/migrations'

/**
 * The SQL that leads from what the migrations make to what prisma/schema.prisma says; empty when they agree. Partial and
 * expression indexes, CHECKs and triggers stand in the migrations alone and are not compared.
 *
 * The engine leaves a timer behind: end the process yourself.
 */
export async function schemaDiff(): Promise<string> {
  const schema = { path: SCHEMA_FILE, content: await readFile(SCHEMA_FILE, 'utf8') }
  const engine = await openEngine([[schema.path, schema.content]])
  const result = await engine.diff({
    from: { tag: 'migrations', ...(await migrationList()) },
    to: { tag: 'schemaDatamodel', files: [schema] },
    script: true,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  })
  return result.exitCode === 0 ? '' : (result.stdout ?? '')
}

function openEngine(datamodels: [string, string][]): Promise<SchemaEngine> {
  return SchemaEngine.new({ datamodels }, () => undefined, bindMigrationAwareSqlAdapterFactory(shadowDatabases))
}

async function migrationList(): Promise<MigrationList> {
  const migrations = await readMigrations(MIGRATIONS_FOLDER)
  return {
    baseDir: resolve(MIGRATIONS_FOLDER),
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"\n' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, sql }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: sql } },
    })),
  }
}

/** A new embedded database for each connection, whose scripts are awaited: the adapter's own returns too early. */
async function connectToShadow(): Promise<SqlDriverAdapter> {
  const database = await PGlite.create()
  const adapter = await new PrismaPGlite(database).connect()
  adapter.executeScript = async (script) => {
    await database.exec(script)
  }
  return adapter
}

const shadowDatabases: SqlMigrationAwareDriverAdapterFactory = {
  provider: 'postgres',
  adapterName: 'trellis-shadow',
  connect: connectToShadow,
  connectToShadowDb: connectToShadow,
}
