import { TrellisError } from '../base/errors.ts'
import type { AbortReason, AgentExecutor, EventQueue, Parked, RequestContext } from './executor.ts'

/** Which attempt an active task works on. */
export interface ActiveTaskRef {
  taskId: string
  attemptId: string
  /** The attempt's number, from 1. */
  attempt: number
  lease: number
}

/** How long an executor's `cancel` is waited for. It goes on after that, and the attempt is over without it. */
const CANCEL_MILLISECONDS = 5_000

/** Resolves with what is under way, or soon without it: an executor that never returns must not hold its attempt for ever. */
export async function forAMoment(underWay: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const over = new Promise((resolve) => {
    timer = setTimeout(resolve, CANCEL_MILLISECONDS)
  })
  await Promise.race([underWay, over])
  clearTimeout(timer)
}

/** One attempt that runs in this process. */
export class ActiveTask {
  readonly taskId: string
  readonly attemptId: string
  readonly attempt: number
  readonly lease: number
  readonly startedAt: Date
  readonly #controller = new AbortController()
  readonly #settled = Promise.withResolvers<void>()
  #running: { executor: AgentExecutor; context: RequestContext; events: EventQueue } | undefined
  #executing = false
  #canceling: Promise<void> | undefined

  constructor(ref: ActiveTaskRef, startedAt: Date) {
    this.taskId = ref.taskId
    this.attemptId = ref.attemptId
    this.attempt = ref.attempt
    this.lease = ref.lease
    this.startedAt = startedAt
  }

  /** Goes into the request context. Its reason is an {@link AbortReason}. */
  get signal(): AbortSignal {
    return this.#controller.signal
  }

  /** Resolves, and never rejects, once the attempt has left this process. */
  get settled(): Promise<void> {
    return this.#settled.promise
  }

  /** Fires the signal; the first reason stays. What `execute` returns or throws from then on is not used. */
  abort(reason: AbortReason): void {
    this.#controller.abort(reason)
  }

  /** Calls the executor. A second call while one runs is refused: never two `execute` for one request at once. */
  async execute(executor: AgentExecutor, context: RequestContext, events: EventQueue): Promise<void | Parked> {
    if (this.#executing) {
      throw new TrellisError('invalidState', `Attempt ${this.attemptId} of ${this.taskId} is already being executed`)
    }
    this.#executing = true
    this.#running = { executor, context, events }
    try {
      return await executor.execute(context, events)
    } finally {
      this.#executing = false
    }
  }

  /** Fires the signal, then calls the executor's `cancel`, once however often it is asked. */
  cancel(): Promise<void> {
    this.abort('canceled')
    this.#canceling ??= this.#cancel()
    return this.#canceling
  }

  async #cancel(): Promise<void> {
    if (!this.#running) return
    const { executor, context, events } = this.#running
    await executor.cancel(context, events)
  }

  /** Resolves when a cancel that was asked for is done with, or takes too long; never rejects. */
  async canceled(): Promise<void> {
    if (this.#canceling) await forAMoment(this.#canceling.catch(() => undefined))
  }

  /** Called by the registry alone. */
  settle(): void {
    this.#settled.resolve()
  }
}

/** The attempts that run in this process: at most one for each task. (a2a.server.agent_execution, ActiveTaskRegistry) */
export class ActiveTaskRegistry {
  readonly #active = new Map<string, ActiveTask>()
  readonly #now: () => Date
  #closed = false

  constructor(now: () => Date = () => new Date()) {
    this.#now = now
  }

  get size(): number {
    return this.#active.size
  }

  get(taskId: string): ActiveTask | undefined {
    return this.#active.get(taskId)
  }

  list(): ActiveTask[] {
    return [...this.#active.values()]
  }

  /**
   * Runs `work` as the one active attempt of its task. If an earlier attempt or lease of it is still active here it is
   * aborted (`leaseLost`) and waited for first; if the same or a later one is, this one is refused.
   */
  async run<T>(ref: ActiveTaskRef, work: (active: ActiveTask) => Promise<T>): Promise<T> {
    // A loop, because two newer leases may wait for the same earlier one. Nothing is awaited between its end and the set.
    for (let earlier = this.#active.get(ref.taskId); earlier; earlier = this.#active.get(ref.taskId)) {
      await retire(earlier, ref)
    }
    if (this.#closed) throw new TrellisError('unavailable', 'This server is stopping and takes no more tasks')
    const active = new ActiveTask(ref, this.#now())
    this.#active.set(ref.taskId, active)
    try {
      return await work(active)
    } finally {
      await active.canceled()
      this.#active.delete(ref.taskId)
      active.settle()
    }
  }

  /** Cancels a task if it runs here. False: it does not. Rejects as the executor's `cancel` does. */
  async cancel(taskId: string): Promise<boolean> {
    const active = this.#active.get(taskId)
    await active?.cancel()
    return active !== undefined
  }

  /** Aborts a task if it runs here. False: it does not. */
  abort(taskId: string, reason: AbortReason): boolean {
    const active = this.#active.get(taskId)
    active?.abort(reason)
    return active !== undefined
  }

  /** Takes nothing new, aborts all that runs with `shutdown`, and resolves when it has settled. Idempotent. */
  async close(): Promise<void> {
    this.#closed = true
    const active = this.list()
    for (const task of active) task.abort('shutdown')
    await Promise.all(active.map((task) => task.settled))
  }
}

/** Ends an earlier attempt or lease and waits until it is gone; refuses to end the same or a later one. */
async function retire(active: ActiveTask, ref: ActiveTaskRef): Promise<void> {
  if (!isEarlier(active, ref)) throw alreadyActive(active)
  active.abort('leaseLost')
  await active.settled
}

function isEarlier(active: ActiveTask, ref: ActiveTaskRef): boolean {
  return active.attempt < ref.attempt || (active.attempt === ref.attempt && active.lease < ref.lease)
}

function alreadyActive(active: ActiveTask): TrellisError {
  const { taskId, attempt, lease } = active
  return new TrellisError('invalidState', `Task ${taskId} already runs here (attempt ${attempt}, lease ${lease})`)
}
