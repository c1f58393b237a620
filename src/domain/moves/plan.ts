import { isPlanTerminal } from '../plan.ts'
import { planSlot, planStatus } from '../rollup.ts'
import type { PlanEnd, PlanRow } from '../rows.ts'
import { isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { recountPlan } from './count.ts'
import { meetOne, moveTask } from './task.ts'

/** One thing less that a plan waits for; at none it opens, and its entry tasks have one thing less to wait for. */
export function meetOnePlan(w: WorkingCopy, id: string): void {
  const current = w.plan(id)
  if (isPlanTerminal(current.status)) return
  const before = planSlot(current)
  const plan = w.plans.edit(id)
  plan.unmet -= 1
  recountPlan(w, plan, before)
  if (plan.unmet === 0) for (const task of w.entryTasks(id)) meetOne(w, task.id)
}

/** Ends a plan whatever its tasks are at: they end with it, and what runs is aborted. (design §3.1) */
export function endPlan(w: WorkingCopy, id: string, end: PlanEnd): void {
  const current = w.plan(id)
  if (isPlanTerminal(current.status) || current.end !== null) return
  const plan = w.plans.edit(id)
  plan.end = end
  for (const task of w.unfinishedTasks(id)) endTaskOfPlan(w, task.id, end)
  w.dirtyPlans.add(id)
}

function endTaskOfPlan(w: WorkingCopy, taskId: string, end: PlanEnd): void {
  const task = w.task(taskId)
  if (isTerminal(task.state)) return
  if (task.kind === 'planned') {
    w.plannedEnds.push({ taskId, end })
    return
  }
  moveTask(w, taskId, { state: 'canceled', skipped: end !== 'canceled' && task.startedAt === null })
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
