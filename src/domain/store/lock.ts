import type { Sql } from '../../db/client.ts'
import type { ContextRow } from '../rows.ts'
import { selectList, TABLES } from './columns.ts'

/** What a principal's message is known by, and what it became. */
export interface MessageKeyRow {
  tenant: string
  owner: string
  messageId: string
  taskId: string
  contextId: string
  contentHash: string
  contextKey: string
  answerTask: string | null
  answerId: string | null
  /** Made anew for every request: tells one's own row from an earlier one. */
  reservation: string
}

export function sameMessage(a: MessageKeyRow, b: MessageKeyRow): boolean {
  return (
    a.messageId === b.messageId &&
    a.tenant === b.tenant &&
    a.owner === b.owner &&
    a.taskId === b.taskId &&
    a.contextId === b.contextId
  )
}

const KEY_TYPES =
  '"tenant" text, "owner" text, "messageId" text, "taskId" text, "contextId" text, "contentHash" text, "contextKey" text, "answerTask" text, "answerId" text, "reservation" text'
const KEY_COLUMNS = 'tenant, owner, message_id, task_id, context_id'
const KEY_ROW = `k.tenant, k.owner, k.message_id AS "messageId", k.task_id AS "taskId", k.context_id AS "contextId",
  k.content_hash AS "contentHash", k.context_key AS "contextKey", k.answer_task AS "answerTask", k.answer_id AS "answerId", k.reservation`
const KEY_ORDER = 'r."tenant", r."owner", r."messageId", r."taskId", r."contextId"'

/**
 * Claims message keys, in order so that two groups cannot wait for each other. Waits for a transaction that is inserting
 * the same key. Resolves with the keys that were there before; the others are this transaction's now. No two may be the
 * same.
 */
export async function claimMessageKeys(
  sql: Sql,
  keys: readonly MessageKeyRow[],
): Promise<{ now: string; before: MessageKeyRow[] }> {
  const json = JSON.stringify(keys)
  const [inserted] = await sql.$queryRawUnsafe<{ count: number; now: Date }[]>(
    `WITH i AS (
       INSERT INTO message_key (${KEY_COLUMNS}, content_hash, context_key, answer_task, answer_id, reservation)
       SELECT r."tenant", r."owner", r."messageId", r."taskId", r."contextId", r."contentHash", r."contextKey", r."answerTask", r."answerId", r."reservation"
       FROM jsonb_to_recordset($1::jsonb) AS r(${KEY_TYPES}) ORDER BY ${KEY_ORDER}
       ON CONFLICT DO NOTHING RETURNING 1)
     SELECT count(*)::int AS count, clock_timestamp() AS now FROM i`,
    json,
  )
  const now = isoTime(inserted?.now)
  if (inserted?.count === keys.length) return { now, before: [] }
  // A statement of its own: it sees what the insert waited for.
  const found = await sql.$queryRawUnsafe<MessageKeyRow[]>(
    `SELECT ${KEY_ROW} FROM message_key k JOIN jsonb_to_recordset($1::jsonb) AS r(${KEY_TYPES})
     ON (k.tenant, k.owner, k.message_id, k.task_id, k.context_id) = (${KEY_ORDER})`,
    json,
  )
  return { now, before: found.filter((row) => !keys.some((key) => isOwn(key, row))) }
}

/** A key's answer was made for this member alone: a row that names it was inserted by this transaction. */
function isOwn(key: MessageKeyRow, row: MessageKeyRow): boolean {
  return sameMessage(key, row) && key.reservation === row.reservation
}

/** What a message became, if it was taken before. */
export async function findMessageKey(sql: Sql, key: MessageKeyRow): Promise<MessageKeyRow | null> {
  const rows = await sql.$queryRawUnsafe<MessageKeyRow[]>(
    `SELECT ${KEY_ROW} FROM message_key k
     WHERE k.tenant = $1 AND k.owner = $2 AND k.message_id = $3 AND k.task_id = $4 AND k.context_id = $5`,
    key.tenant,
    key.owner,
    key.messageId,
    key.taskId,
    key.contextId,
  )
  return rows[0] ?? null
}

/** Gives message keys back: their members did nothing. */
export async function releaseMessageKeys(sql: Sql, keys: readonly MessageKeyRow[]): Promise<void> {
  await sql.$executeRawUnsafe(
    `DELETE FROM message_key k USING jsonb_to_recordset($1::jsonb) AS r(${KEY_TYPES})
     WHERE (k.tenant, k.owner, k.message_id, k.task_id, k.context_id) = (${KEY_ORDER})`,
    JSON.stringify(keys),
  )
}

export interface NewContext {
  key: string
  tenant: string
  owner: string
  wireId: string
}

/** Inserts contexts that clients named, unless they are there, in order; resolves with the keys they have now. */
export async function ensureContexts(sql: Sql, contexts: readonly NewContext[]): Promise<NewContext[]> {
  const json = JSON.stringify(contexts)
  const types = '"key" text, "tenant" text, "owner" text, "wireId" text'
  await sql.$executeRawUnsafe(
    `INSERT INTO context (key, tenant, owner, wire_id)
     SELECT r."key", r."tenant", r."owner", r."wireId" FROM jsonb_to_recordset($1::jsonb) AS r(${types})
     ORDER BY r."tenant", r."owner", r."wireId" ON CONFLICT (tenant, owner, wire_id) DO NOTHING`,
    json,
  )
  return sql.$queryRawUnsafe<NewContext[]>(
    `SELECT c.key, c.tenant, c.owner, c.wire_id AS "wireId" FROM context c
     JOIN jsonb_to_recordset($1::jsonb) AS r(${types}) ON (c.tenant, c.owner, c.wire_id) = (r."tenant", r."owner", r."wireId")`,
    json,
  )
}

/**
 * Locks contexts, sorted, in a statement of its own: one that locks and reads sees stale rows at READ COMMITTED. With
 * `skip`, contexts that another transaction holds are left out instead of waited for.
 */
export async function lockContexts(
  sql: Sql,
  keys: readonly string[],
  skip: boolean,
): Promise<{ now: string | null; contexts: ContextRow[] }> {
  const rows = await sql.$queryRawUnsafe<(ContextRow & { now: Date })[]>(
    `SELECT ${selectList(TABLES.context, 'c')}, clock_timestamp() AS now FROM context c WHERE c.key = ANY($1::text[])
     ORDER BY c.key FOR NO KEY UPDATE${skip ? ' SKIP LOCKED' : ''}`,
    keys,
  )
  const last = rows.at(-1)
  return { now: last ? isoTime(last.now) : null, contexts: rows.map(({ now: _, ...context }) => context) }
}

/** The database's time. */
export async function databaseNow(sql: Sql): Promise<string> {
  const [row] = await sql.$queryRawUnsafe<{ now: Date }[]>('SELECT clock_timestamp() AS now')
  return isoTime(row?.now)
}

function isoTime(time: Date | undefined): string {
  if (time === undefined) throw new Error('The database did not say what time it is')
  return time.toISOString()
}
