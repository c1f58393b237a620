import { invalidParams, invalidPlan, invalidState, TrellisError } from '../../base/errors.ts'
import type { DraftPlan } from '../draft.ts'
import type { DraftLimits } from '../graph.ts'
import { giveFreed } from '../moves/deliver.ts'
import { endTasksOf, markEnded } from '../moves/plan.ts'
import { isPlanTerminal } from '../plan.ts'
import { planSize } from '../rollup.ts'
import type { PlanRow, TaskRow } from '../rows.ts'
import { isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { checkCarried, neededToCarry, type Running, withStarted } from './carry-over.ts'
import { createPlans, revisionOf } from './create-plans.ts'
import type { TaskDefaults } from './create-root.ts'
import { newestUnfinishedRoot } from './newest-root.ts'
import { supersededBy } from './supersede.ts'

/** New plans for a planned task, in place of its unfinished ones. */
export interface Replan {
  /** The planned task; absent: the objective's newest unfinished root. */
  taskId?: string
  plans: readonly DraftPlan[]
  running: Running
  /** The revision that the plans are thought to have. */
  expectedRevision?: number
  reason?: string
  /** The principal that asks for it. */
  actor: string
}

export interface ReplanRules {
  defaults: TaskDefaults
  limits: Pick<DraftLimits, 'maxPlansPerObjective' | 'maxTasksPerPlan'>
}

/**
 * Ends the unfinished plans of a planned task as superseded, and makes new ones, which the drafts carry tasks over into.
 * Drafts are validated by then. (design §3.8)
 *
 * @throws TrellisError invalidState if it has ended, revisionMismatch, or invalidPlan for what cannot be carried over
 */
export function replan(w: WorkingCopy, objectiveId: string, change: Replan, rules: ReplanRules): void {
  const task = targetOf(w, objectiveId, change.taskId)
  const plans = w.plansOf(task.id)
  const revision = revisionOf(plans)
  checkRevision(task.id, revision, change.expectedRevision)
  const open = plans.filter(({ status }) => !isPlanTerminal(status))
  w.require(neededToCarry(w, open, change.plans))
  const drafts = change.running === 'keep' ? withStarted(w, open, change.plans) : change.plans
  checkSizes(drafts, plans.filter(isInForce).length - open.length, rules.limits)
  checkCarried(w, task.id, drafts, change.running)
  const from = w.context.seq
  const ended = markEnded(w, open.map(({ id }) => id), 'superseded') // biome-ignore format: one step
  const revising = { revision: revision + 1, supersedes: supersededBy(drafts, open) }
  createPlans(w, task.id, drafts, rules.defaults, revising)
  tell(w, task, change, { revision, plans, ended, from })
  endTasksOf(w, ended, 'superseded')
  giveFreed(w, plans, ended)
}

/** @throws TrellisError taskNotFound, invalidParams or invalidState for a task whose plans cannot be replaced */
function targetOf(w: WorkingCopy, objectiveId: string, taskId: string | undefined): TaskRow {
  if (taskId === undefined) {
    const root = newestUnfinishedRoot(w)
    if (root === undefined) throw invalidState(`Objective ${objectiveId}`, w.objective()?.status ?? 'unknown', [])
    return root
  }
  const task = w.task(taskId)
  if (task.kind !== 'planned')
    throw invalidParams('taskId', `was "${taskId}", which has no plans; must be a planned task`)
  if (isTerminal(task.state)) throw invalidState(`Task ${taskId}`, task.state, [])
  return task
}

function checkRevision(taskId: string, revision: number, expected: number | undefined): void {
  if (expected === undefined || expected === revision) return
  const details = { taskId, revision: String(revision), expectedRevision: String(expected) }
  const message = `The plans of task ${taskId} are at revision ${revision}, and expectedRevision was ${expected}: read them again`
  throw new TrellisError('revisionMismatch', message, { details })
}

/** Limits hold with what stays and what is carried over, too: that is known only now. */
function checkSizes(drafts: readonly DraftPlan[], staying: number, limits: ReplanRules['limits']): void {
  const { maxPlansPerObjective, maxTasksPerPlan } = limits
  const [first] = drafts
  if (first === undefined || drafts.every(({ tasks }) => tasks.length === 0)) {
    throw invalidPlan(first?.key ?? 'plans', 'none of the plans has tasks, so that nothing would be left to do')
  }
  // More may stay than are allowed by now.
  const over = drafts[Math.max(0, maxPlansPerObjective - staying)]
  if (over !== undefined) {
    const allowed = `an objective may have at most ${maxPlansPerObjective} plans (maxPlansPerObjective)`
    throw invalidPlan(over.key, `${staying} plans are there already, and ${allowed}`)
  }
  const full = drafts.find(({ tasks }) => tasks.length > maxTasksPerPlan)
  if (full !== undefined) {
    const allowed = `a plan may have at most ${maxTasksPerPlan} (maxTasksPerPlan)`
    throw invalidPlan(full.key, `it has ${full.tasks.length} tasks with those carried over, and ${allowed}`)
  }
}

/** Whether no replan has ended it. */
export function isInForce({ end }: PlanRow): boolean {
  return end !== 'superseded'
}

interface Before {
  revision: number
  plans: readonly PlanRow[]
  /** Ids of the plans that were superseded. */
  ended: readonly string[]
  /** The seq before the change. */
  from: number
}

/** The change as one event: what the plans were and are, and what becomes of the tasks. */
function tell(w: WorkingCopy, task: TaskRow, { actor, reason, running }: Replan, before: Before): void {
  const now = w.plansOf(task.id)
  const filled = before.ended.filter((id) => planSize(w.plan(id)) > 0)
  const left = filled.flatMap((id) => w.unfinishedTasks(id)).filter(({ state }) => !isTerminal(state))
  const carried = w.events.filter(({ type, seq }) => type === 'task.carried' && seq > before.from)
  const idsOf = (rows: readonly { id: string }[]) => rows.map(({ id }) => id)
  w.emit(
    'objective.replanned',
    {
      ...{ taskId: task.id, actor, ...(reason !== undefined && { reason }), running },
      before: { revision: before.revision, plans: idsOf(before.plans.filter(isInForce)) },
      after: { revision: before.revision + 1, plans: idsOf(now.filter(isInForce)) },
      carried: carried.flatMap(({ taskId }) => taskId ?? []),
      canceled: idsOf(left.filter(({ state }) => state !== 'submitted')),
      skipped: idsOf(left.filter(({ state }) => state === 'submitted')),
    },
    { task: w.task(task.id) },
  )
}
