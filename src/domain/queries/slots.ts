import type { Sql } from '../../db/client.ts'

/** Makes an agent's slots as many as config says; slots in use beyond that go when they are freed. */
export async function provideSlots(sql: Sql, agent: string, count: number): Promise<void> {
  await sql.$executeRawUnsafe(
    `INSERT INTO agent_slot (agent, n) SELECT $1, generate_series(1, $2) ON CONFLICT DO NOTHING`,
    agent,
    count,
  )
  await sql.$executeRawUnsafe('DELETE FROM agent_slot WHERE agent = $1 AND n > $2 AND holder IS NULL', agent, count)
}

/** Takes one of an agent's free slots for a task, or finds the one it holds already. False: all are taken. */
export async function takeSlot(sql: Sql, agent: string, taskId: string): Promise<boolean> {
  const rows = await sql.$queryRawUnsafe<unknown[]>(
    `WITH held AS (SELECT agent, n FROM agent_slot WHERE agent = $1 AND holder = $2),
     free AS (SELECT agent, n FROM agent_slot WHERE agent = $1 AND holder IS NULL AND NOT EXISTS (SELECT FROM held)
       ORDER BY n LIMIT 1 FOR UPDATE SKIP LOCKED),
     taken AS (UPDATE agent_slot s SET holder = $2, held_at = clock_timestamp() FROM free
       WHERE s.agent = free.agent AND s.n = free.n RETURNING s.n)
     SELECT n FROM held UNION ALL SELECT n FROM taken`,
    agent,
    taskId,
  )
  return rows.length > 0
}

/** Frees the slots that these tasks hold, unless an open attempt needs them: another process may have gone on with it. */
export async function freeSlots(sql: Sql, taskIds: readonly string[]): Promise<void> {
  await sql.$executeRawUnsafe(
    `UPDATE agent_slot s SET holder = NULL, held_at = NULL WHERE s.holder = ANY($1::text[])
     AND NOT EXISTS (SELECT FROM attempt a WHERE a.task_id = s.holder AND a.agent = s.agent AND a.outcome IS NULL)`,
    taskIds,
  )
}

/**
 * Frees slots that nobody will free: those of tasks that have ended, and those of tasks without an open attempt.
 * `graceSeconds` spares the latter while they are new: a slot is taken before its task is claimed.
 */
export async function freeStaleSlots(sql: Sql, graceSeconds: number): Promise<number> {
  return sql.$executeRawUnsafe(
    `UPDATE agent_slot s SET holder = NULL, held_at = NULL WHERE s.holder IS NOT NULL
     AND (EXISTS (SELECT FROM task t WHERE t.id = s.holder AND t.state IN ('completed', 'failed', 'canceled', 'rejected'))
       OR s.held_at < clock_timestamp() - make_interval(secs => $1)
       AND NOT EXISTS (SELECT FROM attempt a WHERE a.task_id = s.holder AND a.agent = s.agent AND a.outcome IS NULL))`,
    graceSeconds,
  )
}
