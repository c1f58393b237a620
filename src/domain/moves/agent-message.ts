import { newId } from '../../base/ids.ts'
import type { Message } from '../message.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** What Trellis itself says about a task. */
export function agentMessage(w: WorkingCopy, taskId: string, text: string): Message {
  return { messageId: newId('message'), role: 'agent', parts: [{ text }], contextId: w.context.wireId, taskId }
}
