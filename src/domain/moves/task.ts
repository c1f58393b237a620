import { newId } from '../../base/ids.ts'
import type { Message, Metadata } from '../message.ts'
import type { AttemptOutcome, TaskRow } from '../rows.ts'
import { isInterrupted, isTerminal, type TaskState } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { recount, slotOf } from './count.ts'

export interface TaskMove {
  state: TaskState
  message?: Message
  /** It will never run: what it depends on broke. */
  skipped?: boolean
  metadata?: Metadata
  /** Why, in the event and in the attempt. */
  error?: string
  /** How the attempt ended, where the state does not say. */
  outcome?: AttemptOutcome
}

/**
 * Moves a task to a state; the only place that does. Terminal tasks never move: then nothing happens and false is
 * returned. Counts, closes what an end closes, appends the event, and leaves the consequences to `settle`.
 */
export function moveTask(w: WorkingCopy, id: string, move: TaskMove): boolean {
  const current = w.task(id)
  if (isTerminal(current.state)) return false
  const before = slotOf(w, current)
  const previous = current.state
  const task = w.tasks.edit(id)
  if (move.message !== undefined || previous !== move.state) keepStatusMessage(w, task)
  writeStatus(w, task, move)
  if (isTerminal(task.state) || isInterrupted(task.state)) show(w, id)
  countRunning(w, task, previous)
  markStarted(w, task)
  if (isTerminal(task.state)) endTask(w, task, move)
  if (isInterrupted(previous) && !isInterrupted(task.state)) closeInputs(w, task, null)
  emitStatus(w, task, previous, move)
  recount(w, task, before, slotOf(w, task))
  return true
}

/** A status message that is superseded becomes part of the history; a question before its answer. */
export function keepStatusMessage(w: WorkingCopy, task: TaskRow): void {
  if (task.statusMessage === null || task.kind === 'planned') return
  w.messages.push({
    id: newId('message'),
    contextKey: w.context.key,
    taskId: task.id,
    position: w.context.seq + 1,
    body: task.statusMessage,
  })
  task.statusMessage = null
}

/** A root whose agent might answer with a lone Message is out of sight at first; from now on it is in sight. (design §6) */
export function show(w: WorkingCopy, id: string): void {
  if (Date.parse(w.task(id).visibleAt) > Date.parse(w.now)) w.tasks.edit(id).visibleAt = w.now
}

function writeStatus(w: WorkingCopy, task: TaskRow, move: TaskMove): void {
  // An update that says nothing new leaves what was said.
  if (move.message !== undefined || move.state !== task.state) task.statusMessage = move.message ?? null
  task.state = move.state
  task.statusAt = w.now
  if (move.skipped === true) task.skipped = true
  if (move.metadata !== undefined) task.metadata = { ...task.metadata, ...move.metadata }
}

function countRunning(w: WorkingCopy, task: TaskRow, previous: TaskState): void {
  if (task.kind !== 'executed') return
  w.context.running += Number(task.state === 'working') - Number(previous === 'working')
}

function markStarted(w: WorkingCopy, task: TaskRow): void {
  if (task.startedAt !== null || task.state === 'submitted' || task.skipped) return
  if (isTerminal(task.state) && task.state === 'canceled') return
  task.startedAt = w.now
  if (task.planId === null) return
  const plan = w.plans.edit(task.planId)
  plan.started += 1
  w.editPlanned(plan.taskId).started = true
}

const OUTCOMES: Partial<Record<TaskState, AttemptOutcome>> = {
  completed: 'completed',
  failed: 'failed',
  canceled: 'canceled',
  rejected: 'rejected',
}

function endTask(w: WorkingCopy, task: TaskRow, move: TaskMove): void {
  const attempt = w.attempt(task.id)
  if (attempt !== undefined) {
    const open = w.attempts.edit(task.id)
    open.outcome = move.outcome ?? OUTCOMES[task.state] ?? 'failed'
    open.error = move.error ?? null
    open.endedAt = w.now
    w.aborted.add(task.id)
    if (task.state === 'canceled') cancelRemotely(w, task)
  }
  task.claimableAt = null
  task.runner = null
  w.ready.delete(task.id)
  w.consequences.push({ kind: 'task', id: task.id })
}

/** What runs at a remote agent and is not wanted any more ends there too, even if this process dies first. (design §3.7) */
export function cancelRemotely(w: WorkingCopy, task: TaskRow): void {
  const attempt = w.attempts.get(task.id)
  if (attempt === undefined || attempt.sentAt === null) return
  const payload = { taskId: task.id, contextKey: task.contextKey, attempt: attempt.number }
  w.jobs.push({ queue: 'remote-cancel', payload })
}

/** Closes the open questions of a task. */
export function closeInputs(w: WorkingCopy, task: TaskRow, answeredBy: string | null): void {
  for (const input of w.openInputs()) {
    if (input.taskId !== task.id) continue
    const open = w.inputs.edit(input.id)
    open.closedAt = w.now
    open.answeredBy = answeredBy
    w.asked.add(task.id)
  }
}

function emitStatus(w: WorkingCopy, task: TaskRow, previous: TaskState, move: TaskMove): void {
  const attempt = w.attempts.get(task.id)
  w.emit(
    'task.status',
    {
      state: task.state,
      previous,
      ...(move.message && { message: move.message }),
      ...(task.skipped && { skipped: true }),
      ...(attempt && { attempt: attempt.number, agent: attempt.agent }),
      ...(move.metadata && { metadata: move.metadata }),
    },
    { task },
  )
}

/** One thing less that a task waits for; at none it is ready. */
export function meetOne(w: WorkingCopy, id: string): void {
  const current = w.task(id)
  if (isTerminal(current.state)) return
  const before = slotOf(w, current)
  const task = w.tasks.edit(id)
  task.unmet -= 1
  recount(w, task, before, slotOf(w, task))
  if (task.unmet === 0) becomeReady(w, task)
}

/** A task that nothing holds back any more: an executed one can be claimed, a planned one opens its plans. */
export function becomeReady(w: WorkingCopy, task: TaskRow): void {
  if (task.kind === 'executed') {
    task.claimableAt = w.now
    w.ready.add(task.id)
  }
  if (task.kind === 'planned') w.openings.push(task.id)
}
