import type { Message } from '../message.ts'
import type { Needed } from '../need.ts'
import { isPlanTerminal } from '../plan.ts'
import { plannedState, rootSlot } from '../rollup.ts'
import type { PlanEnd, PlannedEnd, PlannedRow, TaskRow } from '../rows.ts'
import { isInterrupted, isTerminal, type TaskState } from '../task.ts'
import type { EndingBelow, WorkingCopy } from '../working-copy.ts'
import { agentMessage } from './agent-message.ts'
import { failureText } from './failure.ts'
import { endPlans, meetPlans } from './plan.ts'
import { currentQuestion } from './question.ts'
import { moveTask } from './task.ts'

const PLANS_END: Record<PlannedEnd, PlanEnd> = {
  canceled: 'canceled',
  planner: 'parentEnded',
  answered: 'notNeeded',
  budget: 'budget',
  deadline: 'deadline',
}

export interface PlannedEnding {
  /** Its last status message. */
  message?: Message
}

/** Ends a planned task whatever its plans are at: they end with it. */
export function endPlanned(w: WorkingCopy, taskId: string, end: PlannedEnd, { message }: PlannedEnding = {}): void {
  w.require(neededOf(w, taskId))
  if (!markEnded(w, taskId, end)) return
  if (message !== undefined) w.lastWords.set(taskId, message)
  endPlans(w, unfinishedPlans(w, taskId), PLANS_END[end])
}

/**
 * Ends planned tasks with what they are in, or because what they waited for broke. Only what a person canceled is canceled
 * all the way down; of the rest, what never started is skipped.
 */
export function endBelow(w: WorkingCopy, endings: readonly EndingBelow[]): void {
  w.require(endings.flatMap(({ taskId }) => neededOf(w, taskId)))
  for (const canceled of [true, false]) {
    const some = endings.filter((ending) => ending.canceled === canceled && markEnded(w, ending.taskId, 'canceled'))
    for (const { taskId } of some) {
      if (!canceled && w.task(taskId).startedAt === null) w.tasks.edit(taskId).skipped = true
    }
    const plans = some.flatMap(({ taskId }) => unfinishedPlans(w, taskId))
    endPlans(w, plans, canceled ? 'canceled' : 'parentEnded')
  }
}

/** Opens the plans of planned tasks that nothing holds back any more. */
export function openPlanned(w: WorkingCopy, taskIds: readonly string[]): void {
  w.require(taskIds.flatMap((id) => neededOf(w, id)))
  meetPlans(
    w,
    taskIds.flatMap((id) => w.plansOf(id).map((plan) => plan.id)),
  )
}

/** Its row, its plans, and what waits for it. */
function neededOf(w: WorkingCopy, id: string): Needed[] {
  const row: Needed[] = w.planned.get(id) === undefined ? [{ kind: 'lineage', id }] : []
  return [...row, { kind: 'plansOf', id }, { kind: 'dependents', id }]
}

function markEnded(w: WorkingCopy, taskId: string, end: PlannedEnd): boolean {
  if (isTerminal(w.task(taskId).state) || w.plannedTask(taskId).end !== null) return false
  w.editPlanned(taskId).end = end
  w.dirtyPlanned.add(taskId)
  return true
}

function unfinishedPlans(w: WorkingCopy, taskId: string): string[] {
  return w.plansOf(taskId).flatMap((plan) => (isPlanTerminal(plan.status) ? [] : [plan.id]))
}

/** Recomputes a planned task's state from its counters and its end, and what its objective counts it as. */
export function recomputePlanned(w: WorkingCopy, taskId: string): void {
  const planned = w.plannedTask(taskId)
  const task = w.task(taskId)
  const state = plannedState(planned, planned.end)
  if (state !== task.state && !isTerminal(task.state)) {
    // Plans without tasks did not hold it open; now they end with it.
    if (isTerminal(state) && planned.end === null) endPlans(w, unfinishedPlans(w, taskId), 'parentEnded')
    const message = statusMessage(w, planned, state)
    moveTask(w, taskId, { state, skipped: isSkipped(task, planned, state), ...(message && { message }) })
  }
  if (taskId === task.rootId) countRoot(w, taskId)
}

/** Below a root, one whose plans were all skipped counts as they do: no person canceled it. (design §3.2) */
function isSkipped(task: TaskRow, planned: PlannedRow, state: TaskState): boolean {
  if (task.skipped) return true
  return task.planId !== null && state === 'canceled' && planned.end === null && planned.canceled === 0
}

/** An interrupted planned task shows the oldest open question below it; one that failed or was ended says why. */
function statusMessage(w: WorkingCopy, { taskId, end }: PlannedRow, state: TaskState): Message | undefined {
  if (isInterrupted(state)) return currentQuestion(w, w.task(taskId))?.message ?? undefined
  if (state === 'failed' && end === null) return agentMessage(w, taskId, failureText(w, taskId))
  return w.lastWords.get(taskId)
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
  w.editPlanned(taskId).countedAs = slot
}
