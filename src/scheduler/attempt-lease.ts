import type { Logger } from 'pino'
import { storable } from '../base/storable.ts'
import { after } from '../base/timers.ts'
import { isUnavailable } from '../db/unavailable.ts'
import type { Changes } from '../domain/change.ts'
import { publish } from '../domain/commands/publish.ts'
import {
  type AttemptRef,
  type Failure,
  failAttempt,
  leaveExecution,
  recordAttempt,
  releaseTask,
} from '../domain/commands/run.ts'
import type { Claim } from '../domain/decide.ts'
import type { Message } from '../domain/message.ts'
import type { EventReader } from '../domain/queries/events.ts'
import type { Work, WorkReader } from '../domain/queries/work.ts'
import type { AttemptRow, TaskRow } from '../domain/rows.ts'
import { isInterrupted } from '../domain/task.ts'
import type { WorkingCopy } from '../domain/working-copy.ts'
import { followEvents } from '../events/follow.ts'
import type { Hub } from '../events/hub.ts'
import { type ActiveTask, forAMoment } from '../executors/active-task.ts'
import type { AbortReason, AgentExecutor, EventQueue, Parked, RequestContext } from '../executors/executor.ts'
import { ExecutorError } from '../executors/executor-error.ts'
import type { AgentRegistry } from '../executors/registry.ts'
import type { RequestContextBuilder } from '../executors/request-context.ts'
import { contextParams } from './attempt-context.ts'
import { AttemptEvents, type Published } from './attempt-events.ts'

export interface AttemptOptions {
  changes: Changes
  agents: AgentRegistry
  readWork: WorkReader
  hub: Hub
  readEvents: EventReader
  builder: RequestContextBuilder
  log: Logger
  fault?: (point: string) => Promise<void> | void
}

/** How an attempt left this process: for good, or only for now (parked, waiting for a person, or released). */
export type Left = 'done' | 'waiting'

/** What the executor came to. */
type Ending =
  | { kind: 'returned'; parked: Parked | undefined }
  | { kind: 'threw'; error: unknown }
  | { kind: 'aborted'; reason: AbortReason }

const RETRY_WRITE_MILLISECONDS = 500
const MAX_REFUSALS = 10

/** One lease of one attempt. */
export class AttemptLease {
  private readonly options: AttemptOptions
  private readonly ref: AttemptRef
  private readonly task: TaskRow
  private readonly attempt: AttemptRow
  private readonly claim: Claim
  private readonly active: ActiveTask
  private readonly log: Logger
  private readonly events: AttemptEvents

  constructor(options: AttemptOptions, ref: AttemptRef, claim: Claim, active: ActiveTask, log: Logger) {
    this.options = options
    this.ref = ref
    this.task = claim.task
    this.attempt = claim.attempt
    this.claim = claim
    this.active = active
    this.log = log
    this.events = new AttemptEvents(
      claim.task.state,
      ({ events, from }) => this.write((w) => publish(w, ref, events, from)),
      () => active.abort('leaseLost'),
    )
  }

  async run(known: Work | null, firstEvent: () => void): Promise<Left> {
    void this.events.first.then(firstEvent)
    await this.options.fault?.('attempt:claimed')
    const left = await this.leave(await this.executeWithTimeout(known))
    this.events.settle()
    return left
  }

  private async executeWithTimeout(known: Work | null): Promise<Ending> {
    const left = this.millisecondsLeft()
    if (left !== null && left <= 0) this.active.abort('timeout')
    const clock = left === null ? null : this.startClock(left)
    try {
      return await this.execute(known)
    } finally {
      clock?.stop()
    }
  }

  /** Aborts after so long, but not while the executor waits for a person: then it counts anew. (design §3.5) */
  private startClock(milliseconds: number): { stop: () => void } {
    const wind = () => after(milliseconds, () => (this.events.waitsForPerson ? again() : this.active.abort('timeout')))
    let clock = wind()
    const again = () => {
      clock = wind()
    }
    return { stop: () => clock.stop() }
  }

  /** Of the attempt's timeout, which counts since it began, or since a person answered; by the database's clock. */
  private millisecondsLeft(): number | null {
    const seconds = this.options.agents.agent(this.attempt.agent)?.timeoutSeconds ?? this.task.timeoutSeconds
    if (seconds === null) return null
    const now = Date.parse(this.claim.now)
    const since = isInterrupted(this.task.state) ? now : Date.parse(this.attempt.clockAt)
    return since + seconds * 1_000 - now
  }

  private async execute(known: Work | null): Promise<Ending> {
    try {
      const { executor, context } = await this.prepare(known)
      if (this.active.signal.aborted) return this.abandoned(executor, context)
      const execution = this.active.execute(executor, context, this.events)
      const parked = await Promise.race([execution, this.aborted()])
      if (parked === 'aborted') {
        execution.catch(() => undefined)
        return this.abandoned(executor, context)
      }
      return { kind: 'returned', parked: parked ?? undefined }
    } catch (error) {
      return this.active.signal.aborted
        ? { kind: 'aborted', reason: this.active.signal.reason }
        : { kind: 'threw', error }
    }
  }

  private async prepare(known: Work | null): Promise<{ executor: AgentExecutor; context: RequestContext }> {
    if (this.options.agents.agent(this.attempt.agent) === undefined) {
      throw new ExecutorError(this.attempt.reason, { retryable: false })
    }
    const executor = this.options.agents.executorFor(this.attempt.agent)
    const work = known ?? (await this.whenBack(() => this.options.readWork(this.task.id)))
    if (work === null) throw new ExecutorError(`Task ${this.task.id} is gone`, { retryable: false })
    const params = contextParams(work, this.active.signal, (patch) =>
      this.whenBack(() => this.write((w) => recordAttempt(w, this.ref, storable(patch)))),
    )
    const messages = () => this.messages()
    return { executor, context: await this.options.builder.build({ ...params, messages }) }
  }

  /** What clients send to the task while it runs: from the log, so that it does not matter which process took it. */
  private async *messages(): AsyncGenerator<Message, void, undefined> {
    const { contextKey, id } = this.task
    const readEvents: EventReader = (cursor) => this.whenBack(() => this.options.readEvents(cursor))
    const from = { contextKey, after: this.claim.seq, signal: this.active.signal }
    for await (const event of followEvents({ hub: this.options.hub, readEvents }, from)) {
      if (event.type === 'task.message' && event.taskId === id) yield event.data.message
    }
  }

  private aborted(): Promise<'aborted'> {
    const { signal } = this.active
    return new Promise((resolve) => {
      if (signal.aborted) resolve('aborted')
      else signal.addEventListener('abort', () => resolve('aborted'), { once: true })
    })
  }

  /** What must not go on elsewhere is told to stop: after a cancel (the registry calls `cancel` then) and a timeout. */
  private async abandoned(executor: AgentExecutor, context: RequestContext): Promise<Ending> {
    const reason = this.active.signal.reason as AbortReason
    if (reason === 'timeout') {
      const quiet: EventQueue = { publish: () => undefined, flush: () => Promise.resolve() }
      const canceling = executor
        .cancel(context, quiet)
        .catch((error) => this.log.warn({ err: error }, 'cancel after a timeout failed'))
      await forAMoment(canceling)
    }
    return { kind: 'aborted', reason }
  }

  private async leave(ending: Ending): Promise<Left> {
    const rest = await this.events.close()
    if (ending.kind === 'returned') return this.finish(rest, ending.parked)
    if (ending.kind === 'threw') return this.fail(rest, failureOf(ending.error))
    switch (ending.reason) {
      case 'timeout':
        return this.fail(rest, { error: this.timeoutText(), retryable: true, outcome: 'failed' })
      case 'shutdown':
        await this.writeUntilDone((w) => this.publishRest(w, rest) && releaseTask(w, this.ref))
        return 'waiting'
      default:
        return 'done'
    }
  }

  private timeoutText(): string {
    const seconds = this.options.agents.agent(this.attempt.agent)?.timeoutSeconds ?? this.task.timeoutSeconds
    return `The agent ${this.attempt.agent} did not finish within ${seconds} s`
  }

  private async finish(rest: Published, parked: Parked | undefined): Promise<Left> {
    await this.options.fault?.('finish:before-commit')
    const pause = parked && Math.max(0, parked.checkAt.getTime() - Date.now())
    let waiting = false
    await this.writeUntilDone((w) => {
      this.publishRest(w, rest)
      // By the database's clock, which says when it is due: this process's may differ.
      leaveExecution(w, this.ref, pause === undefined ? null : new Date(Date.parse(w.now) + pause).toISOString())
      waiting = w.attempt(this.ref.taskId) !== undefined
      return true
    })
    await this.options.fault?.(parked && waiting ? 'attempt:parked' : 'finish:after-commit')
    return waiting ? 'waiting' : 'done'
  }

  private async fail(rest: Published, failure: Failure): Promise<Left> {
    this.log.warn({ error: failure.error }, 'attempt failed')
    await this.writeUntilDone((w) => this.publishRest(w, rest) && failAttempt(w, this.ref, failure))
    return 'done'
  }

  private publishRest(w: WorkingCopy, { events, from }: Published): boolean {
    return publish(w, this.ref, events, from)
  }

  private write(decide: (w: WorkingCopy) => boolean): Promise<boolean> {
    return this.options.changes.apply({
      target: { kind: 'known', key: this.task.contextKey },
      needs: [
        { kind: 'lineage', id: this.task.id },
        { kind: 'dependents', id: this.task.id },
        { kind: 'artifacts', id: this.task.id },
      ],
      decide: (w) => {
        const landed = decide(w)
        return () => landed
      },
    })
  }

  /** Tries again while the database is away: that is no failure of the attempt's. */
  private async whenBack<T>(act: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await act()
      } catch (error) {
        if (!isUnavailable(error) || this.active.signal.aborted) throw error
        await new Promise((resolve) => setTimeout(resolve, RETRY_WRITE_MILLISECONDS))
      }
    }
  }

  /**
   * An outcome is not given up because the database is away: it is written when that is back, unless the lease is lost.
   * One that the database refuses again and again fails the attempt instead.
   */
  private async writeUntilDone(outcome: (w: WorkingCopy) => boolean): Promise<void> {
    let decide = outcome
    for (let refused = 0; ; ) {
      try {
        await this.write(decide)
        return
      } catch (error) {
        this.log.warn({ err: error }, 'outcome not written yet')
        if (this.active.signal.reason === 'shutdown') return
        if (!isUnavailable(error)) refused += 1
        if (refused === MAX_REFUSALS) decide = (w) => failAttempt(w, this.ref, NOT_STORED)
        await new Promise((resolve) => setTimeout(resolve, RETRY_WRITE_MILLISECONDS))
      }
    }
  }
}

const NOT_STORED: Failure = { error: 'The outcome could not be stored', retryable: false, outcome: 'failed' }

function failureOf(error: unknown): Failure {
  const retryable = !(error instanceof ExecutorError) || error.retryable
  return { error: storable(error instanceof Error ? error.message : String(error)), retryable, outcome: 'failed' }
}
