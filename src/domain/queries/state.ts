import DataLoader from 'dataloader'
import type { Sql } from '../../db/client.ts'
import type { Message } from '../message.ts'
import type { TaskState } from '../task.ts'
import { isoTime } from './tasks.ts'

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

export interface StatusAt {
  state: TaskState
  message: Message | undefined
  /** ISO 8601 */
  time: string
}

/** The status that a task had when an event of its context was logged; null: it was new. */
export async function readStatusAt(
  sql: Sql,
  { contextKey, taskId, seq }: { contextKey: string; taskId: string; seq: number },
): Promise<StatusAt | null> {
  const [row] = await sql.$queryRawUnsafe<{ time: string; data: { state: TaskState; message?: Message } }[]>(
    `SELECT time, data FROM event WHERE context_key = $1 AND seq <= $2 AND task_id = $3 AND type = 'task.status'
     ORDER BY seq DESC LIMIT 1`,
    contextKey,
    seq,
    taskId,
  )
  return row === undefined ? null : { state: row.data.state, message: row.data.message, time: isoTime(row.time) }
}
