import type { ObjectiveStatus } from '../../src/domain/objective.ts'
import type { OnFailure, PlanStatus } from '../../src/domain/plan.ts'
import type { PlanEnd, PlannedEnd } from '../../src/domain/rows.ts'
import type { TaskState } from '../../src/domain/task.ts'

/** The tables of design §3.2–3.4 once more, as they are written there: over children, line by line, without counters. */

export interface NaiveTask {
  state: TaskState
  skipped: boolean
  optional: boolean
  /** Whether it waits for something. */
  waits: boolean
  started: boolean
}

const ENDED: readonly TaskState[] = ['completed', 'failed', 'canceled', 'rejected']
export const hasEnded = (state: TaskState) => ENDED.includes(state)
const isInterrupted = (state: TaskState) => state === 'input-required' || state === 'auth-required'

/** An optional task that fails, is rejected or is canceled counts as skipped. (§3.1) */
export const countsAsSkipped = (t: NaiveTask) =>
  (t.state === 'canceled' && t.skipped) || (t.optional && hasEnded(t.state) && t.state !== 'completed')
export const failedForGood = (t: NaiveTask) => (t.state === 'failed' || t.state === 'rejected') && !countsAsSkipped(t)
export const canceledByPerson = (t: NaiveTask) => t.state === 'canceled' && !countsAsSkipped(t)

const SKIPPING: readonly (PlanEnd | null)[] = [
  'superseded',
  'notNeeded',
  'brokenDependency',
  'siblingFailed',
  'parentEnded',
]

/** §3.2 */
export function naivePlanStatus(tasks: readonly NaiveTask[], end: PlanEnd | null, policy: OnFailure): PlanStatus {
  const allTerminal = tasks.length > 0 && tasks.every((t) => hasEnded(t.state))
  const some = (fits: (t: NaiveTask) => boolean) => tasks.some(fits)
  if (SKIPPING.includes(end)) return 'skipped'
  if (end === 'budget' || end === 'deadline') return 'failed'
  if (some(failedForGood) && (policy === 'fail' || (allTerminal && policy === 'continue'))) return 'failed'
  if (end === 'canceled' || (allTerminal && some(canceledByPerson))) return 'canceled'
  if (allTerminal && some((t) => t.state === 'completed' || (failedForGood(t) && policy === 'ignore')))
    return 'completed'
  if (allTerminal) return 'skipped'
  const moves = some((t) => (t.state === 'submitted' && !t.waits) || t.state === 'working')
  if (some((t) => isInterrupted(t.state)) && !moves) return 'blocked'
  return some((t) => t.started) ? 'working' : 'pending'
}

export interface NaivePlan {
  status: PlanStatus
  waits: boolean
  superseded?: boolean
  /** Whether any task of it has ever started. */
  started: boolean
  /** What it counts as instead since it failed: its alternative, if that could run. */
  alternative?: NaivePlan
  /** Whether a question below it is one for input. */
  asksInput: boolean
}

const PLAN_ENDED: readonly PlanStatus[] = ['completed', 'failed', 'canceled', 'skipped']

/** A failed plan counts as its alternative, through the chain; an alternative that was skipped covers nothing, unless superseded. */
function counted(plan: NaivePlan): NaivePlan {
  const { alternative } = plan
  if (plan.status !== 'failed' || alternative === undefined) return plan
  if (alternative.status === 'skipped' && !alternative.superseded) return plan
  return counted(alternative)
}

/** §3.3. `plans`: those with tasks. */
export function naivePlannedState(plans: readonly NaivePlan[], end: PlannedEnd | null, wasStarted: boolean): TaskState {
  if (end === 'answered') return 'completed'
  if (end !== null) return end === 'canceled' ? 'canceled' : 'failed'
  if (plans.length === 0) return wasStarted ? 'working' : 'submitted'
  const statuses = plans.map((plan) => counted(plan).status)
  if (statuses.every((status) => PLAN_ENDED.includes(status))) {
    if (statuses.includes('failed')) return 'failed'
    if (statuses.includes('canceled')) return 'canceled'
    return statuses.includes('completed') ? 'completed' : 'canceled'
  }
  const moves = plans.some(({ status, waits }) => (status === 'working' || status === 'pending') && !waits)
  if (plans.some(({ status }) => status === 'blocked') && !moves) {
    return plans.some((plan) => plan.asksInput) ? 'input-required' : 'auth-required'
  }
  return plans.some((plan) => plan.started) ? 'working' : 'submitted'
}

export interface NaiveRoot {
  state: TaskState
  hasPlan: boolean
}

/** §3.4. The newest root is the last. */
export function naiveObjectiveStatus(roots: readonly NaiveRoot[]): ObjectiveStatus {
  const open = roots.filter((root) => !hasEnded(root.state))
  if (open.length === 0) return roots.at(-1)?.state as ObjectiveStatus
  if (open.some((root) => root.state === 'working')) return 'working'
  if (open.some((root) => root.state === 'submitted' && !root.hasPlan)) return 'planning'
  if (open.some((root) => isInterrupted(root.state))) return 'blocked'
  return 'submitted'
}
