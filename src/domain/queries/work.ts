import DataLoader from 'dataloader'
import type { Sql } from '../../db/client.ts'
import type { Artifact, Message, Part } from '../message.ts'
import type { AttemptRow, TaskRequest, TaskRow } from '../rows.ts'
import { rowJson, TABLES } from '../store/columns.ts'
import type { TaskView } from '../task.ts'
import { TASK_RECORD, TASK_SOURCE, toTaskView } from './tasks.ts'

/** All that running one attempt needs, beside the attempt itself. */
export interface Work {
  task: TaskView
  name: string
  description: string | null
  parts: Part[] | null
  request: TaskRequest
  tenant: string
  owner: string
  attempt: AttemptRow
  lease: number
  /** The message that made the root task, if this is one. */
  firstMessage: Message | null
  /** The answer to what the attempt asked, if there is one that the executor has not had. */
  answer: Message | null
  /** The answers to what the task asked before this attempt began: they belong to what the agent is told. */
  clarifications: Message[]
  /** What the task depends on or refers to, with artifacts, in order. */
  related: { view: TaskView; artifacts: Artifact[] }[]
  /** The remote context that this objective's earlier tasks used with this agent. */
  remoteContextId: string | null
}

interface WorkRecord {
  task: Parameters<typeof toTaskView>[0]
  row: TaskRow
  attempt: AttemptRow
  firstMessage: Message | null
  answer: Message | null
  clarifications: Message[] | null
  related: Parameters<typeof toTaskView>[0][] | null
  remoteContextId: string | null
}

/**
 * What a task is given: the tasks it depends on or refers to; for a task that starts its plan, the deliverables of the
 * plans before it (through alternatives); and if there are none, what its planned task is given. `OFFSET 0` has every row
 * looked up by its key: the planner would join whole tables. (docs/decisions/0070)
 */
const RELATED = `
  WITH RECURSIVE giver(id, plan_id, root, depth) AS (
    SELECT t.id, t.plan_id, t.root_id, 0
    UNION ALL
    SELECT parent.id, parent.plan_id, parent.root_id, g.depth + 1
    FROM giver g CROSS JOIN LATERAL (SELECT task_id FROM plan WHERE id = g.plan_id OFFSET 0) p
      CROSS JOIN LATERAL (SELECT id, plan_id, root_id FROM task WHERE id = p.task_id OFFSET 0) parent
    WHERE g.depth < 20
      AND NOT EXISTS (SELECT FROM task_dependency d WHERE d.task_id = g.id OFFSET 0)
      AND NOT EXISTS (SELECT FROM plan_dependency pd WHERE pd.plan_id = g.plan_id OFFSET 0)),
  given(id) AS (
    SELECT d.depends_on_id
    FROM giver g CROSS JOIN LATERAL (SELECT depends_on_id FROM task_dependency WHERE task_id = g.id OFFSET 0) d
    UNION
    SELECT s.id
    FROM giver g CROSS JOIN LATERAL (SELECT depends_on_id FROM plan_dependency WHERE plan_id = g.plan_id OFFSET 0) pd
      CROSS JOIN LATERAL (SELECT id FROM plan WHERE id = pd.depends_on_id
        UNION ALL SELECT id FROM plan WHERE alternative_to = pd.depends_on_id) dp
      CROSS JOIN LATERAL (SELECT id, plan_id FROM task WHERE plan_id = dp.id AND state = 'completed' OFFSET 0) s
    WHERE NOT EXISTS (SELECT FROM task_dependency d WHERE d.task_id = g.id OFFSET 0)
      AND NOT EXISTS (SELECT FROM task_dependency d
        CROSS JOIN LATERAL (SELECT plan_id FROM task WHERE id = d.task_id OFFSET 0) x
        WHERE d.depends_on_id = s.id AND NOT d.reference AND x.plan_id = s.plan_id OFFSET 0))
  SELECT json_agg(row_to_json(y) ORDER BY y."statusAt", y.id) FROM given
  CROSS JOIN LATERAL (SELECT x.* FROM (SELECT 0 AS "historyLength", true AS "includeArtifacts") k
    CROSS JOIN LATERAL (SELECT ${TASK_RECORD}
      FROM (SELECT * FROM task WHERE id = given.id AND NOT hidden OFFSET 0) t ${TASK_SOURCE}) x) y`

const READ = `SELECT k.i, row_to_json(w) AS work FROM jsonb_to_recordset($1::jsonb) AS k(i int, "id" text, "attempt" int, "historyLength" int, "includeArtifacts" boolean)
  JOIN LATERAL (SELECT
    (SELECT row_to_json(x) FROM (SELECT ${TASK_RECORD}) x) AS task,
    ${rowJson(TABLES.task, 't')} AS row, ${rowJson(TABLES.attempt, 'at')} AS attempt,
    CASE WHEN t.id = t.root_id THEN (SELECT m.body FROM message m WHERE m.task_id = t.id ORDER BY m.position, m.id LIMIT 1) END AS "firstMessage",
    (SELECT m.body FROM message m WHERE m.id = at.answer_id) AS answer,
    (SELECT json_agg(m.body ORDER BY m.position, m.id) FROM input_request q JOIN message m
      ON m.task_id = q.task_id AND m.body ->> 'messageId' = q.answered_by
      WHERE q.task_id = t.id AND q.closed_at <= at.started_at) AS clarifications,
    (${RELATED}) AS related,
    (SELECT b.remote_context_id FROM attempt b WHERE b.context_key = t.context_key AND b.agent = at.agent
      AND b.remote_context_id IS NOT NULL ORDER BY b.started_at DESC LIMIT 1) AS "remoteContextId"
    FROM task t ${TASK_SOURCE} JOIN attempt at ON at.task_id = t.id AND at.number = coalesce(k."attempt", t.attempt) WHERE t.id = k."id") w ON true`

/** Of the task's latest attempt, unless another is named. Null: there is no such attempt. */
export type WorkReader = (taskId: string, attempt?: number) => Promise<Work | null>

interface WorkKey {
  id: string
  attempt: number | null
}

/** Reads what attempts need to run; reads of the same turn share one statement. */
export function createWorkReader(sql: Sql): WorkReader {
  const loader = new DataLoader<WorkKey, Work | null>((keys) => readWork(sql, keys), {
    cache: false,
    maxBatchSize: 100,
    batchScheduleFn: (run) => setImmediate(run),
  })
  return (id, attempt) => loader.load({ id, attempt: attempt ?? null })
}

async function readWork(sql: Sql, keys: readonly WorkKey[]): Promise<(Work | null)[]> {
  const json = JSON.stringify(keys.map((key, i) => ({ i, ...key, historyLength: null, includeArtifacts: true })))
  const rows = await sql.$queryRawUnsafe<{ i: number; work: WorkRecord }[]>(READ, json)
  const all: (Work | null)[] = keys.map(() => null)
  for (const { i, work } of rows) all[i] = toWork(work)
  return all
}

function toWork({
  task,
  row,
  attempt,
  firstMessage,
  answer,
  clarifications,
  related,
  remoteContextId,
}: WorkRecord): Work {
  return {
    task: toTaskView(task),
    name: row.name,
    description: row.description,
    parts: row.parts,
    request: row.request,
    tenant: row.tenant,
    owner: row.owner,
    attempt,
    lease: row.lease,
    firstMessage,
    answer,
    clarifications: clarifications ?? [],
    related: (related ?? []).map((record) => ({ view: toTaskView(record), artifacts: record.artifacts ?? [] })),
    remoteContextId,
  }
}
