import { invalidParams } from '../../base/errors.ts'
import type { Sql } from '../../db/client.ts'
import type { TaskState, TaskView } from '../task.ts'
import { TASK_RECORD, TASK_SOURCE, toTaskView } from './tasks.ts'

export interface TaskListQuery {
  tenant: string
  owner: string
  contextId?: string
  state?: TaskState
  /** ISO 8601; tasks whose status is at or after it. */
  statusTimestampAfter?: string
  historyLength: number
  includeArtifacts: boolean
  pageSize: number
  pageToken?: string
  leaveOutPlannedRoots: boolean
}

export interface PageOf<T> {
  items: T[]
  nextPageToken: string
  totalSize: number
}

/** A place in an order of (time, id), newest first. */
export interface Cursor {
  time: string
  id: string
}

const FILTER = `t.tenant = $1 AND t.owner = $2 AND NOT t.hidden AND t.visible_at <= clock_timestamp()
  AND ($3::text IS NULL OR t.context_key = (SELECT key FROM context WHERE tenant = $1 AND owner = $2 AND wire_id = $3))
  AND ($4::text IS NULL OR t.state = $4)
  AND ($5::timestamptz IS NULL OR t.status_at >= $5) AND NOT ($6 AND t.kind = 'planned' AND t.plan_id IS NULL)`

const PAGE = `SELECT t.status_at::text AS at, row_to_json(x) AS task FROM task t ${TASK_SOURCE}
  CROSS JOIN (SELECT $9::int AS "historyLength", $10::boolean AS "includeArtifacts") k
  CROSS JOIN LATERAL (SELECT ${TASK_RECORD}) x
  WHERE ${FILTER} AND ($7::timestamptz IS NULL OR (t.status_at, t.id) < ($7, $8))
  ORDER BY t.status_at DESC, t.id DESC LIMIT $11`

/** Tasks of a caller, by status time, newest first; the cursor is stable while other tasks move. */
export async function listTasks(sql: Sql, query: TaskListQuery): Promise<PageOf<TaskView>> {
  const cursor = readCursor(query.pageToken)
  const filter = [
    query.tenant,
    query.owner,
    query.contextId ?? null,
    query.state ?? null,
    query.statusTimestampAfter ?? null,
    query.leaveOutPlannedRoots,
  ]
  const params = [
    ...filter,
    cursor?.time ?? null,
    cursor?.id ?? null,
    query.historyLength,
    query.includeArtifacts,
    query.pageSize + 1,
  ]
  const [rows, [count]] = await Promise.all([
    sql.$queryRawUnsafe<{ at: string; task: Parameters<typeof toTaskView>[0] }[]>(PAGE, ...params),
    sql.$queryRawUnsafe<{ total: number }[]>(`SELECT count(*)::int AS total FROM task t WHERE ${FILTER}`, ...filter),
  ])
  const page = rows.slice(0, query.pageSize)
  const last = page.at(-1)
  return {
    items: page.map(({ task }) => toTaskView(task)),
    nextPageToken: rows.length > query.pageSize && last ? writeCursor({ time: last.at, id: last.task.id }) : '',
    totalSize: count?.total ?? 0,
  }
}

export function writeCursor(cursor: Cursor): string {
  return Buffer.from(JSON.stringify([cursor.time, cursor.id])).toString('base64url')
}

/** Ids that this server makes; anything else in a token is not its own. */
const OWN_ID = /^[\w-]{1,100}$/

/** A time as Postgres takes it, in UTC; null for one that it does not. A second of 60 and the year 0 are such times. */
export function storableTime(given: string | number): string | null {
  const time = new Date(given)
  const year = time.getUTCFullYear()
  return year >= 1 && year <= 9_999 ? time.toISOString() : null
}

/** @throws TrellisError invalidParams for a token that this server did not write */
export function readCursor(token: string | undefined): Cursor | null {
  if (token === undefined || token === '') return null
  try {
    const [time, id] = JSON.parse(Buffer.from(token, 'base64url').toString()) as unknown[]
    const at = typeof time === 'string' ? storableTime(time) : null
    if (at !== null && typeof id === 'string' && OWN_ID.test(id)) return { time: at, id }
  } catch {
    // told below
  }
  throw invalidParams('pageToken', `was ${JSON.stringify(token.slice(0, 100))}; must be a nextPageToken of this list`)
}
