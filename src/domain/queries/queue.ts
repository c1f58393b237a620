import type { Sql } from '../../db/client.ts'

/** A task that can be claimed, and the context to claim it in. */
export interface Candidate {
  taskId: string
  contextKey: string
}

/**
 * Claimable tasks in the order they should start, of objectives that may run one more, but for those named. `now()` is
 * looked up in an index, which `clock_timestamp()` cannot be: 0.1 ms instead of 13 with 40,000 parked tasks.
 */
export async function findClaimable(
  sql: Sql,
  query: { limit: number; maxRunning: number; except: readonly string[] },
): Promise<Candidate[]> {
  return sql.$queryRawUnsafe<Candidate[]>(
    `SELECT t.id AS "taskId", t.context_key AS "contextKey" FROM task t JOIN context c ON c.key = t.context_key
     WHERE t.claimable_at <= now() AND (t.state <> 'submitted' OR c.running < $2) AND NOT t.id = ANY($3::text[])
     ORDER BY t.priority DESC, t.claimable_at LIMIT $1`,
    query.limit,
    query.maxRunning,
    query.except,
  )
}

/** What the queue holds that nobody has claimed. */
export interface Unclaimed {
  /** Whether tasks are due that nobody could claim so far: their objective or their agent is busy, or every runner is. */
  due: boolean
  /** Milliseconds until the next task becomes claimable by itself; null: none is waiting. */
  nextIn: number | null
}

export async function findUnclaimed(sql: Sql): Promise<Unclaimed> {
  const [row] = await sql.$queryRawUnsafe<Unclaimed[]>(
    `SELECT EXISTS (SELECT FROM task WHERE claimable_at <= now()) AS due,
       (SELECT (extract(epoch FROM claimable_at - clock_timestamp()) * 1000)::float8 FROM task
        WHERE claimable_at > now() ORDER BY claimable_at LIMIT 1) AS "nextIn"`,
  )
  return row ?? { due: true, nextIn: null }
}

/** An attempt that some process holds. */
export interface Held {
  taskId: string
  contextKey: string
  number: number
  lease: number
  runner: string
}

const HELD = `t.id AS "taskId", t.context_key AS "contextKey", t.attempt AS number, t.lease, t.runner`

/** What a runner holds. */
export async function findHeld(sql: Sql, runner: string): Promise<Held[]> {
  return sql.$queryRawUnsafe<Held[]>(`SELECT ${HELD} FROM task t WHERE t.runner = $1`, runner)
}

/** Attempts whose runner was not seen for so long. */
export async function findLost(sql: Sql, lostSeconds: number, limit: number): Promise<Held[]> {
  return sql.$queryRawUnsafe<Held[]>(
    `SELECT ${HELD} FROM task t LEFT JOIN runner r ON r.id = t.runner
     WHERE t.runner IS NOT NULL AND (r.id IS NULL OR r.seen_at < clock_timestamp() - make_interval(secs => $1)) LIMIT $2`,
    lostSeconds,
    limit,
  )
}

/** Says that a runner is alive. */
export async function beat(sql: Sql, runner: string): Promise<void> {
  await sql.$executeRawUnsafe(
    `INSERT INTO runner (id, started_at, seen_at) VALUES ($1, clock_timestamp(), clock_timestamp())
     ON CONFLICT (id) DO UPDATE SET seen_at = excluded.seen_at`,
    runner,
  )
}

/** Strikes runners that are gone for good off the list: one that left, or all but one where no other can be. */
export async function forgetRunners(sql: Sql, which: { leaving: string } | { otherThan: string }): Promise<void> {
  if ('leaving' in which) await sql.$executeRawUnsafe('DELETE FROM runner WHERE id = $1', which.leaving)
  else await sql.$executeRawUnsafe('DELETE FROM runner WHERE id <> $1', which.otherThan)
}

/** Strikes runners off the list that were not seen for so long and hold nothing. */
export async function forgetLostRunners(sql: Sql, lostSeconds: number): Promise<void> {
  await sql.$executeRawUnsafe(
    `DELETE FROM runner r WHERE r.seen_at < clock_timestamp() - make_interval(secs => $1)
     AND NOT EXISTS (SELECT FROM task t WHERE t.runner = r.id)`,
    lostSeconds,
  )
}
