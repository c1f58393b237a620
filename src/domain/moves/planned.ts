import type { Message } from '../message.ts'
import { isPlanTerminal } from '../plan.ts'
import { plannedState, rootSlot } from '../rollup.ts'
import type { PlanEnd, PlannedEnd, TaskRow } from '../rows.ts'
import { isInterrupted, isTerminal, type TaskState } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { agentMessage } from './agent-message.ts'
import { endPlan } from './plan.ts'
import { moveTask } from './task.ts'

const PLANS_END: Record<PlannedEnd, PlanEnd> = {
  canceled: 'canceled',
  planner: 'parentEnded',
  answered: 'notNeeded',
  budget: 'budget',
  deadline: 'deadline',
}

export interface PlannedEnding {
  /** It will never run: what it depends on broke. */
  skipped?: boolean
  /** Its last status message. */
  message?: Message
}

/** Ends a planned task whatever its plans are at: they end with it. */
export function endPlanned(w: WorkingCopy, taskId: string, end: PlannedEnd, ending: PlannedEnding = {}): void {
  const task = w.task(taskId)
  if (isTerminal(task.state)) return
  const { skipped = false, message } = ending
  if (message !== undefined) w.lastWords.set(taskId, message)
  w.planned.edit(taskId).end = end
  if (skipped) w.tasks.edit(taskId).skipped = true
  const planEnd = skipped ? 'parentEnded' : PLANS_END[end]
  for (const plan of w.plansOf(taskId)) if (!isPlanTerminal(plan.status)) endPlan(w, plan.id, planEnd)
  w.dirtyPlanned.add(taskId)
}

/** Recomputes a planned task's state from its counters and its end, and what its objective counts it as. */
export function recomputePlanned(w: WorkingCopy, taskId: string): void {
  const planned = w.plannedTask(taskId)
  const task = w.task(taskId)
  const state = plannedState(planned, planned.end)
  if (state !== task.state && !isTerminal(task.state)) {
    const message = statusMessage(w, task, state)
    moveTask(w, taskId, { state, ...(message && { message }) })
  }
  if (taskId === task.rootId) countRoot(w, taskId)
}

/** An interrupted planned task shows the oldest open question below it; one that was ended, why. */
function statusMessage(w: WorkingCopy, task: TaskRow, state: TaskState) {
  if (isInterrupted(state)) return oldestInput(w, task.rootId)?.message ?? undefined
  const { failed } = w.plannedTask(task.id)
  if (state !== 'failed' || w.lastWords.has(task.id)) return w.lastWords.get(task.id)
  return agentMessage(w, task.id, failed === 1 ? 'A plan failed' : `${failed} plans failed`)
}

/** The question that an unbound message to a planned root answers. (design §6, Questions) */
export function oldestInput(w: WorkingCopy, rootId: string) {
  const open = w.openInputs().filter((input) => input.rootId === rootId)
  return open.sort((a, b) => a.openedAt.localeCompare(b.openedAt) || a.id.localeCompare(b.id))[0]
}

/** Counts a planned root in its objective, which follows from its roots. (design §3.4) */
export function countRoot(w: WorkingCopy, taskId: string): void {
  if (w.objective() === undefined) return
  const { state } = w.task(taskId)
  const planned = w.plannedTask(taskId)
  const slot = rootSlot(state, planned)
  const objective = w.objectives.edit(w.context.key)
  if (objective.newestRootId === taskId) objective.newestState = state
  if (slot === planned.countedAs) return
  if (planned.countedAs !== null) objective[planned.countedAs] -= 1
  if (slot !== null) objective[slot] += 1
  w.planned.edit(taskId).countedAs = slot
}
