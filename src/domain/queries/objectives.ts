import type { Sql } from '../../db/client.ts'
import type { Metadata } from '../message.ts'
import type { ObjectiveStatus, ObjectiveView } from '../objective.ts'
import type { Progress } from '../plan.ts'
import { type PageOf, readCursor, writeCursor } from './list-tasks.ts'
import { isoTime } from './tasks.ts'

export interface ObjectiveRecord {
  wireId: string
  seq: number
  name: string
  description: string | null
  status: ObjectiveStatus
  metadata: Metadata
  newestRootId: string
  total: number
  completed: number
  failed: number
  canceled: number
  skipped: number
  working: number
  blocked: number
  createdAt: string
  updatedAt: string
}

/** The columns of an {@link ObjectiveRecord}, of objective `o` and its context `c`. */
export const OBJECTIVE = `o.wire_id AS "wireId", c.seq, o.name, o.description, o.status, o.metadata, o.newest_root_id AS "newestRootId",
  o.total, o.completed, o.failed, o.canceled, o.skipped, o.working, o.blocked,
  o.created_at AS "createdAt", o.updated_at AS "updatedAt"`

export interface ObjectiveKey {
  tenant: string
  owner: string
  /** The contextId. */
  id: string
}

export function toObjectiveView(record: ObjectiveRecord): ObjectiveView {
  return {
    id: record.wireId,
    name: record.name,
    ...(record.description !== null && { description: record.description }),
    status: record.status,
    progress: progressOf(record),
    rootTaskId: record.newestRootId,
    metadata: record.metadata,
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
    seq: record.seq,
  }
}

/** What is counted, and the rest pending. */
function progressOf({ total, completed, failed, canceled, skipped, working, blocked }: ObjectiveRecord): Progress {
  const pending = total - completed - failed - canceled - skipped - working - blocked
  return { total, completed, failed, canceled, skipped, working, blocked, pending }
}

const FILTER = 'o.tenant = $1 AND o.owner = $2 AND ($3::text IS NULL OR o.status = $3)'

/** Objectives of a caller, newest first. */
export async function listObjectives(
  sql: Sql,
  query: { tenant: string; owner: string; status?: ObjectiveStatus; pageSize: number; pageToken?: string },
): Promise<PageOf<ObjectiveView>> {
  const cursor = readCursor(query.pageToken)
  const filter = [query.tenant, query.owner, query.status ?? null]
  const [rows, [count]] = await Promise.all([
    sql.$queryRawUnsafe<{ at: string; key: string; objective: ObjectiveRecord }[]>(
      `SELECT o.created_at::text AS at, o.context_key AS key, row_to_json(x) AS objective
       FROM objective o JOIN context c ON c.key = o.context_key CROSS JOIN LATERAL (SELECT ${OBJECTIVE}) x
       WHERE ${FILTER} AND ($4::timestamptz IS NULL OR (o.created_at, o.context_key) < ($4, $5))
       ORDER BY o.created_at DESC, o.context_key DESC LIMIT $6`,
      ...filter,
      cursor?.time ?? null,
      cursor?.id ?? null,
      query.pageSize + 1,
    ),
    sql.$queryRawUnsafe<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM objective o WHERE ${FILTER}`,
      ...filter,
    ),
  ])
  const page = rows.slice(0, query.pageSize)
  const last = page.at(-1)
  return {
    items: page.map(({ objective }) => toObjectiveView(objective)),
    nextPageToken: rows.length > query.pageSize && last ? writeCursor({ time: last.at, id: last.key }) : '',
    totalSize: count?.total ?? 0,
  }
}
