import { textOf } from '../message.ts'
import type { PlanRow, TaskRow } from '../rows.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** A reason longer than this is looked up at the task that gave it. */
const MAX_REASON = 500

/**
 * Why a planned task fails: what the tasks said whose failure this change brings, else how many of a plan failed. Its
 * plans must be there.
 */
export function failureText(w: WorkingCopy, taskId: string): string {
  const failed = w.plansOf(taskId).filter(({ status, covered }) => status === 'failed' && !covered)
  return failed.map((plan) => planText(w, plan)).join('\n')
}

function planText(w: WorkingCopy, plan: PlanRow): string {
  const tasks = w.tasks.changed.filter((task) => task.planId === plan.id && hasFailed(task))
  if (tasks.length > 0) return tasks.map(taskText).join('\n')
  return `Plan "${plan.name}" failed: ${plan.failed} of its tasks did.`
}

function hasFailed({ state, optional }: TaskRow): boolean {
  return !optional && (state === 'failed' || state === 'rejected')
}

function taskText({ name, state, statusMessage }: TaskRow): string {
  const reason = statusMessage === null ? '' : textOf(statusMessage)
  const said = reason.length > MAX_REASON ? `${cut(reason)}…` : reason
  return `Task "${name}" ${state === 'rejected' ? 'was rejected' : 'failed'}${said === '' ? '.' : `: ${said}`}`
}

/** Never in the middle of a character: half a surrogate pair is no text that the database takes. */
function cut(reason: string): string {
  return reason.slice(0, MAX_REASON).replace(/[\uD800-\uDBFF]$/, '')
}
