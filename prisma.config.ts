import { defineConfig } from 'prisma/config'

// Every command of the CLI looks for a schema engine to download first. Generating never runs it, so any file will do;
// what does need an engine goes through scripts/schema-diff.ts, which needs no download.
if (process.argv.includes('generate')) process.env['PRISMA_SCHEMA_ENGINE_BINARY'] ??= process.execPath

export default defineConfig({
  schema: 'prisma/schema.prisma',
  migrations: { path: 'prisma/migrations' },
})
