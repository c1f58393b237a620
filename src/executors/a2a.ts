import { RemoteAgent } from './a2a-agent.ts'
import { RemoteBounds } from './a2a-bounds.ts'
import { CardSource } from './a2a-card.ts'
import type { Fault } from './a2a-exchange.ts'
import type { A2aOptions } from './a2a-options.ts'
import { RemoteRun } from './a2a-run.ts'
import type { AgentConfig } from './agent-config.ts'
import type { AgentExecutor, EventQueue, Parked, RequestContext } from './executor.ts'

/**
 * Runs tasks on a remote agent that speaks A2A 1.0 or 0.3, over JSON-RPC, REST or gRPC. Rejects with a RemoteAgentError, whose
 * message names the agent and its URL and whose `retryable` says whether another attempt may help. (design §6)
 */
export class A2aExecutor implements AgentExecutor {
  readonly cards: CardSource
  readonly #remote: RemoteAgent
  readonly #options: A2aOptions
  readonly #fault: Fault | undefined
  readonly #closing = new AbortController()
  /** Runs by attempt; one stays here after its signal fired until it knows its remote task, or that there is none. */
  readonly #runs = new Map<string, { run: RemoteRun; ended: Promise<void> }>()

  constructor(config: AgentConfig & { url: string }, options: A2aOptions, fault?: Fault) {
    const name = { name: config.name, url: config.url }
    this.#options = options
    this.#fault = fault
    this.cards = new CardSource(config, options)
    const bounds = new RemoteBounds(name, options)
    this.#remote = new RemoteAgent(name, { cards: this.cards, headers: config.headers ?? {}, options, bounds })
  }

  /** Returns promptly when the signal fires; what it returns then means nothing. */
  async execute(context: RequestContext, events: EventQueue): Promise<void | Parked> {
    if (context.signal.aborted) return undefined
    const run = new RemoteRun(this.#remote, this.#options, {
      context,
      events: whileNotAborted(events, context.signal),
      closing: this.#closing.signal,
      fault: this.#fault,
    })
    const outcome = run.run()
    this.#keep(context.attempt.id, run, outcome)
    context.signal.addEventListener('abort', () => this.#timedOut(context, run), { once: true })
    return Promise.race([outcome, fired(context.signal)])
  }

  /** Cancels the remote task, once it is known which it is. Twice is as good as once. */
  async cancel(context: RequestContext, events: EventQueue): Promise<void> {
    await this.#fault?.('cancel:before')
    const taskId = await this.#taskOf(context)
    if (taskId !== undefined) await this.#remote.cancelTask(taskId, this.#closing.signal)
    events.publish({ kind: 'status', state: 'canceled' })
  }

  /** Ends what goes on in the background. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort()
    await Promise.all([...this.#runs.values()].map(({ ended }) => ended))
  }

  async #taskOf({ attempt }: RequestContext): Promise<string | undefined> {
    if (attempt.remoteTaskId !== undefined) return attempt.remoteTaskId
    const running = this.#runs.get(attempt.id)
    if (running) return running.run.identified
    if (attempt.sentAt === undefined) return undefined
    const where = { sentAt: attempt.sentAt, ...(attempt.remoteContextId && { contextId: attempt.remoteContextId }) }
    return (await this.#remote.find(attempt.id, where, this.#closing.signal))?.taskId
  }

  #keep(attemptId: string, run: RemoteRun, outcome: Promise<unknown>): void {
    const entry = { run, ended: outcome.then(ignore, ignore) }
    this.#runs.set(attemptId, entry)
    void entry.ended.then(() => {
      if (this.#runs.get(attemptId) === entry) this.#runs.delete(attemptId)
    })
  }

  /** Nobody calls `cancel` after a timeout, but the remote work is not wanted any more either. */
  #timedOut(context: RequestContext, run: RemoteRun): void {
    if (context.signal.reason !== 'timeout') return
    const cancel = async () => {
      const taskId = await run.identified
      if (taskId !== undefined) await this.#remote.cancelTask(taskId, this.#closing.signal)
    }
    void cancel().catch(ignore)
  }
}

function ignore(): void {}

/** Resolves when the signal fires. */
function fired(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** A run that goes on in the background for its remote task's id publishes nothing any more. */
function whileNotAborted(events: EventQueue, signal: AbortSignal): EventQueue {
  return {
    publish: (event) => {
      if (!signal.aborted) events.publish(event)
    },
    flush: () => events.flush(),
  }
}
