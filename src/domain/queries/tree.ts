import type { Sql } from '../../db/client.ts'
import type { Metadata } from '../message.ts'
import type { ObjectiveView } from '../objective.ts'
import type { OnFailure, PlanStatus, PlanView, TreeTask } from '../plan.ts'
import type { PlanCounters } from '../rows.ts'
import { type TaskState, treeTaskStatus } from '../task.ts'
import { type ObjectiveKey, readObjective } from './objectives.ts'
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
  metadata: Metadata
  createdAt: string
  updatedAt: string
  dependencies: string[]
}

interface TaskRecord {
  id: string
  planId: string
  taskIndex: number
  name: string
  description: string | null
  state: TaskState
  skipped: boolean
  metadata: Metadata
  agent: string | null
  dependencies: string[]
}

const PLANS = `SELECT p.id, p.task_id AS "taskId", pt.plan_id IS NOT NULL AS nested, p.name, p.description, p.status,
  p.on_failure AS "onFailure", p.alternative_to AS "alternativeTo", p.revision, p.metadata,
  p.waiting, p.ready, p.running, p.input, p.auth, p.completed, p.failed, p.ignored, p.canceled, p.skipped,
  p.created_at::text AS "createdAt", p.updated_at::text AS "updatedAt",
  coalesce((SELECT json_agg(d.depends_on_id) FROM plan_dependency d WHERE d.plan_id = p.id), '[]') AS dependencies
  FROM plan p JOIN task t ON t.id = p.task_id LEFT JOIN plan_task pt ON pt.task_id = t.id
  WHERE p.context_key = $1 AND ($2::text IS NULL OR p.id = $2) ORDER BY t.created_at, t.id, p.plan_index`

const TASKS = `SELECT t.id, pt.plan_id AS "planId", pt.task_index AS "taskIndex", t.name, t.description, t.state, t.skipped, t.metadata,
  coalesce((SELECT nullif(a.agent, 'none') FROM attempt a WHERE a.task_id = t.id ORDER BY a.number DESC LIMIT 1), t.agent) AS agent,
  coalesce((SELECT json_agg(d.depends_on_id) FROM task_dependency d WHERE d.task_id = t.id AND NOT d.reference), '[]') AS dependencies
  FROM plan_task pt JOIN task t ON t.id = pt.task_id JOIN plan p ON p.id = pt.plan_id
  WHERE p.context_key = $1 AND ($2::text IS NULL OR p.id = $2) ORDER BY pt.plan_id, pt.task_index`

/** An objective with its plans and their tasks, as far as asked for, at one moment. */
export async function readTree(
  sql: Sql,
  key: ObjectiveKey,
  options: { includePlans: boolean; includeTasks: boolean },
): Promise<ObjectiveView | null> {
  const found = await readObjective(sql, key)
  if (found === null || !options.includePlans) return found?.objective ?? null
  const plans = await readPlans(sql, found.contextKey, found.objective.id, {
    planId: null,
    includeTasks: options.includeTasks,
  })
  return { ...found.objective, plans }
}

/** The plans of a context, or one of them; plans of tasks that are planned in their turn are inside these tasks. */
export async function readPlans(
  sql: Sql,
  contextKey: string,
  objectiveId: string,
  options: { planId: string | null; includeTasks: boolean },
): Promise<PlanView[]> {
  const plans = await sql.$queryRawUnsafe<PlanRecord[]>(PLANS, contextKey, options.planId)
  const tasks = options.includeTasks ? await sql.$queryRawUnsafe<TaskRecord[]>(TASKS, contextKey, options.planId) : []
  const views = plans.map((plan) => ({
    nested: plan.nested,
    view: toPlanView(plan, objectiveId, options.includeTasks),
  }))
  const byId = new Map(views.map(({ view }) => [view.id, view]))
  const byTask = new Map<string, TreeTask>()
  for (const task of tasks) {
    const view = toTreeTask(task, objectiveId)
    byTask.set(view.id, view)
    byId.get(task.planId)?.tasks?.push(view)
  }
  for (const { nested, view } of views) if (nested) nest(byTask.get(view.taskId), view)
  return views.filter(({ nested }) => !nested || options.planId !== null).map(({ view }) => view)
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
