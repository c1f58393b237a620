import type { Needed } from '../need.ts'
import { isPlanTerminal } from '../plan.ts'
import { planSize, planSlot, planStatus } from '../rollup.ts'
import type { PlanEnd, PlanRow } from '../rows.ts'
import { isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { recountPlan } from './count.ts'
import { meetOne, moveTask } from './task.ts'

function isOver(plan: PlanRow): boolean {
  return isPlanTerminal(plan.status) || plan.end !== null
}

/**
 * One thing less that each of these plans waits for; a plan named twice had two things. At none a plan opens, and its
 * entry tasks have one thing less to wait for.
 */
export function meetPlans(w: WorkingCopy, ids: readonly string[]): void {
  const opened: string[] = []
  for (const id of ids) if (meetOneOf(w, id)) opened.push(id)
  w.require(opened.map((id) => ({ kind: 'entryTasks', id })))
  for (const id of opened) for (const task of w.entryTasks(id)) meetOne(w, task.id)
}

/** Resolves with whether that was the last thing the plan waited for. */
function meetOneOf(w: WorkingCopy, id: string): boolean {
  const current = w.plan(id)
  if (isOver(current)) return false
  const before = planSlot(current)
  const plan = w.plans.edit(id)
  plan.unmet -= 1
  recountPlan(w, plan, before)
  return plan.unmet === 0
}

/** Ends plans whatever their tasks are at: they end with them, and what runs is aborted. (design §3.1) */
export function endPlans(w: WorkingCopy, ids: readonly string[], end: PlanEnd): void {
  endTasksOf(w, markEnded(w, ids, end), end)
}

/** Says of plans that they have ended, but for their tasks. Returns those that had not before. */
export function markEnded(w: WorkingCopy, ids: readonly string[], end: PlanEnd): string[] {
  const open = ids.filter((id) => !isOver(w.plan(id)))
  w.require(neededToEnd(w, open))
  for (const id of open) {
    w.plans.edit(id).end = end
    w.dirtyPlans.add(id)
  }
  return open
}

/** Ends the tasks of plans that have been marked. */
export function endTasksOf(w: WorkingCopy, ids: readonly string[], end: PlanEnd): void {
  for (const id of ids) {
    if (planSize(w.plan(id)) > 0) for (const task of w.unfinishedTasks(id)) endTaskOfPlan(w, task.id, end)
  }
}

/** What ending plans reads. */
export function neededToEnd(w: WorkingCopy, ids: readonly string[]): Needed[] {
  const plans = ids.map((id) => w.plan(id)).filter((plan) => planSize(plan) > 0)
  const isAsked = plans.some((plan) => plan.input + plan.auth > 0)
  // Where only the plan ends, its dependents are looked at next.
  const alone = plans.filter(({ taskId }) => w.plannedTask(taskId).end === null)
  return [
    ...plans.map(({ id }): Needed => ({ kind: 'unfinishedTasks', id })),
    ...alone.map(({ id }): Needed => ({ kind: 'planDependents', id })),
    ...(isAsked ? [{ kind: 'openInputs', id: w.context.key } as const] : []),
  ]
}

function endTaskOfPlan(w: WorkingCopy, taskId: string, end: PlanEnd): void {
  const task = w.task(taskId)
  if (isTerminal(task.state)) return
  const canceled = end === 'canceled'
  if (task.kind === 'planned') w.endings.push({ taskId, canceled })
  else moveTask(w, taskId, { state: 'canceled', skipped: !canceled && task.startedAt === null })
}

/** Recomputes a plan's status from its counters and its end. Its end is left to `settle`. */
export function recomputePlan(w: WorkingCopy, id: string): void {
  const current = w.plan(id)
  if (isPlanTerminal(current.status)) return
  const status = planStatus(current, current.end, current.onFailure)
  if (status === current.status) return
  setStatus(w, current, status)
  if (isPlanTerminal(status)) w.consequences.push({ kind: 'plan', id })
}

function setStatus(w: WorkingCopy, current: PlanRow, status: PlanRow['status']): void {
  const before = planSlot(current)
  const plan = w.plans.edit(current.id)
  const previous = plan.status
  plan.status = status
  plan.updatedAt = w.now
  recountPlan(w, plan, before)
  w.emit('plan.status', { status, previous, ...(plan.end && { reason: plan.end }) }, { plan })
}
