import type { Sql } from '../../db/client.ts'
import { columnOf, TABLES, type TableName, type TableShape } from './columns.ts'

/** Rows to insert and rows to update, by table. */
export interface Writes {
  inserts: Partial<Record<TableName, object[]>>
  updates: Partial<Record<TableName, object[]>>
  /** Keys of push configurations that go, with what they had to deliver. */
  removedPushConfigs: string[]
}

/** The queue before its deliveries, as the deliverer takes them: neither waits for the other. */
const REMOVALS = (param: number) => [
  `d_config AS (DELETE FROM "push_config" WHERE "key" IN (SELECT jsonb_array_elements_text($${param}::jsonb)))`,
  `d_queue AS (DELETE FROM "webhook_queue" WHERE "config_key" IN (SELECT jsonb_array_elements_text($${param}::jsonb)) RETURNING "config_key")`,
  `d_delivery AS (UPDATE "webhook_delivery" SET "state" = 'parked', "last_error" = 'The configuration was removed', "next_at" = NULL,
    "ended_at" = clock_timestamp() WHERE "state" = 'pending' AND "config_key" IN (SELECT "config_key" FROM d_queue))`,
]

/**
 * Writes all rows of a group in one statement and one round trip. Updates are guarded: a row that is gone, or a task that
 * has ended already, is not updated, and then the whole group is rolled back.
 *
 * @throws Error if a guarded update did not land
 */
export async function writeRows(sql: Sql, writes: Writes): Promise<void> {
  const parts: string[] = []
  const params: string[] = []
  const expected: number[] = []
  for (const [table, rows] of entries(writes.inserts))
    parts.push(`i_${table} AS (${INSERTS[table](params.push(JSON.stringify(rows)))})`)
  const counts = entries(writes.updates).map(([table, rows]) => {
    parts.push(`u_${table} AS (${UPDATES[table](params.push(JSON.stringify(rows)))})`)
    expected.push(rows.length)
    return `(SELECT count(*)::int FROM u_${table})`
  })
  if (writes.removedPushConfigs.length > 0)
    parts.push(...REMOVALS(params.push(JSON.stringify(writes.removedPushConfigs))))
  if (parts.length === 0) return
  const statement = `WITH ${parts.join(',\n')} SELECT ARRAY[${counts.join(', ')}]::int[] AS landed`
  const [result] = await sql.$queryRawUnsafe<{ landed: number[] }[]>(statement, ...params)
  const landed = result?.landed ?? []
  if (expected.some((count, i) => landed[i] !== count)) {
    throw new Error(
      `A guarded update did not land: ${JSON.stringify({ tables: Object.keys(writes.updates), expected, landed })}`,
    )
  }
}

function entries(rows: Writes['inserts']): [TableName, readonly object[]][] {
  return (Object.entries(rows) as [TableName, readonly object[]][]).filter(([, list]) => list.length > 0)
}

/** A task that has ended stays as it is: all that may become of it is that it is carried into another plan. */
const TASK_GUARD = ` AND (t.state NOT IN ('completed', 'failed', 'canceled', 'rejected')
  OR (t.state = 'completed' AND r."state" = 'completed' AND t.plan_id IS DISTINCT FROM r."planId"))`

type Compose = (param: number) => string

const INSERTS = compose(insertInto)
const UPDATES = compose(update)

function compose(of: (shape: TableShape) => Compose): Record<TableName, Compose> {
  const all = Object.entries(TABLES) as [TableName, TableShape][]
  return Object.fromEntries(all.map(([name, shape]) => [name, of(shape)])) as Record<TableName, Compose>
}

function insertInto(shape: TableShape): Compose {
  const names = Object.keys(shape.columns)
  const targets = names.map(columnOf).join(', ')
  const sources = names.map((name) => `r."${name}"`).join(', ')
  const conflict = shape.onConflict === undefined ? '' : ` ON CONFLICT ${shape.onConflict}`
  return (param) =>
    `INSERT INTO "${shape.name}" AS t (${targets}) SELECT ${sources} FROM ${recordset(shape, names, param)}${conflict}`
}

function update(shape: TableShape): Compose {
  const sets = shape.mutable.map((name) => `${columnOf(name)} = r."${name}"`).join(', ')
  // `= ANY` can only be looked up in the index, row by row: as `=` it is joined, and the whole table read for that.
  const match = shape.key.map((name) => `t.${columnOf(name)} = ANY (ARRAY[r."${name}"])`).join(' AND ')
  const guard = shape.name === 'task' ? TASK_GUARD : ''
  const names = [...shape.key, ...shape.mutable]
  return (param) =>
    `UPDATE "${shape.name}" t SET ${sets} FROM ${recordset(shape, names, param)} WHERE ${match}${guard} RETURNING 1`
}

function recordset(shape: TableShape, names: readonly string[], param: number): string {
  const types = names.map((name) => `"${name}" ${shape.columns[name]}`).join(', ')
  return `jsonb_to_recordset($${param}::jsonb) AS r(${types})`
}
