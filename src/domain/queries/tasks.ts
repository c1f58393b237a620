import DataLoader from 'dataloader'
import type { Sql } from '../../db/client.ts'
import type { Artifact, Message, Metadata } from '../message.ts'
import type { TaskKind, TaskState, TaskView } from '../task.ts'

/** Which task, for whom, with how much of its history (null: all of it). */
export interface TaskKey {
  tenant: string
  owner: string
  id: string
  historyLength: number | null
  includeArtifacts: boolean
  /** Also tasks that are out of sight: for the one whose message made it. */
  includeUnseen: boolean
}

interface TaskRecord {
  id: string
  wireId: string
  seq: number
  kind: TaskKind
  state: TaskState
  skipped: boolean
  hidden: boolean
  unseenFor: number
  statusMessage: Message | null
  statusAt: string
  metadata: Metadata
  planId: string | null
  taskIndex: number | null
  dependencies: string[] | null
  history: Message[] | null
  artifacts: Artifact[] | null
}

/** A task's artifacts with their parts, in the order they came. */
export const ARTIFACTS = `(SELECT json_agg(json_strip_nulls(json_build_object('artifactId', a.artifact_id, 'name', a.name,
    'description', a.description, 'extensions', a.extensions)) ::jsonb || jsonb_build_object('parts', coalesce(
      (SELECT jsonb_agg(p.part ORDER BY p.n) FROM artifact_part p
       WHERE p.artifact_key = coalesce(a.source_key, a.key) AND p.n < a.part_count), '[]'::jsonb))
    || CASE WHEN a.metadata IS NULL THEN '{}'::jsonb ELSE jsonb_build_object('metadata', a.metadata) END
    ORDER BY a.position, a.key) FROM artifact a WHERE a.task_id = t.id)`

/**
 * The columns of a TaskRecord; `k` has the history's length and whether artifacts are wanted. What a task waited for in a
 * plan that it was carried out of is left out.
 */
export const TASK_RECORD = `t.id, c.wire_id AS "wireId", c.seq, t.kind, t.state, t.skipped, t.hidden,
  ceil(extract(epoch FROM t.visible_at - clock_timestamp()) * 1000)::int AS "unseenFor", t.status_message AS "statusMessage",
  t.status_at AS "statusAt", t.metadata, t.plan_id AS "planId", pt.task_index AS "taskIndex",
  CASE WHEN t.plan_id IS NULL THEN NULL ELSE (SELECT json_agg(d.depends_on_id) FROM task_dependency d
    WHERE d.task_id = t.id AND NOT d.reference AND EXISTS (SELECT FROM plan_task place
      WHERE place.plan_id = t.plan_id AND place.task_id = d.depends_on_id OFFSET 0)) END AS dependencies,
  CASE WHEN k."historyLength" = 0 THEN NULL ELSE (SELECT json_agg(h.body ORDER BY h.position, h.id) FROM (
    SELECT m.body, m.position, m.id FROM message m WHERE m.task_id = t.id
    ORDER BY m.position DESC, m.id DESC LIMIT k."historyLength") h) END AS history,
  CASE WHEN k."includeArtifacts" THEN ${ARTIFACTS} END AS artifacts`

export const TASK_SOURCE = `JOIN context c ON c.key = t.context_key
  LEFT JOIN plan_task pt ON pt.plan_id = t.plan_id AND pt.task_id = t.id`

/** `OFFSET 0`: the id alone finds the row. The planner might take the owner's index instead and read all of their tasks. */
const READ = `SELECT k.i, row_to_json(x) AS task FROM jsonb_to_recordset($1::jsonb)
  AS k(i int, "tenant" text, "owner" text, "id" text, "historyLength" int, "includeArtifacts" boolean, "includeUnseen" boolean)
  JOIN LATERAL (SELECT ${TASK_RECORD} FROM (SELECT * FROM task WHERE id = k."id" OFFSET 0) t ${TASK_SOURCE}
    WHERE t.tenant = k."tenant" AND t.owner = k."owner"
      AND (k."includeUnseen" OR (NOT t.hidden AND t.visible_at <= clock_timestamp()))) x ON true`

export type TaskReader = (key: TaskKey) => Promise<TaskView | null>

/** Reads tasks; reads of the same turn of the event loop share one statement. Null: there is none, for this caller. */
export function createTaskReader(sql: Sql): TaskReader {
  const loader = new DataLoader<TaskKey, TaskView | null>((keys) => readTasks(sql, keys), {
    cache: false,
    maxBatchSize: 100,
    batchScheduleFn: (run) => setImmediate(run),
  })
  return (key) => loader.load(key)
}

async function readTasks(sql: Sql, keys: readonly TaskKey[]): Promise<(TaskView | null)[]> {
  const json = JSON.stringify(keys.map((key, i) => ({ i, ...key })))
  const rows = await sql.$queryRawUnsafe<{ i: number; task: TaskRecord }[]>(READ, json)
  const views: (TaskView | null)[] = keys.map(() => null)
  for (const { i, task } of rows) views[i] = toTaskView(task)
  return views
}

export function toTaskView(record: TaskRecord): TaskView {
  const { planId, taskIndex, statusMessage, kind } = record
  return {
    id: record.id,
    contextId: record.wireId,
    state: record.state,
    statusAt: isoTime(record.statusAt),
    ...(statusMessage !== null && { statusMessage }),
    history: record.history ?? [],
    artifacts: record.artifacts ?? [],
    metadata: record.metadata,
    kind,
    skipped: record.skipped,
    ...(record.hidden && { unseen: true as const }),
    ...(record.unseenFor > 0 && { unseenFor: record.unseenFor }),
    ...((planId !== null || kind === 'planned') && { objectiveId: record.wireId }),
    ...(planId !== null && { planId, taskIndex: taskIndex ?? 0, dependencies: record.dependencies ?? [] }),
    seq: record.seq,
  }
}

/** Postgres writes times in JSON with an offset; the wire wants them in UTC, with milliseconds and a Z. */
export function isoTime(time: string): string {
  return new Date(time).toISOString()
}
