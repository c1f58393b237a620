import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemaDiff } from './schema-diff.ts'

// npm run check:drift: red when prisma/schema.prisma is ahead of the migrations or of the generated client.

const CLIENT_FOLDER = 'src/db/generated'

function readClient(): Map<string, string> {
  const entries = readdirSync(CLIENT_FOLDER, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(files.map((file) => [file, readFileSync(file, 'utf8')]))
}

/** The client's files that generating again changes. What it generates is the same every time, and is left in place. */
function outdatedFiles(): string[] {
  const before = readClient()
  execFileSync('npm', ['run', '--silent', 'generate'], { stdio: ['ignore', 'ignore', 'pipe'] })
  const after = readClient()
  return [...new Set([...before.keys(), ...after.keys()])].filter((file) => before.get(file) !== after.get(file))
}

const problems: string[] = []
const sql = await schemaDiff()
if (sql !== '') problems.push(`The migrations lack what follows; run npm run db:migration -- <name>\n\n${sql}`)
const outdated = outdatedFiles()
if (outdated.length > 0) problems.push(`The generated client was behind; commit what changed:\n${outdated.join('\n')}`)
for (const problem of problems) console.error(problem)
if (problems.length === 0) console.log('The schema, the migrations and the generated client agree.')
process.exit(problems.length === 0 ? 0 : 1)
