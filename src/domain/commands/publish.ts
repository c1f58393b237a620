import { newId } from '../../base/ids.ts'
import type { ExecutionEvent } from '../execution.ts'
import type { Message } from '../message.ts'
import { moveTask, show } from '../moves/task.ts'
import type { TaskRow } from '../rows.ts'
import { isInterrupted, isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { appendArtifact } from './append-artifact.ts'
import { askFor } from './ask.ts'
import { keepMessage } from './create-root.ts'
import { type AttemptRef, isCurrent } from './run.ts'

/** How long before a task comes into sight it is too late to hide it: the commit takes a moment. */
export const UNSEEN_MARGIN_MILLISECONDS = 250

type StatusEvent = Extract<ExecutionEvent, { kind: 'status' | 'task' }>

/**
 * Applies what an executor published, in order, if its attempt is still the current one; false otherwise, and then nothing
 * is applied. Events after a terminal one are dropped. `from`: how many events this lease published before these; those of
 * them that are applied already, by a commit whose answer was lost, are passed over. (design §5.4, §6)
 */
export function publish(w: WorkingCopy, ref: AttemptRef, events: readonly ExecutionEvent[], from: number): boolean {
  if (!isCurrent(w, ref)) return false
  for (const event of notApplied(w, ref, events, from)) {
    const task = w.task(ref.taskId)
    if (isTerminal(task.state)) break
    publishOne(w, task, event)
  }
  return true
}

function notApplied(
  w: WorkingCopy,
  ref: AttemptRef,
  events: readonly ExecutionEvent[],
  from: number,
): readonly ExecutionEvent[] {
  const attempt = w.attempt(ref.taskId)
  if (attempt === undefined || events.length === 0) return events
  const fresh = events.slice(Math.max(0, attempt.published - from))
  if (fresh.length > 0) w.attempts.edit(ref.taskId).published = from + events.length
  return fresh
}

function publishOne(w: WorkingCopy, task: TaskRow, event: ExecutionEvent): void {
  if (event.kind !== 'message') show(w, task.id)
  switch (event.kind) {
    case 'artifact':
      appendArtifact(w, task, event.artifact, { append: event.append ?? false, lastChunk: event.lastChunk ?? true })
      return
    case 'message':
      publishMessage(w, task, event.message)
      return
    case 'task':
      for (const artifact of event.artifacts ?? [])
        appendArtifact(w, task, artifact, { append: false, lastChunk: true })
      publishStatus(w, task, event)
      return
    case 'status':
      publishStatus(w, task, event)
  }
}

function publishStatus(w: WorkingCopy, task: TaskRow, event: StatusEvent): void {
  if (event.state === 'submitted') return
  const nothingNew = event.state === task.state && event.message === undefined && event.metadata === undefined
  if (nothingNew) return
  const message = event.message && owned(w, task, event.message)
  const waited = isInterrupted(task.state)
  moveTask(w, task.id, {
    state: event.state,
    ...(message && { message }),
    ...(event.metadata && { metadata: event.metadata }),
  })
  if (isInterrupted(event.state)) askFor(w, task.id, message)
  else if (waited && w.attempt(task.id) !== undefined) w.attempts.edit(task.id).clockAt = w.now
}

/**
 * A lone Message answers the sender if nobody could see the root task yet, and then the task stays out of sight; else it
 * becomes the artifact `response`. Either way the task is completed. (design §6)
 */
function publishMessage(w: WorkingCopy, task: TaskRow, message: Message): void {
  const unseen = task.id === task.rootId && Date.parse(w.now) + UNSEEN_MARGIN_MILLISECONDS < Date.parse(task.visibleAt)
  if (unseen) {
    w.tasks.edit(task.id).hidden = true
    // Its reader could not get the task, so the message names none. (A2A 1.0 §3.1.1)
    const { taskId: _, ...answer } = owned(w, task, message)
    keepMessage(w, answer, task.id)
  } else {
    const artifact = { artifactId: newId('artifact'), name: 'response', parts: message.parts }
    appendArtifact(w, task, artifact, { append: false, lastChunk: true })
  }
  moveTask(w, task.id, { state: 'completed' })
}

function owned(w: WorkingCopy, task: TaskRow, message: Message): Message {
  return { ...message, role: 'agent', contextId: w.context.wireId, taskId: task.id }
}
