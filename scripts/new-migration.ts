import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { MIGRATIONS_FOLDER, schemaDiff } from './schema-diff.ts'

// npm run db:migration -- <name>: writes what prisma/schema.prisma has and the migrations lack as a new migration.

const name = process.argv[2] ?? ''
if (!/^[a-z][a-z0-9_]*$/.test(name)) {
  console.error(
    `Name the change in lower case, as in: npm run db:migration -- add_push_configs (was ${JSON.stringify(name)})`,
  )
  process.exit(2)
}
const sql = await schemaDiff()
if (sql === '') {
  console.log('The migrations already make what prisma/schema.prisma says.')
  process.exit(0)
}
const stamp = new Date().toISOString().replaceAll(/\D/g, '').slice(0, 14)
const folder = join(MIGRATIONS_FOLDER, `${stamp}_${name}`)
await mkdir(folder, { recursive: true })
await writeFile(join(folder, 'migration.sql'), sql)
console.log(
  `Wrote ${join(folder, 'migration.sql')}. Read it, and add what a schema cannot say (partial indexes, CHECKs).`,
)
process.exit(0)
