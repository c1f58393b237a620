import type { Sql } from '../../db/client.ts'
import type { Artifact, Message } from '../message.ts'
import type { TaskState } from '../task.ts'
import { ARTIFACTS } from './tasks.ts'

/** What a follow-up may build on, as it was a moment before it is decided. */
export interface ContextSummary {
  /** Newest last, bounded. */
  history: Message[]
  /** Root tasks in the order they were created, bounded. */
  roots: { id: string; state: TaskState }[]
  /** The latest finished root, and its artifacts. */
  latestRoot: string | null
  artifacts: Artifact[]
  /** The root of an objective that a client created and that has no plan yet. */
  unplannedRoot: string | null
  /** The tasks of open questions. */
  questions: string[]
}

const MESSAGES = 50
const ROOTS = 500

const READ = `SELECT
  (SELECT json_agg(h.body ORDER BY h.position, h.id) FROM (SELECT m.body, m.position, m.id FROM message m
    WHERE m.context_key = $1 ORDER BY m.position DESC, m.id DESC LIMIT ${MESSAGES}) h) AS history,
  (SELECT json_agg(json_build_object('id', r.id, 'state', r.state) ORDER BY r.created_at, r.id) FROM (
    SELECT t.id, t.state, t.created_at FROM task t WHERE t.context_key = $1 AND t.id = t.root_id AND NOT t.hidden
    ORDER BY t.created_at, t.id LIMIT ${ROOTS}) r) AS roots,
  (SELECT t.id FROM task t WHERE t.context_key = $1 AND t.id = t.root_id AND NOT t.hidden AND t.state = 'completed'
    ORDER BY t.status_at DESC, t.id DESC LIMIT 1) AS "latestRoot",
  (SELECT ${ARTIFACTS} FROM task t WHERE t.context_key = $1 AND t.id = t.root_id AND NOT t.hidden AND t.state = 'completed'
    ORDER BY t.status_at DESC, t.id DESC LIMIT 1) AS artifacts,
  (SELECT o.newest_root_id FROM objective o JOIN task t ON t.id = o.newest_root_id
    WHERE o.context_key = $1 AND t.state = 'submitted'
      AND NOT EXISTS (SELECT FROM plan p WHERE p.context_key = $1)
      AND NOT EXISTS (SELECT FROM message m WHERE m.task_id = t.id)) AS "unplannedRoot",
  (SELECT json_agg(i.task_id ORDER BY i.opened_at, i.id) FROM input_request i
    WHERE i.context_key = $1 AND i.closed_at IS NULL) AS questions`

type Nullable<T> = { [K in keyof T]: T[K] | null }

/** Reads what a follow-up may build on. */
export async function readContext(sql: Sql, contextKey: string): Promise<ContextSummary> {
  const [row] = await sql.$queryRawUnsafe<Nullable<ContextSummary>[]>(READ, contextKey)
  return {
    history: row?.history ?? [],
    roots: row?.roots ?? [],
    latestRoot: row?.latestRoot ?? null,
    artifacts: row?.artifacts ?? [],
    unplannedRoot: row?.unplannedRoot ?? null,
    questions: row?.questions ?? [],
  }
}

/** A message by its row, and the answer of a task that stayed out of sight. */
export async function readMessage(sql: Sql, by: { rowId: string } | { answerOf: string }): Promise<Message | null> {
  const [where, value] =
    'rowId' in by ? ['m.id = $1', by.rowId] : [`m.task_id = $1 AND m.body ->> 'role' = 'agent'`, by.answerOf]
  const [row] = await sql.$queryRawUnsafe<{ body: Message }[]>(
    `SELECT m.body FROM message m WHERE ${where} ORDER BY m.position DESC, m.id DESC LIMIT 1`,
    value,
  )
  return row?.body ?? null
}
