import DataLoader from 'dataloader'
import type { Sql } from '../../db/client.ts'
import type { ContextEvent } from '../event.ts'
import type { Part } from '../message.ts'
import { isoTime } from './tasks.ts'

/** An event as followers read it: of an artifact, with the parts that it names. */
export type LoggedEvent = ContextEvent & { rootId: string | null; inTree: boolean; parts?: Part[] }

/** Where a follower of a context is. */
export interface EventCursor {
  contextKey: string
  /** The seq of the last event that it has. */
  after: number
  /** The seq of the last event that it wants; absent: all there are. */
  until?: number
}

const PAGE_EVENTS = 200
/** As stored, which is compressed. An event that is larger comes alone. */
const PAGE_BYTES = 256 * 1024

const PARTS = `artifact_part p WHERE p.artifact_key = e.data ->> 'artifactKey' AND p.n >= (e.data ->> 'from')::int
      AND p.n < (e.data ->> 'from')::int + (e.data ->> 'count')::int`

/**
 * A page ends by bytes as well as by events: fifty followers of large artifacts share one statement. `before` is what is
 * on the page already when an event comes.
 */
const READ = `SELECT k.i, e.seq, e.time, e.type, e.root_id AS "rootId", e.plan_id AS "planId", e.task_id AS "taskId", e.in_tree AS "inTree", e.data,
  CASE WHEN e.type = 'task.artifact' THEN (SELECT json_agg(p.part ORDER BY p.n) FROM ${PARTS}) END AS parts
  FROM jsonb_to_recordset($1::jsonb) AS k(i int, "contextKey" text, "after" int, "until" int)
  JOIN LATERAL (SELECT w.*, sum(w.bytes) OVER (ORDER BY w.seq) - w.bytes AS before FROM (
    SELECT e.*, pg_column_size(e.data) + CASE WHEN e.type = 'task.artifact'
      THEN (SELECT coalesce(sum(pg_column_size(p.part)), 0) FROM ${PARTS}) ELSE 0 END AS bytes
    FROM event e WHERE e.context_key = k."contextKey" AND e.seq > k."after" AND e.seq <= coalesce(k."until", 2147483647)
    ORDER BY e.seq LIMIT ${PAGE_EVENTS}) w) e ON e.before < ${PAGE_BYTES} ORDER BY k.i, e.seq`

interface EventRecord {
  i: number
  seq: number
  time: Date
  type: string
  rootId: string | null
  planId: string | null
  taskId: string | null
  inTree: boolean
  data: unknown
  parts: Part[] | null
}

export type EventReader = (cursor: EventCursor) => Promise<LoggedEvent[]>

/** Reads what came after a cursor, a page at most, in order; reads of the same turn share one statement. */
export function createEventReader(sql: Sql): EventReader {
  const loader = new DataLoader<EventCursor, LoggedEvent[]>((cursors) => readEvents(sql, cursors), {
    cache: false,
    maxBatchSize: 50,
    batchScheduleFn: (run) => setImmediate(run),
  })
  return (cursor) => loader.load(cursor)
}

async function readEvents(sql: Sql, cursors: readonly EventCursor[]): Promise<LoggedEvent[][]> {
  const json = JSON.stringify(cursors.map((cursor, i) => ({ i, ...cursor })))
  const rows = await sql.$queryRawUnsafe<EventRecord[]>(READ, json)
  const pages: LoggedEvent[][] = cursors.map(() => [])
  for (const row of rows) pages[row.i]?.push(toEvent(row))
  return pages
}

function toEvent({ seq, time, type, rootId, planId, taskId, inTree, data, parts }: EventRecord): LoggedEvent {
  return {
    seq,
    time: isoTime(time as unknown as string),
    type,
    rootId,
    inTree,
    ...(planId !== null && { planId }),
    ...(taskId !== null && { taskId }),
    data,
    ...(type === 'task.artifact' && { parts: parts ?? [] }),
  } as LoggedEvent
}
