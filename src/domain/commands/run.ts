import { newId } from '../../base/ids.ts'
import type { Message } from '../message.ts'
import { agentMessage } from '../moves/agent-message.ts'
import { becomeReady, cancelRemotely, moveTask } from '../moves/task.ts'
import type { AttemptRow, TaskRow } from '../rows.ts'
import { isInterrupted, isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** Which try of which task, by which holder: every write of an attempt is guarded by all of it. (design §5.4) */
export interface AttemptRef {
  taskId: string
  number: number
  lease: number
  runner: string
}

/** Who will run a task, and why that agent. */
export interface Assignment {
  runner: string
  agent: string
  reason: string
}

/** Whether the attempt is still the current one and its holder still holds it. */
export function isCurrent(w: WorkingCopy, ref: AttemptRef): boolean {
  const task = w.task(ref.taskId)
  return (
    !isTerminal(task.state) && task.attempt === ref.number && task.lease === ref.lease && task.runner === ref.runner
  )
}

/** Whether a task can be claimed now. `maxRunning` bounds the tasks of one objective that work at once. */
export function isClaimable(w: WorkingCopy, task: TaskRow, maxRunning: number): boolean {
  if (task.claimableAt === null || Date.parse(task.claimableAt) > Date.parse(w.now) || isTerminal(task.state))
    return false
  return task.state !== 'submitted' || w.context.running < maxRunning
}

/** Gives a claimable task to a runner: a new attempt, or the open one under a new lease. */
export function claimTask(w: WorkingCopy, taskId: string, assignment: Assignment): AttemptRow {
  const task = w.tasks.edit(taskId)
  task.claimableAt = null
  task.lease += 1
  task.runner = assignment.runner
  w.ready.delete(taskId)
  const attempt = w.attempt(taskId) === undefined ? newAttempt(w, task, assignment) : w.attempts.edit(taskId)
  attempt.published = 0
  if (task.state === 'submitted') moveTask(w, taskId, { state: 'working' })
  return attempt
}

function newAttempt(w: WorkingCopy, task: TaskRow, { agent, reason }: Assignment): AttemptRow {
  task.attempt += 1
  const id = newId('attempt')
  const attempt: AttemptRow = {
    id,
    contextKey: task.contextKey,
    taskId: task.id,
    number: task.attempt,
    agent,
    reason,
    startedAt: w.now,
    clockAt: w.now,
    sentAt: null,
    remoteTaskId: null,
    remoteContextId: null,
    maybeDuplicate: false,
    memo: null,
    answerId: null,
    parkedTimes: 0,
    published: 0,
    takeovers: 0,
    outcome: null,
    error: null,
    usage: null,
    endedAt: null,
  }
  w.attempts.insert(task.id, attempt)
  w.emit('attempt.started', { attempt: task.attempt, lease: task.lease, agent, reason }, { task })
  return attempt
}

/** Lets go of an attempt that waits: it is claimed again at `checkAt`, by whoever has room. */
export function parkTask(w: WorkingCopy, ref: AttemptRef, checkAt: string): boolean {
  if (!isCurrent(w, ref)) return false
  const task = w.tasks.edit(ref.taskId)
  task.runner = null
  task.claimableAt = checkAt
  const attempt = w.attempts.edit(ref.taskId)
  attempt.parkedTimes += 1
  // A process that got this far with it was not what was wrong.
  attempt.takeovers = 0
  // The executor has passed the answer on, and says so by waiting for what follows.
  attempt.answerId = null
  return true
}

const MAX_TAKEOVERS = 3

/** Gives an attempt back as it is: its process stops. Not counted as a takeover. */
export function releaseTask(w: WorkingCopy, ref: AttemptRef): boolean {
  if (!isCurrent(w, ref)) return false
  letGo(w, ref.taskId)
  return true
}

/**
 * A task without its runner goes on with whoever has room, unless it waits for an answer. An executor that still runs at
 * `auth-required` waits out of band, for something that no answer will tell it: it goes on too.
 */
function letGo(w: WorkingCopy, taskId: string): void {
  const task = w.tasks.edit(taskId)
  task.runner = null
  if (task.state !== 'input-required') becomeReady(w, task)
}

/**
 * What follows when `execute` returned: an interrupted task waits without its runner, a parked one until `checkAt`;
 * otherwise the executor broke its contract, and the attempt failed.
 */
export function leaveExecution(w: WorkingCopy, ref: AttemptRef, checkAt: string | null): boolean {
  if (!isCurrent(w, ref)) return false
  const { state } = w.task(ref.taskId)
  if (checkAt !== null && state !== 'input-required') return parkTask(w, ref, checkAt)
  if (isInterrupted(state)) {
    w.tasks.edit(ref.taskId).runner = null
    return true
  }
  const error = 'The executor returned before the task was finished'
  return failAttempt(w, ref, { error, retryable: false, outcome: 'failed' })
}

/**
 * Keeps what must be known after a crash. The remote task's id is kept even after the task ended; but by one who lost the
 * attempt only if nobody has recorded one since. (design §6)
 */
export function recordAttempt(w: WorkingCopy, ref: AttemptRef, patch: AttemptPatch): boolean {
  const current = isCurrent(w, ref)
  const attempt = w.attempts.get(ref.taskId)
  if (attempt === undefined || attempt.number !== ref.number) return false
  const { remoteTaskId, remoteContextId = attempt.remoteContextId, maybeDuplicate } = patch
  if (!current && (remoteTaskId === undefined || attempt.remoteTaskId !== null)) return false
  Object.assign(w.attempts.edit(ref.taskId), current ? patch : { remoteTaskId, remoteContextId })
  if (remoteTaskId !== undefined || maybeDuplicate === true) {
    w.emit(
      'attempt.noted',
      { attempt: ref.number, ...(remoteTaskId && { remoteTaskId }), ...(maybeDuplicate && { maybeDuplicate }) },
      { task: w.task(ref.taskId) },
    )
  }
  return current
}

/** What an executor may record of its attempt. */
export type AttemptPatch = Partial<
  Pick<AttemptRow, 'sentAt' | 'remoteTaskId' | 'remoteContextId' | 'maybeDuplicate' | 'memo'>
>

/** Takes an attempt from a runner that was not seen for too long. The third time the attempt is lost. */
export function takeOver(w: WorkingCopy, ref: AttemptRef): boolean {
  if (!isCurrent(w, ref)) return false
  // It waits for a person, and whoever answers makes it ready: nothing was lost.
  if (w.task(ref.taskId).state === 'input-required') return releaseTask(w, ref)
  const attempt = w.attempts.edit(ref.taskId)
  attempt.takeovers += 1
  if (attempt.takeovers >= MAX_TAKEOVERS) {
    return failAttempt(w, ref, {
      error: 'The attempt was lost with its process three times',
      retryable: true,
      outcome: 'lost',
    })
  }
  letGo(w, ref.taskId)
  return true
}

export interface Failure {
  error: string
  /** False: trying again cannot help. */
  retryable: boolean
  outcome: 'failed' | 'lost'
  message?: Message
}

/** Ends an attempt that failed. The task is tried again as its policy says, or fails with it. (design §6, Takeover) */
export function failAttempt(w: WorkingCopy, ref: AttemptRef, failure: Failure): boolean {
  if (!isCurrent(w, ref)) return false
  // The agent has not said that it is done: what it still does is nobody's any more, and a retry would do it twice. Where no
  // remote task is known there is most often none: the agent could not be reached.
  if (w.attempt(ref.taskId)?.remoteTaskId !== null || failure.outcome === 'lost') cancelRemotely(w, w.task(ref.taskId))
  const { retry } = w.task(ref.taskId)
  if (!failure.retryable || ref.number >= retry.maxAttempts) {
    const message = failure.message ?? agentMessage(w, ref.taskId, failure.error)
    return moveTask(w, ref.taskId, { state: 'failed', message, error: failure.error, outcome: failure.outcome })
  }
  // What it asked is asked by the next attempt, if it has to be.
  if (isInterrupted(w.task(ref.taskId).state)) moveTask(w, ref.taskId, { state: 'working' })
  const attempt = w.attempts.edit(ref.taskId)
  attempt.outcome = failure.outcome
  attempt.error = failure.error
  attempt.endedAt = w.now
  const task = w.tasks.edit(ref.taskId)
  task.runner = null
  task.claimableAt = new Date(Date.parse(w.now) + backoffMillis(task)).toISOString()
  w.emit('attempt.retrying', { attempt: ref.number, error: failure.error, notBefore: task.claimableAt }, { task })
  return true
}

/** Exponential, with jitter over the upper half, so that tasks that failed together do not come back together. */
function backoffMillis(task: TaskRow): number {
  const { backoffSeconds, maxBackoffSeconds } = task.retry
  const seconds = Math.min(maxBackoffSeconds, backoffSeconds * 2 ** (task.attempt - 1))
  return seconds * 1_000 * (0.5 + Math.random() / 2)
}
