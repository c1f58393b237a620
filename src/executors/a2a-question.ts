import type { Message } from '../domain/message.ts'
import { isInterrupted } from '../domain/task.ts'
import { type RemoteStatus, type RemoteTask, withoutOwnKeys } from './a2a-bounds.ts'
import type { Memo } from './a2a-memo.ts'
import type { RequestContext } from './executor.ts'

/** A message of ours as the agent gets it: our ids of tasks mean nothing there, and hints of our extension are for us. */
export function outgoing(message: Message, messageId: string, contextId: string | undefined): Message {
  const kept = withoutOwnKeys(message.metadata ?? {})
  return {
    messageId,
    role: 'user',
    parts: message.parts,
    ...(contextId !== undefined && { contextId }),
    ...(Object.keys(kept).length > 0 && { metadata: kept }),
  }
}

/** The id under which an answer is sent: the same each time for one answer, and of this attempt alone. */
export function answerId({ attempt }: RequestContext, answer: Message): string {
  return `${attempt.id}-${answer.messageId}`
}

/** Tells one question of a remote task from the next. */
export function questionOf({ message, timestamp }: RemoteStatus): string {
  return message || timestamp ? `${message?.messageId ?? ''}@${timestamp ?? ''}` : 'unmarked'
}

/** Whether a question is the one that was answered already: an old status must not ask it again. */
export function wasAnswered({ answer }: Memo, status: RemoteStatus): boolean {
  return answer !== undefined && answer.question === questionOf(status)
}

/** Whether the remote task still waits for this answer. False where it went on by itself, or has the answer. */
export function needsAnswer(task: RemoteTask, id: string, { answer: sent }: Memo): boolean {
  if (task.state === undefined || !isInterrupted(task.state)) return false
  if (sent?.id !== id) return true
  // The process ended between sending the answer and hearing that it was received.
  const isThere = task.history.some((message) => message.messageId === id)
  return !sent.received && !isThere && sent.question === questionOf(task)
}
