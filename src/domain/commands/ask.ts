import { newId } from '../../base/ids.ts'
import type { Message } from '../message.ts'
import { closeInputs } from '../moves/task.ts'
import type { WorkingCopy } from '../working-copy.ts'

/**
 * Opens the question that an interrupted task now waits on, in the place of the one before. The same question again changes
 * nothing. (design §6, Questions)
 */
export function askFor(w: WorkingCopy, taskId: string, message: Message | undefined): void {
  const task = w.task(taskId)
  const kind = task.state === 'auth-required' ? 'auth' : 'input'
  const asked = w.openInputs().find((input) => input.taskId === taskId)
  if (asked?.kind === kind && (message === undefined || asked.message?.messageId === message.messageId)) return
  closeInputs(w, task, null)
  w.asked.add(taskId)
  const id = newId('input')
  w.inputs.insert(id, {
    id,
    contextKey: w.context.key,
    taskId,
    rootId: task.rootId,
    kind,
    message: message ?? null,
    openedAt: w.now,
    closedAt: null,
    answeredBy: null,
  })
  if (w.attempt(taskId) !== undefined) w.attempts.edit(taskId).answerId = null
  w.emit('input.requested', { inputId: id, kind, ...(message && { message }) }, { task })
}
