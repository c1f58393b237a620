import type { TableName } from './store/columns.ts'
import type { Writes } from './store/write.ts'
import type { WorkingCopy } from './working-copy.ts'

/** All that a group's working copies insert and update, by table. */
export function writesOf(copies: readonly WorkingCopy[]): Writes {
  const writes: Writes = { inserts: {}, updates: {}, removedPushConfigs: [] }
  for (const copy of copies) {
    add(writes.inserts, 'context', copy.created ? [copy.context] : [])
    add(writes.updates, 'context', copy.created || !copy.contextChanged ? [] : [copy.context])
    for (const [name, table] of copy.tables) {
      add(writes.inserts, name, table.inserted)
      add(writes.updates, name, table.changed)
    }
    for (const [name, rows] of copy.appended) add(writes.inserts, name, rows)
    writes.removedPushConfigs.push(...copy.pushConfigs.removed)
  }
  return writes
}

function add(to: Writes['inserts'], table: TableName, rows: readonly object[]): void {
  if (rows.length === 0) return
  const all = to[table]
  if (all === undefined) to[table] = [...rows]
  else for (const row of rows) all.push(row)
}
