import { readFileSync } from 'node:fs'
import { columnOf, TABLES, type TableShape } from '../../src/domain/store/columns.ts'
import t from '../tap.ts'

const SCHEMA = readFileSync(new URL('../../prisma/schema.prisma', import.meta.url), 'utf8')
const TYPES: Record<string, string> = {
  String: 'text',
  Int: 'int',
  Float: 'float8',
  Boolean: 'boolean',
  DateTime: 'timestamptz',
  Json: 'jsonb',
}
/** Columns that the database fills in, and those that only the deliverer writes. */
const DEFAULTED = new Set([
  'context.created_at',
  ...['attempts', 'last_status', 'last_error', 'next_at', 'ended_at'].map((name) => `webhook_delivery.${name}`),
  ...['failures', 'held_until', 'lease'].map((name) => `webhook_queue.${name}`),
])

interface Column {
  column: string
  type: string
}

/** The columns of each table, by the table's name, as the schema has them. */
function schemaTables(): Map<string, Column[]> {
  const tables = new Map<string, Column[]>()
  for (const [, body = ''] of SCHEMA.matchAll(/^model \w+ \{\n(.*?)^\}/gms)) {
    const name = /@@map\("(\w+)"\)/.exec(body)?.[1] ?? ''
    const fields = [...body.matchAll(/^ {2}(\w+) +(\w+)\??(?: +(.*))?$/gm)]
    const columns = fields.map(([, field = '', type = '', rest = '']) => ({
      column: /(?<!@)@map\("(\w+)"\)/.exec(rest)?.[1] ?? field,
      type: TYPES[type] ?? type,
    }))
    tables.set(name, columns)
  }
  return tables
}

t.test('the write path knows exactly the columns of the schema', async (t) => {
  const schema = schemaTables()
  for (const shape of Object.values(TABLES) as TableShape[]) {
    const known = Object.entries(shape.columns).map(([name, type]) => `${columnOf(name).replaceAll('"', '')} ${type}`)
    const there = (schema.get(shape.name) ?? [])
      .filter(({ column }) => !DEFAULTED.has(`${shape.name}.${column}`))
      .map(({ column, type }) => `${column} ${type}`)
    t.same(known.sort(), there.sort(), shape.name)
  }
})

t.test('what a move may change, and what identifies a row, are columns', async (t) => {
  for (const shape of Object.values(TABLES) as TableShape[]) {
    for (const name of [...shape.key, ...shape.mutable]) t.ok(name in shape.columns, `${shape.name}.${name}`)
    t.notOk(
      shape.mutable.some((name) => shape.key.includes(name)),
      `the key of ${shape.name} never changes`,
    )
  }
})
