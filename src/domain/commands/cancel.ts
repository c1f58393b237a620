import { TrellisError } from '../../base/errors.ts'
import type { Metadata } from '../message.ts'
import { endPlanned } from '../moves/planned.ts'
import { moveTask } from '../moves/task.ts'
import { isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** Cancels a task, planned or not, with all below it. Terminal tasks refuse. (design §3.7) */
export function cancelTask(w: WorkingCopy, taskId: string, metadata?: Metadata): void {
  const task = w.task(taskId)
  if (isTerminal(task.state)) {
    throw new TrellisError('taskNotCancelable', `Task ${taskId} is ${task.state} and cannot be canceled any more`, {
      details: { taskId, state: task.state },
    })
  }
  if (metadata !== undefined) {
    const row = w.tasks.edit(taskId)
    row.metadata = { ...row.metadata, ...metadata }
  }
  if (task.kind === 'planned') endPlanned(w, taskId, 'canceled')
  else moveTask(w, taskId, { state: 'canceled' })
}

/** Cancels every unfinished planned root of the context. False: there was none. */
export function cancelObjective(w: WorkingCopy): boolean {
  const open = w.roots().filter((root) => root.kind === 'planned' && !isTerminal(root.state))
  for (const { id: taskId } of open) w.endings.push({ taskId, canceled: true })
  return open.length > 0
}
