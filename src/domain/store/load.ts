import type { Sql } from '../../db/client.ts'
import type { Loaded } from '../loaded.ts'
import type { NeedKind } from '../need.ts'
import type { TaskDependencyRow } from '../rows.ts'
import { rowJson, TABLES } from './columns.ts'

export interface NeedRef {
  kind: NeedKind
  id: string
}

interface LoadedRow {
  table: 'task' | 'attempt' | 'planned' | 'plan' | 'objective' | 'artifact' | 'input' | 'pushConfig' | 'edge' | 'met'
  need: NeedKind | null
  id: string | null
  key: string
  row: never
}

/** Loads the rows that answer the needs, in one statement, into `loaded`. The contexts are locked by then. */
export async function loadNeeds(sql: Sql, needs: readonly NeedRef[], loaded: Loaded): Promise<void> {
  const ids = new Map<NeedKind, string[]>()
  for (const { kind, id } of needs) {
    ids.set(kind, [...(ids.get(kind) ?? []), id])
    loaded.meet(kind, id)
  }
  const { statement, params } = composeLoad(ids)
  for (const row of await sql.$queryRawUnsafe<LoadedRow[]>(statement, ...params)) keep(loaded, row)
}

/** `met` says that a need was looked up, whether or not rows answer it. */
function keep(loaded: Loaded, { table, need, id, key, row }: LoadedRow): void {
  if (table === 'edge') loaded.edges.set(edgeKey(row), row)
  else if (table !== 'met') place(loaded, table, key, row)
  if (need === null || id === null) return
  if (table === 'met') loaded.meet(need, id)
  else loaded.answer(need, id, table === 'edge' ? edgeKey(row) : key)
}

function edgeKey(edge: TaskDependencyRow): string {
  return `${edge.taskId}<${edge.dependsOnId}`
}

/** What is loaded stays: a row read again in the same transaction is the same row. */
function place(loaded: Loaded, table: Exclude<LoadedRow['table'], 'edge' | 'met'>, key: string, row: never): void {
  const rows: Map<string, never> = {
    task: loaded.tasks,
    attempt: loaded.attempts,
    planned: loaded.planned,
    plan: loaded.plans,
    objective: loaded.objectives,
    artifact: loaded.artifacts,
    input: loaded.inputs,
    pushConfig: loaded.pushConfigs,
  }[table] as Map<string, never>
  if (!rows.has(key)) rows.set(key, row)
}

const ENDED = `IN ('completed', 'failed', 'canceled', 'rejected')`
const OPEN = `NOT IN ('completed', 'failed', 'canceled', 'rejected')`

/**
 * Looks rows up one by one, by an index: with `OFFSET 0` the planner cannot join the whole table instead, which it does
 * where it has no statistics yet. (docs/decisions/0070)
 */
function each(table: string, where: string, alias: string): string {
  return `CROSS JOIN LATERAL (SELECT * FROM ${table} x WHERE ${where} OFFSET 0) ${alias}`
}

/** The need's ids, as rows. */
const IDS = 'unnest($::text[]) AS k(id)'

/** Which tasks each need picks: rows of (need, id, task). `$` stands for the need's ids. */
const PICKS: Partial<Record<NeedKind, string>> = {
  lineage: `SELECT 'lineage', NULL::text, up.id FROM up`,
  dependents: `SELECT NULL, NULL, d.task_id FROM ${IDS} ${each('task_dependency', 'x.depends_on_id = k.id', 'd')}`,
  cascade: `SELECT NULL, NULL, down.id FROM down`,
  unfinishedTasks: `SELECT 'unfinishedTasks', t.plan_id, t.id FROM task t WHERE t.plan_id = ANY($) AND t.state ${OPEN}`,
  entryTasks: `SELECT 'entryTasks', t.plan_id, t.id FROM task t WHERE t.plan_id = ANY($) AND t.entry AND t.state ${OPEN}`,
  roots: `(SELECT 'roots', t.context_key, t.id FROM task t WHERE t.context_key = ANY($) AND t.id = t.root_id AND t.state ${OPEN})
    UNION ALL (SELECT 'roots', c.key, r.id FROM unnest($::text[]) AS c(key) CROSS JOIN LATERAL (
      SELECT t.id FROM task t WHERE t.context_key = c.key AND t.id = t.root_id AND NOT t.hidden AND t.state ${ENDED}
      ORDER BY t.status_at DESC, t.id DESC LIMIT 1) r)`,
  openInputs: `SELECT NULL, NULL, i.task_id FROM input_request i WHERE i.context_key = ANY($) AND i.closed_at IS NULL`,
  deliverables: `SELECT NULL, NULL, s.id FROM sinks s`,
}

/** CTEs that some picks stand on. */
const WITHS: Partial<Record<NeedKind, string>> = {
  lineage: `up AS (
    SELECT t.id, t.plan_id, t.context_key FROM ${IDS} ${each('task', 'x.id = k.id', 't')}
    UNION SELECT t.id, t.plan_id, t.context_key
    FROM up ${each('plan', 'x.id = up.plan_id', 'p')} ${each('task', 'x.id = p.task_id', 't')})`,
  cascade: `down AS (
    SELECT unnest($::text[]) AS id
    UNION SELECT d.task_id FROM down ${each('task_dependency', 'x.depends_on_id = down.id AND NOT x.reference', 'd')})`,
  deliverables: `sinks AS (
    SELECT t.id, t.plan_id FROM task t WHERE t.plan_id = ANY($) AND NOT EXISTS (
      SELECT FROM task_dependency d CROSS JOIN LATERAL (SELECT plan_id FROM task WHERE id = d.task_id OFFSET 0) x
      WHERE d.depends_on_id = t.id AND NOT d.reference AND x.plan_id = t.plan_id OFFSET 0))`,
}

/** Rows of other tables that each need brings. */
const EXTRAS: Partial<Record<NeedKind, string[]>> = {
  lineage: [
    select('plan', 'p', `NULL, NULL, p.id`,
      `(SELECT DISTINCT plan_id FROM up) u ${each('plan', 'x.id = u.plan_id', 'p')}`),
    select('planned', 'pt', `NULL, NULL, pt.task_id`, `up ${each('planned_task', 'x.task_id = up.id', 'pt')}`),
    select('objective', 'o', `'objective', o.context_key, o.context_key`,
      `(SELECT DISTINCT context_key FROM up) u ${each('objective', 'x.context_key = u.context_key', 'o')}`),
    `SELECT 'met', 'objective', u.context_key, NULL, NULL::json FROM (SELECT DISTINCT context_key FROM up) u`,
  ],
  dependents: [
    edges('dependents', 'd.depends_on_id', `${IDS} ${each('task_dependency', 'x.depends_on_id = k.id', 'd')}`),
  ],
  cascade: [
    `SELECT 'met', 'cascade', down.id, NULL, NULL::json FROM down`,
    edges('cascade', 'd.depends_on_id', `down ${each('task_dependency', 'x.depends_on_id = down.id', 'd')}`),
  ],
  unfinishedTasks: [
    `SELECT 'met', 'cascade', t.id, NULL, NULL::json FROM task t WHERE t.plan_id = ANY($) AND t.state ${OPEN}`,
    edges('cascade', 'd.depends_on_id',
      `task_dependency d JOIN task t ON t.id = d.depends_on_id WHERE t.plan_id = ANY($) AND t.state ${OPEN}`),
    select('planned', 'pt', 'NULL, NULL, pt.task_id',
      `planned_task pt JOIN task t ON t.id = pt.task_id WHERE t.plan_id = ANY($) AND t.state ${OPEN}`),
  ],
  entryTasks: [
    select('planned', 'pt', 'NULL, NULL, pt.task_id',
      `planned_task pt JOIN task t ON t.id = pt.task_id WHERE t.plan_id = ANY($) AND t.entry AND t.state ${OPEN}`),
  ],
  roots: [
    select('planned', 'pt', 'NULL, NULL, pt.task_id',
      `planned_task pt JOIN task t ON t.id = pt.task_id WHERE t.context_key = ANY($) AND t.id = t.root_id AND t.state ${OPEN}`),
  ],
  plan: [select('plan', 'p', `'plan', p.id, p.id`, 'plan p WHERE p.id = ANY($)')],
  plansOf: [select('plan', 'p', `'plansOf', p.task_id, p.id`, 'plan p WHERE p.task_id = ANY($) ORDER BY p.plan_index')],
  planDependents: [
    select('plan', 'p', `'planDependents', d.depends_on_id, p.id`,
      'plan p JOIN plan_dependency d ON d.plan_id = p.id WHERE d.depends_on_id = ANY($)'),
  ],
  objective: [select('objective', 'o', `'objective', o.context_key, o.context_key`, 'objective o WHERE o.context_key = ANY($)')],
  artifacts: [select('artifact', 'a', `'artifacts', a.task_id, a.key`, `${IDS} ${each('artifact', 'x.task_id = k.id', 'a')} ORDER BY a.position`)],
  deliverables: [
    select('artifact', 'a', `'deliverables', s.plan_id, a.key`,
      'artifact a JOIN sinks s ON s.id = a.task_id ORDER BY a.position'),
  ],
  pushConfigs: [select('pushConfig', 'c', `'pushConfigs', c.context_key, c.key`, 'push_config c WHERE c.context_key = ANY($) ORDER BY c.key')],
  openInputs: [
    select('input', 'i', `'openInputs', i.context_key, i.id`,
      `input_request i WHERE i.context_key = ANY($) AND (i.closed_at IS NULL
        OR (i.answered_by IS NULL AND i.closed_at > clock_timestamp() - interval '5 seconds'))`),
  ],
} // biome-ignore format: one row per source

function select(table: keyof typeof TABLES, alias: string, answers: string, from: string): string {
  return `(SELECT '${table}', ${answers}, ${rowJson(TABLES[table], alias)} FROM ${from})`
}

function edges(need: NeedKind, id: string, from: string): string {
  return `SELECT 'edge', '${need}', ${id}, ${id}, ${rowJson(TABLES.taskDependency, 'd')} FROM ${from}`
}

const TASKS = `SELECT 'task', picked.need, picked.id, t.id, ${rowJson(TABLES.task, 't')} 
  FROM picked ${each('task', 'x.id = picked.task', 't')}`
/** The newest attempt of each, open or not: what a remote agent calls its task is recorded even after the end. */
const ATTEMPTS = `SELECT 'attempt', NULL, NULL, a.task_id, ${rowJson(TABLES.attempt, 'a')}
  FROM picked ${each('task', 'x.id = picked.task', 't')} ${each('attempt', 'x.task_id = t.id AND x.number = t.attempt', 'a')}`

/** One statement for all kinds of needs present. Parameter n holds the ids of the n-th kind. */
function composeLoad(ids: ReadonlyMap<NeedKind, string[]>): { statement: string; params: string[][] } {
  const params: string[][] = []
  const withs: string[] = []
  const picks: string[] = []
  const selects: string[] = []
  for (const [kind, list] of ids) {
    const at = (sql: string) => sql.replaceAll('$', () => `$${position}`)
    const position = params.push(list)
    if (WITHS[kind] !== undefined) withs.push(at(WITHS[kind]))
    if (PICKS[kind] !== undefined) picks.push(at(PICKS[kind]))
    for (const extra of EXTRAS[kind] ?? []) selects.push(at(extra))
  }
  if (picks.length > 0) {
    withs.push(`picked(need, id, task) AS (${picks.join(' UNION ALL ')})`)
    selects.unshift(TASKS, ATTEMPTS)
  }
  const head = withs.length > 0 ? `WITH RECURSIVE ${withs.join(', ')} ` : ''
  return {
    statement: `${head}SELECT * FROM (${selects.join(' UNION ALL ')}) AS r("table", need, id, key, row)`,
    params,
  }
}
