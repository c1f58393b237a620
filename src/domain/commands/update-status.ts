import { invalidState } from '../../base/errors.ts'
import type { Artifact, Message, Metadata } from '../message.ts'
import { moveTask } from '../moves/task.ts'
import type { TaskRow } from '../rows.ts'
import { isInterrupted, isTerminal, TASK_STATES, type TaskState } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { appendArtifact } from './append-artifact.ts'
import { askFor } from './ask.ts'

export interface StatusUpdate {
  taskId: string
  state: TaskState
  message?: Message
  artifacts?: Artifact[]
  metadata?: Metadata
}

/** Moves a manual task as its client says. Others are moved by their agents, and refuse. (design §8.2) */
export function updateTaskStatus(w: WorkingCopy, update: StatusUpdate): void {
  const task = w.task(update.taskId)
  const legal = legalStates(task)
  if (!legal.includes(update.state)) throw invalidState(describe(task), stateOf(task), legal)
  for (const artifact of update.artifacts ?? []) appendArtifact(w, task, artifact, { append: false, lastChunk: true })
  const { state, message, metadata } = update
  if (state === task.state && message === undefined && metadata === undefined) return
  moveTask(w, task.id, { state, ...(message && { message }), ...(metadata && { metadata }) })
  if (isInterrupted(state)) askFor(w, task.id, message)
}

/** From which states a client may move a manual task where. */
function legalStates(task: TaskRow): readonly TaskState[] {
  if (task.kind !== 'manual' || isTerminal(task.state)) return []
  if (task.unmet > 0) return ['canceled']
  return TASK_STATES.filter((state) => state !== 'submitted')
}

function describe(task: TaskRow): string {
  if (task.kind === 'manual') return `Task ${task.id}`
  return `Task ${task.id} is moved by ${task.kind === 'planned' ? 'its plans' : 'its agent'}, not by tasks/updateStatus; it`
}

function stateOf(task: TaskRow): string {
  return task.unmet > 0 && task.state === 'submitted' ? 'submitted, waiting for its dependencies' : task.state
}
