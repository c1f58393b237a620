import type { Sql } from '../../db/client.ts'
import type { Metadata } from '../message.ts'
import type { ObjectiveView } from '../objective.ts'
import type { OnFailure, PlanStatus, PlanView, TreeTask } from '../plan.ts'
import type { PlanCounters } from '../rows.ts'
import { type TaskState, treeTaskStatus } from '../task.ts'
import { OBJECTIVE, type ObjectiveKey, type ObjectiveRecord, toObjectiveView } from './objectives.ts'
import { isoTime } from './tasks.ts'

interface PlanRecord extends PlanCounters {
  id: string
  taskId: string
  nested: boolean
  name: string
  description: string | null
  status: PlanStatus
  onFailure: OnFailure
  alternativeTo: string | null
  revision: number
  supersedesPlanId: string | null
  metadata: Metadata
  createdAt: string
  updatedAt: string
  dependencies: string[]
}

interface TaskRecord {
  id: string
  planId: string
  /** Where it is by now. */
  currentPlanId: string
  taskIndex: number
  name: string
  description: string | null
  state: TaskState
  skipped: boolean
  metadata: Metadata
  agent: string | null
  dependencies: string[]
}

const PLANS = `SELECT p.id, p.task_id AS "taskId", t.plan_id IS NOT NULL AS nested, p.name, p.description, p.status,
  p.on_failure AS "onFailure", p.alternative_to AS "alternativeTo", p.revision, p.supersedes_plan_id AS "supersedesPlanId", p.metadata,
  p.waiting, p.ready, p.running, p.input, p.auth, p.completed, p.failed, p.ignored, p.canceled, p.skipped,
  p.created_at AS "createdAt", p.updated_at AS "updatedAt",
  coalesce((SELECT json_agg(d.depends_on_id) FROM plan_dependency d WHERE d.plan_id = p.id), '[]') AS dependencies
  FROM plan p JOIN task t ON t.id = p.task_id`

const TASKS = `SELECT t.id, pt.plan_id AS "planId", t.plan_id AS "currentPlanId", pt.task_index AS "taskIndex", t.name, t.description, t.state, t.skipped, t.metadata,
  coalesce((SELECT nullif(a.agent, 'none') FROM attempt a WHERE a.task_id = t.id ORDER BY a.number DESC LIMIT 1), t.agent) AS agent,
  coalesce((SELECT json_agg(d.depends_on_id) FROM task_dependency d WHERE d.task_id = t.id AND NOT d.reference), '[]') AS dependencies
  FROM plan_task pt JOIN task t ON t.id = pt.task_id JOIN plan p ON p.id = pt.plan_id`

const list = (rows: string) => `(SELECT coalesce(json_agg(x), '[]') FROM (${rows}) x)`

// One statement sees one moment; two would show a completed plan with a task that is working.
const READ_TREE = `SELECT row_to_json(r) AS objective,
  CASE WHEN $4 THEN ${list(`${PLANS} WHERE p.context_key = o.context_key ORDER BY t.created_at, t.id, p.plan_index`)} END AS plans,
  CASE WHEN $5 THEN ${list(`${TASKS} WHERE p.context_key = o.context_key ORDER BY pt.plan_id, pt.task_index`)} END AS tasks
  FROM objective o JOIN context c ON c.key = o.context_key CROSS JOIN LATERAL (SELECT ${OBJECTIVE}) r
  WHERE c.tenant = $1 AND c.owner = $2 AND c.wire_id = $3`

const READ_PLAN = `SELECT c.wire_id AS "objectiveId", ${list(`${PLANS} WHERE p.id = found.id`)} AS plans,
  ${list(`${TASKS} WHERE p.id = found.id ORDER BY pt.task_index`)} AS tasks
  FROM plan found JOIN context c ON c.key = found.context_key
  WHERE c.tenant = $1 AND c.owner = $2 AND found.id = $3`

/** An objective with its plans and their tasks, as far as asked for, at one moment. Null: there is none, for this caller. */
export async function readTree(
  sql: Sql,
  { tenant, owner, id }: ObjectiveKey,
  { includePlans, includeTasks }: { includePlans: boolean; includeTasks: boolean },
): Promise<ObjectiveView | null> {
  const [row] = await sql.$queryRawUnsafe<
    { objective: ObjectiveRecord; plans: PlanRecord[] | null; tasks: TaskRecord[] | null }[]
  >(READ_TREE, tenant, owner, id, includePlans, includePlans && includeTasks)
  if (row === undefined) return null
  const objective = toObjectiveView(row.objective)
  if (row.plans === null) return objective
  const nested = new Set(row.plans.flatMap((plan) => (plan.nested ? plan.id : [])))
  const plans = assemble(objective.id, row.plans, row.tasks)
  return { ...objective, plans: plans.filter((plan) => !nested.has(plan.id)) }
}

/** A plan with its tasks, at one moment. Null: there is none, for this caller. */
export async function readPlan(sql: Sql, key: { tenant: string; owner: string; id: string }): Promise<PlanView | null> {
  const [row] = await sql.$queryRawUnsafe<{ objectiveId: string; plans: PlanRecord[]; tasks: TaskRecord[] }[]>(
    READ_PLAN,
    key.tenant,
    key.owner,
    key.id,
  )
  return row ? (assemble(row.objectiveId, row.plans, row.tasks)[0] ?? null) : null
}

/** Puts tasks into their plans, and plans of a task that is planned in its turn into that task. */
function assemble(
  objectiveId: string,
  records: readonly PlanRecord[],
  tasks: readonly TaskRecord[] | null,
): PlanView[] {
  const plans = new Map(records.map((record) => [record.id, toPlanView(record, objectiveId, tasks !== null)]))
  const byTask = new Map<string, TreeTask>()
  const places = new Set((tasks ?? []).map(({ id, planId }) => placeOf(planId, id)))
  for (const task of tasks ?? []) {
    // What a task waited for in a plan that it was carried out of is not there any more.
    const dependencies = task.dependencies.filter((id) => places.has(placeOf(task.planId, id)))
    const view = toTreeTask({ ...task, dependencies }, objectiveId)
    if (view.carriedTo === undefined) byTask.set(view.id, view)
    plans.get(task.planId)?.tasks?.push(view)
  }
  for (const { id, taskId } of records) nest(byTask.get(taskId), plans.get(id) as PlanView)
  return [...plans.values()]
}

function placeOf(planId: string, taskId: string): string {
  return `${planId} ${taskId}`
}

function nest(task: TreeTask | undefined, plan: PlanView): void {
  if (task !== undefined) task.plans = [...(task.plans ?? []), plan]
}

function toPlanView(record: PlanRecord, objectiveId: string, includeTasks: boolean): PlanView {
  return {
    id: record.id,
    objectiveId,
    taskId: record.taskId,
    name: record.name,
    ...(record.description !== null && { description: record.description }),
    status: record.status,
    dependencies: record.dependencies,
    onFailure: record.onFailure,
    ...(record.alternativeTo !== null && { alternativeTo: record.alternativeTo }),
    revision: record.revision,
    ...(record.supersedesPlanId !== null && { supersedesPlanId: record.supersedesPlanId }),
    progress: planProgress(record),
    metadata: record.metadata,
    createdAt: isoTime(record.createdAt),
    updatedAt: isoTime(record.updatedAt),
    ...(includeTasks && { tasks: [] }),
  }
}

/** design §3.6 */
export function planProgress(c: PlanCounters): PlanView['progress'] {
  const failed = c.failed + c.ignored
  const blocked = c.input + c.auth
  const pending = c.waiting + c.ready
  const total = pending + c.running + blocked + c.completed + failed + c.canceled + c.skipped
  return {
    total,
    completed: c.completed,
    failed,
    canceled: c.canceled,
    skipped: c.skipped,
    working: c.running,
    blocked,
    pending,
  }
}

function toTreeTask(record: TaskRecord, objectiveId: string): TreeTask {
  const { agent, description, skipped, ...rest } = record
  return {
    id: rest.id,
    planId: rest.planId,
    objectiveId,
    name: rest.name,
    ...(description !== null && { description }),
    taskIndex: rest.taskIndex,
    status: treeTaskStatus(rest.state, skipped),
    state: rest.state,
    dependencies: rest.dependencies,
    ...(agent !== null && { agent }),
    metadata: rest.metadata,
    ...(rest.currentPlanId !== rest.planId && { carriedTo: rest.currentPlanId }),
  }
}

/** Where each task below a root stands in its plan, from 0. */
export async function readTaskIndexes(sql: Sql, rootId: string): Promise<Map<string, number>> {
  const rows = await sql.$queryRawUnsafe<{ taskId: string; taskIndex: number }[]>(
    `SELECT pt.task_id AS "taskId", pt.task_index AS "taskIndex"
     FROM task t JOIN plan_task pt ON pt.task_id = t.id AND pt.plan_id = t.plan_id WHERE t.root_id = $1`,
    rootId,
  )
  return new Map(rows.map(({ taskId, taskIndex }) => [taskId, taskIndex]))
}
