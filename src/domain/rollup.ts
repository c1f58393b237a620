import type { ObjectiveStatus } from './objective.ts'
import type { OnFailure, PlanStatus } from './plan.ts'
import type {
  ObjectiveRow,
  PlanCounters,
  PlanEnd,
  PlannedCounters,
  PlannedEnd,
  PlanRow,
  RootSlot,
  TaskRow,
} from './rows.ts'
import type { TaskState } from './task.ts'

/** The tables of design §3. A parent's status follows from its children's counters and its own end, from nothing else. */

export type PlanSlot = keyof PlanCounters
export type PlannedSlot = keyof PlannedCounters

/** Where a task counts in its plan. An optional task that fails, is rejected or is canceled counts as skipped. */
export function taskSlot(
  task: Pick<TaskRow, 'state' | 'skipped' | 'optional' | 'unmet'>,
  onFailure: OnFailure,
): PlanSlot {
  switch (task.state) {
    case 'submitted':
      return task.unmet > 0 ? 'waiting' : 'ready'
    case 'working':
      return 'running'
    case 'input-required':
      return 'input'
    case 'auth-required':
      return 'auth'
    case 'completed':
      return 'completed'
    case 'canceled':
      return task.skipped || task.optional ? 'skipped' : 'canceled'
    case 'failed':
    case 'rejected':
      if (task.optional) return 'skipped'
      return onFailure === 'ignore' ? 'ignored' : 'failed'
  }
}

/** How many tasks a plan has. */
export function planSize(c: PlanCounters): number {
  return unfinishedTasks(c) + c.completed + c.failed + c.ignored + c.canceled + c.skipped
}

function unfinishedTasks(c: PlanCounters): number {
  return c.waiting + c.ready + c.running + c.input + c.auth
}

const STATUS_OF_END: Record<Exclude<PlanEnd, 'canceled'>, PlanStatus> = {
  superseded: 'skipped',
  notNeeded: 'skipped',
  brokenDependency: 'skipped',
  siblingFailed: 'skipped',
  parentEnded: 'skipped',
  budget: 'failed',
  deadline: 'failed',
  taskFailed: 'failed',
}

/** The table of design §3.2, line by line. */
export function planStatus(
  c: PlanCounters & { started: number },
  end: PlanEnd | null,
  onFailure: OnFailure,
): PlanStatus {
  if (end !== null && end !== 'canceled') return STATUS_OF_END[end]
  // What ends a plan ends its tasks: those that are not terminal yet are about to be.
  const isOver = end !== null || (planSize(c) > 0 && unfinishedTasks(c) === 0)
  if (c.failed > 0 && (isOver || onFailure === 'fail')) return 'failed'
  if (end === 'canceled' || (isOver && c.canceled > 0)) return 'canceled'
  if (isOver) return c.completed + c.ignored > 0 ? 'completed' : 'skipped'
  if (c.input + c.auth > 0 && c.ready + c.running === 0) return 'blocked'
  return c.started > 0 ? 'working' : 'pending'
}

/**
 * Where a plan counts in its planned task; null for a plan without tasks, which does not hold its parent open. One that
 * waits has started only by what was carried into it: unless that still moves, it waits.
 */
export function planSlot(
  plan: Pick<PlanRow, 'status' | 'unmet' | 'covered'> & PlanCounters & { end: PlanEnd | null },
): PlannedSlot | null {
  if (planSize(plan) === 0) return null
  switch (plan.status) {
    case 'pending':
      return plan.unmet > 0 ? 'waiting' : 'ready'
    case 'working':
      return plan.unmet > 0 && plan.ready + plan.running === 0 ? 'waiting' : 'working'
    case 'failed':
      return plan.covered ? 'covered' : 'failed'
    default:
      return plan.status
  }
}

/** An answer that came late completes the task that waited for plans. (design §7) */
const STATE_OF_END: Record<PlannedEnd, TaskState> = {
  canceled: 'canceled',
  answered: 'completed',
  planner: 'failed',
  budget: 'failed',
  deadline: 'failed',
}

/** design §3.3 */
export function plannedState(
  c: PlannedCounters & { input: number; auth: number; started: boolean },
  end: PlannedEnd | null,
): TaskState {
  if (end !== null) return STATE_OF_END[end]
  if (!hasPlan(c)) return c.started ? 'working' : 'submitted'
  if (!hasUnfinishedPlan(c)) return finishedState(c)
  if (c.blocked > 0 && c.ready + c.working === 0) return c.input > 0 ? 'input-required' : 'auth-required'
  return c.started ? 'working' : 'submitted'
}

function finishedState(c: PlannedCounters): TaskState {
  if (c.failed > 0) return 'failed'
  if (c.canceled > 0) return 'canceled'
  return c.completed > 0 ? 'completed' : 'canceled'
}

/** Where an unfinished planned root counts in its objective; null once it is terminal. */
export function rootSlot(state: TaskState, planned: PlannedCounters): RootSlot | null {
  switch (state) {
    case 'working':
      return 'rootsWorking'
    case 'input-required':
    case 'auth-required':
      return 'rootsInterrupted'
    case 'submitted':
      return hasPlan(planned) ? 'rootsSubmitted' : 'rootsPlanning'
    default:
      return null
  }
}

/** Whether any plan with tasks counts in it. */
export function hasPlan(c: PlannedCounters): boolean {
  return hasUnfinishedPlan(c) || c.completed + c.failed + c.covered + c.canceled + c.skipped > 0
}

/** Whether any plan holds it open. */
export function hasUnfinishedPlan(c: PlannedCounters): boolean {
  return c.waiting + c.ready + c.working + c.blocked > 0
}

/** design §3.4 */
export function objectiveStatus(objective: Pick<ObjectiveRow, RootSlot | 'newestState'>): ObjectiveStatus {
  if (objective.rootsWorking > 0) return 'working'
  if (objective.rootsPlanning > 0) return 'planning'
  if (objective.rootsInterrupted > 0) return 'blocked'
  if (objective.rootsSubmitted > 0) return 'submitted'
  const state = objective.newestState
  if (state === 'input-required' || state === 'auth-required') return 'blocked'
  return state
}

/** Where a task counts in an objective's progress; what is not counted is pending. (design §3.6) */
export function progressSlot(slot: PlanSlot): ProgressSlot | null {
  switch (slot) {
    case 'waiting':
    case 'ready':
      return null
    case 'running':
      return 'working'
    case 'input':
    case 'auth':
      return 'blocked'
    case 'ignored':
      return 'failed'
    default:
      return slot
  }
}
export type ProgressSlot = 'completed' | 'failed' | 'canceled' | 'skipped' | 'working' | 'blocked'

/** Whether a slot is that of a task that will not move any more. */
export function isTerminalSlot(slot: PlanSlot): boolean {
  return slot === 'completed' || slot === 'failed' || slot === 'ignored' || slot === 'canceled' || slot === 'skipped'
}
