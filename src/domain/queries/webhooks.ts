import type { JsonWebKey } from 'node:crypto'
import type { Sql } from '../../db/client.ts'
import type { Authentication, PushVersion } from '../push.ts'

/**
 * The deliverer's statements, each a transaction of its own. They touch the queue's row of a configuration before its
 * deliveries, and change nothing unless the lease is still theirs.
 */

/** One configuration's queue, held for a while. */
export interface HeldQueue {
  configKey: string
  lease: number
}

/** The first delivery of a held queue, and where it goes. */
export interface Head extends HeldQueue {
  id: string
  tenant: string
  owner: string
  contextKey: string
  /** The contextId on the wire. */
  wireId: string
  /** Null: it is about the objective. */
  taskId: string | null
  seq: number
  configId: string
  url: string
  token: string | null
  authentication: Authentication | null
  version: PushVersion
  /** How often it has failed. */
  failures: number
  ageSeconds: number
}

/** Deliveries that one principal has under way here. */
export interface Busy {
  tenant: string
  owner: string
  count: number
}

export interface Take {
  limit: number
  /** The most that one principal may have under way, those of `busy` included. */
  perOwner: number
  busy: readonly Busy[]
  leaseSeconds: number
}

/** How many times the limit is looked at, so that one principal's queues do not hide another's that came later. */
const LOOK_AHEAD = 8

/** Takes queues that are due and nobody holds, for so long, with the first delivery of each. */
export async function takeHeads(sql: Sql, { limit, perOwner, busy, leaseSeconds }: Take): Promise<Head[]> {
  const held = await sql.$queryRawUnsafe<(HeldQueue & { failures: number })[]>(
    `WITH busy AS (SELECT * FROM jsonb_to_recordset($3::jsonb) AS b(tenant text, owner text, count int)),
     due AS (SELECT q.config_key, q.due_at, x.tenant, x.owner
       FROM webhook_queue q JOIN push_config c ON c.key = q.config_key JOIN context x ON x.key = c.context_key
       WHERE ${IS_DUE}
         AND NOT EXISTS (SELECT FROM busy b WHERE b.tenant = x.tenant AND b.owner = x.owner AND b.count >= $4)
       ORDER BY q.due_at LIMIT $1 * ${LOOK_AHEAD}),
     placed AS (SELECT d.config_key, d.due_at, coalesce(b.count, 0)
         + row_number() OVER (PARTITION BY d.tenant, d.owner ORDER BY d.due_at) AS place
       FROM due d LEFT JOIN busy b ON b.tenant = d.tenant AND b.owner = d.owner),
     free AS (SELECT q.config_key FROM webhook_queue q JOIN placed p ON p.config_key = q.config_key
       WHERE p.place <= $4 AND ${IS_DUE} ORDER BY p.due_at LIMIT $1 FOR UPDATE OF q SKIP LOCKED)
     UPDATE webhook_queue q SET held_until = clock_timestamp() + make_interval(secs => $2), lease = q.lease + 1
     FROM free WHERE q.config_key = free.config_key RETURNING q.config_key AS "configKey", q.lease, q.failures`,
    limit,
    leaseSeconds,
    JSON.stringify(busy),
    perOwner,
  )
  if (held.length === 0) return []
  // A statement of its own: it sees what was committed while the first waited.
  return sql.$queryRawUnsafe<Head[]>(
    `SELECT k."configKey", k."lease", k."failures", d.id, d.tenant, d.owner, d.context_key AS "contextKey", x.wire_id AS "wireId",
       d.task_id AS "taskId", d.seq, c.id AS "configId", c.url, c.token, c.authentication, c.version,
       extract(epoch FROM clock_timestamp() - d.created_at)::float8 AS "ageSeconds"
     FROM jsonb_to_recordset($1::jsonb) AS k("configKey" text, "lease" int, "failures" int)
     CROSS JOIN LATERAL (SELECT * FROM webhook_delivery w WHERE w.config_key = k."configKey" AND w.state = 'pending'
       ORDER BY w.seq LIMIT 1) d
     JOIN push_config c ON c.key = k."configKey" JOIN context x ON x.key = c.context_key`,
    JSON.stringify(held),
  )
}

/** How a try ended, as the delivery keeps it. */
export interface TryEnd {
  status: number | null
  error: string | null
}

const IS_DUE = `q.due_at <= clock_timestamp() AND (q.held_until IS NULL OR q.held_until <= clock_timestamp())`

/** False: the queue was another's by then, and nothing was changed. */
export async function endDelivery(sql: Sql, head: Head, state: 'delivered' | 'parked', end: TryEnd): Promise<boolean> {
  const [result] = await sql.$queryRawUnsafe<{ landed: number }[]>(
    `WITH ${STEP}, d AS (UPDATE webhook_delivery SET state = $4, attempts = attempts + 1, last_status = $5, last_error = $6,
       next_at = NULL, ended_at = clock_timestamp() WHERE id = $3 AND state = 'pending' AND EXISTS (SELECT FROM q) RETURNING 1)
     SELECT count(*)::int AS landed FROM d`,
    head.configKey,
    head.lease,
    head.id,
    state,
    end.status,
    end.error,
  )
  return result?.landed === 1
}

/** Takes a delivery out that must not be made: of a task that turned into a Message. */
export async function dropDelivery(sql: Sql, head: Head): Promise<void> {
  await sql.$executeRawUnsafe(
    `WITH ${STEP} DELETE FROM webhook_delivery WHERE id = $3 AND state = 'pending' AND EXISTS (SELECT FROM q)`,
    head.configKey,
    head.lease,
    head.id,
  )
}

/** On to the next delivery of the queue. Its counts are read from the row itself, so what is added meanwhile counts. */
const STEP = `q AS (UPDATE webhook_queue SET pending = pending - 1, failures = 0, held_until = NULL,
  due_at = CASE WHEN pending > 1 THEN clock_timestamp() END WHERE config_key = $1 AND lease = $2 RETURNING 1)`

/** The delivery failed, and is tried again after so long; those behind it wait. */
export async function retryDelivery(sql: Sql, head: Head, seconds: number, end: TryEnd): Promise<void> {
  await sql.$executeRawUnsafe(
    `WITH q AS (UPDATE webhook_queue SET failures = failures + 1, held_until = NULL,
       due_at = clock_timestamp() + make_interval(secs => $4) WHERE config_key = $1 AND lease = $2 RETURNING due_at)
     UPDATE webhook_delivery SET attempts = attempts + 1, last_status = $5, last_error = $6, next_at = (SELECT due_at FROM q)
     WHERE id = $3 AND state = 'pending' AND EXISTS (SELECT FROM q)`,
    head.configKey,
    head.lease,
    head.id,
    seconds,
    end.status,
    end.error,
  )
}

/** Gives a queue back without a try. */
export async function postponeDelivery(sql: Sql, { configKey, lease }: HeldQueue, seconds: number): Promise<void> {
  await sql.$executeRawUnsafe(
    `UPDATE webhook_queue SET held_until = NULL, due_at = clock_timestamp() + make_interval(secs => $3)
     WHERE config_key = $1 AND lease = $2 AND pending > 0`,
    configKey,
    lease,
    seconds,
  )
}

/** Where no other process can have this database open, what is held is held by nobody. */
export async function releaseQueues(sql: Sql): Promise<void> {
  await sql.$executeRawUnsafe('UPDATE webhook_queue SET held_until = NULL WHERE held_until IS NOT NULL')
}

export async function countPending(sql: Sql): Promise<number> {
  const [row] = await sql.$queryRawUnsafe<{ pending: number }[]>(
    'SELECT coalesce(sum(pending), 0)::int AS pending FROM webhook_queue WHERE due_at IS NOT NULL',
  )
  return row?.pending ?? 0
}

const FORGOTTEN_AT_ONCE = 1_000

/** Forgets deliveries that have been over for so long, a batch at a time. */
export async function forgetDeliveries(sql: Sql, state: 'delivered' | 'parked', hours: number): Promise<void> {
  for (;;) {
    const count = await sql.$executeRawUnsafe(
      `DELETE FROM webhook_delivery WHERE id IN (SELECT id FROM webhook_delivery
         WHERE ended_at < clock_timestamp() - make_interval(secs => $2) AND state = $1 LIMIT ${FORGOTTEN_AT_ONCE})`,
      state,
      hours * 3_600,
    )
    if (count < FORGOTTEN_AT_ONCE) return
  }
}

/** The key to sign with: the given one, unless there is one already. */
export async function keepWebhookKey(sql: Sql, privateJwk: JsonWebKey): Promise<JsonWebKey> {
  await sql.$executeRawUnsafe(
    `INSERT INTO webhook_key (id, private_jwk) VALUES ('current', $1::jsonb) ON CONFLICT DO NOTHING`,
    JSON.stringify(privateJwk),
  )
  const [row] = await sql.$queryRawUnsafe<{ jwk: JsonWebKey }[]>(
    `SELECT private_jwk AS jwk FROM webhook_key WHERE id = 'current'`,
  )
  if (row === undefined) throw new Error('The key that webhooks are signed with is gone')
  return row.jwk
}
