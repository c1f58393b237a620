import DataLoader from 'dataloader'
import type { Sql } from '../../db/client.ts'
import type { TaskState } from '../task.ts'

export type StateReader = (taskId: string) => Promise<TaskState | null>

/** Reads nothing but tasks' states, for those who wait; reads of the same turn share one statement. */
export function createStateReader(sql: Sql): StateReader {
  const loader = new DataLoader<string, TaskState | null>(
    async (ids) => {
      const rows = await sql.$queryRawUnsafe<{ id: string; state: TaskState }[]>(
        `SELECT t.id, t.state FROM unnest($1::text[]) AS k(id)
         CROSS JOIN LATERAL (SELECT id, state FROM task WHERE id = k.id OFFSET 0) t`,
        ids,
      )
      const states = new Map(rows.map(({ id, state }) => [id, state]))
      return ids.map((id) => states.get(id) ?? null)
    },
    { cache: false, maxBatchSize: 500, batchScheduleFn: (run) => setImmediate(run) },
  )
  return (taskId) => loader.load(taskId)
}
