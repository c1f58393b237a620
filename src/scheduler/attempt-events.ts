import type { ExecutionEvent } from '../domain/execution.ts'
import { isInterrupted, isTerminal, type TaskState } from '../domain/task.ts'
import { checkEvent } from '../executors/check-event.ts'
import type { EventQueue } from '../executors/executor.ts'

/** How long chunks of one attempt are gathered before they are committed. (design §5.7) */
const FLUSH_MILLISECONDS = 100
/** How long after a flush that failed the next is tried. */
const RETRY_MILLISECONDS = 500

/** Commits published events; false: the attempt is not the current one any more. */
export type CommitEvents = (published: Published) => Promise<boolean>

/** Events of one lease, and how many it published before them. */
export interface Published {
  events: ExecutionEvent[]
  from: number
}

/**
 * Where one attempt's executor publishes. Events are committed in order, gathered for a moment; an end goes at once or
 * with the return of `execute`, and a question to a person with that return. What is published after the end or after `close` is dropped.
 */
export class AttemptEvents implements EventQueue {
  private readonly commit: CommitEvents
  private readonly lost: () => void
  private pending: ExecutionEvent[] = []
  /** How many events went before the pending ones. */
  private committed = 0
  private timer: NodeJS.Timeout | undefined
  private ending: NodeJS.Immediate | undefined
  private committing: Promise<void> = Promise.resolve()
  private closed = false
  private left = false
  private lastState: TaskState
  private readonly firstEvent = Promise.withResolvers<void>()

  constructor(state: TaskState, commit: CommitEvents, lost: () => void) {
    this.lastState = state
    this.commit = commit
    this.lost = lost
  }

  /** Resolves once the first event is committed, or there will be none. */
  get first(): Promise<void> {
    return this.firstEvent.promise
  }

  /** Whether the last thing published is that a person has to do something. */
  get waitsForPerson(): boolean {
    return isInterrupted(this.lastState)
  }

  /** @throws ExecutorError for what is no event */
  publish(published: ExecutionEvent): void {
    if (this.closed) return
    const event = checkEvent(published)
    this.pending.push(event)
    if (event.kind === 'status' || event.kind === 'task') this.lastState = event.state
    if (endsAttempt(event)) {
      this.closed = true
      // Usually `execute` returns now, and the end is committed with that: one change instead of two.
      this.ending = setImmediate(() => void this.flush())
    } else if (!asksForInput(event)) {
      this.timer ??= setTimeout(() => void this.flush(), FLUSH_MILLISECONDS)
    }
  }

  async flush(): Promise<void> {
    clearTimeout(this.timer)
    this.timer = undefined
    this.committing = this.committing.then(() => this.commitPending())
    await this.committing
  }

  /** Takes nothing more; resolves with what was published and is not committed yet. */
  async close(): Promise<Published> {
    this.closed = true
    this.left = true
    clearTimeout(this.timer)
    clearImmediate(this.ending)
    await this.committing
    return { events: this.pending.splice(0), from: this.committed }
  }

  /** Says that all is committed. */
  settle(): void {
    this.firstEvent.resolve()
  }

  private async commitPending(): Promise<void> {
    const events = this.pending.splice(0, this.untilQuestion())
    if (events.length === 0) return
    try {
      const landed = await this.commit({ events, from: this.committed })
      this.committed += events.length
      if (landed) this.firstEvent.resolve()
      else this.lost()
    } catch {
      // The database is away: they are committed with what comes next, or by themselves when it is back, in order.
      this.pending.unshift(...events)
      if (!this.left) this.timer ??= setTimeout(() => void this.flush(), RETRY_MILLISECONDS)
    }
  }

  /**
   * How many of the pending events may go before `execute` returns: all but a question that is the last word. If the
   * process died between its commit and that of the return, another would take over a task that waits for a person.
   */
  private untilQuestion(): number {
    const lastWord = this.pending.findLastIndex((event) => event.kind !== 'artifact')
    const last = this.pending[lastWord]
    return last !== undefined && asksForInput(last) ? lastWord : this.pending.length
  }
}

function endsAttempt(event: ExecutionEvent): boolean {
  return event.kind === 'message' || (event.kind !== 'artifact' && isTerminal(event.state))
}

function asksForInput(event: ExecutionEvent): boolean {
  return (event.kind === 'status' || event.kind === 'task') && event.state === 'input-required'
}
