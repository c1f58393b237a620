import type { Sql } from '../../db/client.ts'
import type { DeliveryState, DeliveryView } from '../push.ts'
import { type PageOf, readCursor, writeCursor } from './list-tasks.ts'

export interface DeliveryQuery {
  tenant: string
  owner: string
  taskId?: string
  /** Of everything in the objective, and of itself. */
  objectiveId?: string
  configId?: string
  state?: DeliveryState
  pageSize: number
  pageToken?: string
}

interface DeliveryRecord {
  id: string
  configId: string
  contextId: string
  taskId: string | null
  seq: number
  state: DeliveryState
  attempts: number
  lastStatus: number | null
  lastError: string | null
  nextAt: Date | null
  createdAt: Date
  endedAt: Date | null
}

const FILTER = `d.tenant = $1 AND d.owner = $2 AND ($3::text IS NULL OR d.task_id = $3)
  AND ($4::text IS NULL OR d.context_key = (SELECT key FROM context WHERE tenant = $1 AND owner = $2 AND wire_id = $4))
  AND ($5::text IS NULL OR d.config_id = $5) AND ($6::text IS NULL OR d.state = $6)`

const COLUMNS = `d.id, d.config_id AS "configId", c.wire_id AS "contextId", d.task_id AS "taskId", d.seq, d.state, d.attempts,
    d.last_status AS "lastStatus", d.last_error AS "lastError", d.next_at AS "nextAt", d.created_at AS "createdAt", d.ended_at AS "endedAt"`
const SOURCE = 'FROM webhook_delivery d JOIN context c ON c.key = d.context_key'

const PAGE = `SELECT ${COLUMNS} ${SOURCE}
  WHERE ${FILTER} AND ($7::text IS NULL OR d.id < $7) ORDER BY d.id DESC LIMIT $8`

/** Deliveries to a caller's push configurations, newest first. Their ids sort by when they were made. */
export async function listDeliveries(sql: Sql, query: DeliveryQuery): Promise<PageOf<DeliveryView>> {
  const cursor = readCursor(query.pageToken)
  const { tenant, owner, taskId = null, objectiveId = null, configId = null, state = null } = query
  const filter = [tenant, owner, taskId, objectiveId, configId, state]
  const [rows, [count]] = await Promise.all([
    sql.$queryRawUnsafe<DeliveryRecord[]>(PAGE, ...filter, cursor?.id ?? null, query.pageSize + 1),
    sql.$queryRawUnsafe<{ total: number }[]>(
      `SELECT count(*)::int AS total FROM webhook_delivery d WHERE ${FILTER}`,
      ...filter,
    ),
  ])
  const page = rows.slice(0, query.pageSize)
  const last = page.at(-1)
  const more = rows.length > query.pageSize && last !== undefined
  return {
    items: page.map(toView),
    nextPageToken: more ? writeCursor({ time: last.createdAt.toISOString(), id: last.id }) : '',
    totalSize: count?.total ?? 0,
  }
}

/** One of a caller's deliveries, by its id. */
export async function readDelivery(
  sql: Sql,
  { tenant, owner, id }: { tenant: string; owner: string; id: string },
): Promise<DeliveryView | null> {
  const [row] = await sql.$queryRawUnsafe<DeliveryRecord[]>(
    `SELECT ${COLUMNS} ${SOURCE} WHERE d.id = $1 AND d.tenant = $2 AND d.owner = $3`,
    id,
    tenant,
    owner,
  )
  return row === undefined ? null : toView(row)
}

function toView({ taskId, lastStatus, lastError, nextAt, createdAt, endedAt, ...rest }: DeliveryRecord): DeliveryView {
  return {
    ...rest,
    ...(taskId !== null && { taskId }),
    ...(lastStatus !== null && { lastStatus }),
    ...(lastError !== null && { lastError }),
    ...(nextAt !== null && { nextAttemptAt: nextAt.toISOString() }),
    createdAt: createdAt.toISOString(),
    ...(endedAt !== null && { endedAt: endedAt.toISOString() }),
  }
}
