import type { Sql } from '../../db/client.ts'
import type { Message, Metadata } from '../message.ts'
import type { TaskRequest } from '../rows.ts'

/** The message that a root task came from, and the metadata beside it. Null: there is none. */
export async function readRootRequest(
  sql: Sql,
  taskId: string,
): Promise<{ message: Message; metadata: Metadata } | null> {
  const [row] = await sql.$queryRawUnsafe<{ body: Message; request: TaskRequest }[]>(
    `SELECT m.body, t.request FROM task t JOIN message m ON m.task_id = t.id WHERE t.id = $1
     ORDER BY m.position, m.id LIMIT 1`,
    taskId,
  )
  return row ? { message: row.body, metadata: row.request.metadata ?? {} } : null
}
