import type { Message } from '../message.ts'
import { moveTask } from '../moves/task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { askFor } from './ask.ts'

/** Has a task ask before it begins: no agent gets it until the question is answered. (design §2) */
export function askFirst(w: WorkingCopy, taskId: string, question: Message): void {
  const task = w.tasks.edit(taskId)
  task.claimableAt = null
  w.ready.delete(taskId)
  const message = { ...question, contextId: w.context.wireId, taskId }
  moveTask(w, taskId, { state: 'input-required', message })
  askFor(w, taskId, message)
}
