import { isTerminalSlot, type PlanSlot, planSlot, progressSlot, taskSlot } from '../rollup.ts'
import type { PlanRow, TaskRow } from '../rows.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** What a task or plan counted as before a move. */
export type Before<T> = T | null

export function slotOf(w: WorkingCopy, task: TaskRow): Before<PlanSlot> {
  return task.planId === null ? null : taskSlot(task, w.plan(task.planId).onFailure)
}

/** Moves a task from one counter of its plan to another, and the same up the tree; null is not counted. (design §3.6) */
export function recount(w: WorkingCopy, task: TaskRow, before: Before<PlanSlot>, after: Before<PlanSlot>): void {
  if (task.planId === null || before === after) return
  countInPlan(w, task.planId, before, after)
  countUpward(w, task.planId, before, after)
  countInObjective(w, before, after)
}

function countInPlan(w: WorkingCopy, planId: string, before: Before<PlanSlot>, after: Before<PlanSlot>): void {
  const slotBefore = planSlot(w.plan(planId))
  const plan = w.plans.edit(planId)
  if (before !== null) plan[before] -= 1
  if (after !== null) plan[after] += 1
  plan.updatedAt = w.now
  const planned = w.editPlanned(plan.taskId)
  planned.input += delta(before, after, 'input')
  planned.auth += delta(before, after, 'auth')
  recountPlan(w, plan, slotBefore)
  w.dirtyPlans.add(planId)
  w.dirtyPlanned.add(plan.taskId)
}

/** Moves a plan from one counter of its planned task to another. `before` is its slot before the move. */
export function recountPlan(w: WorkingCopy, plan: PlanRow, before: ReturnType<typeof planSlot>): void {
  const after = planSlot(plan)
  if (before === after) return
  const planned = w.editPlanned(plan.taskId)
  if (before !== null) planned[before] -= 1
  if (after !== null) planned[after] += 1
  w.dirtyPlanned.add(plan.taskId)
}

function delta(before: Before<PlanSlot>, after: Before<PlanSlot>, slot: PlanSlot): number {
  return Number(after === slot) - Number(before === slot)
}

/** Tasks and finished tasks, summed over every plan above: what "2 of 5 done" says. */
function countUpward(w: WorkingCopy, planId: string, before: Before<PlanSlot>, after: Before<PlanSlot>): void {
  const total = Number(after !== null) - Number(before !== null)
  const done = Number(isDone(after)) - Number(isDone(before))
  if (total === 0 && done === 0) return
  for (let at: string | null = planId; at !== null; ) {
    const planned = w.editPlanned(w.plan(at).taskId)
    planned.total += total
    planned.done += done
    if (done > 0) w.progressed.add(planned.taskId)
    at = w.task(planned.taskId).planId
  }
}

function isDone(slot: Before<PlanSlot>): boolean {
  return slot !== null && isTerminalSlot(slot)
}

function countInObjective(w: WorkingCopy, before: Before<PlanSlot>, after: Before<PlanSlot>): void {
  if (w.objective() === undefined) return
  const objective = w.objectives.edit(w.context.key)
  const from = before === null ? null : progressSlot(before)
  const to = after === null ? null : progressSlot(after)
  if (before === null) objective.total += 1
  if (after === null) objective.total -= 1
  if (from !== null) objective[from] -= 1
  if (to !== null) objective[to] += 1
  objective.updatedAt = w.now
}
