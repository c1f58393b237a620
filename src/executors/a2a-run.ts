import type { Message } from '../domain/message.ts'
import type { Outgoing, RemoteAgent } from './a2a-agent.ts'
import type { RemoteEvent, RemoteTask } from './a2a-bounds.ts'
import { isTrouble, RemoteAgentError } from './a2a-error.ts'
import { type Exchange, type Fault, send, subscribe } from './a2a-exchange.ts'
import { LedgerFull } from './a2a-ledger.ts'
import { type Memo, readMemo } from './a2a-memo.ts'
import type { A2aOptions } from './a2a-options.ts'
import { RemotePublisher, type Standing } from './a2a-publisher.ts'
import { answerId, needsAnswer, outgoing, questionOf, wasAnswered } from './a2a-question.ts'
import type { AttemptPatch, EventQueue, Parked, RequestContext } from './executor.ts'

export interface RemoteCall {
  context: RequestContext
  events: EventQueue
  /** Ends what still goes on in the background after the context's own signal fired. */
  closing: AbortSignal
  fault?: Fault | undefined
}

/** The way out of a run whose lease was lost or whose signal fired: what it returns is not used then. */
class Stopped extends Error {}

/** One call of `execute` on a remote agent. (design §6, "Remote agents") */
export class RemoteRun {
  readonly #context: RequestContext
  readonly #events: EventQueue
  readonly #closing: AbortSignal
  readonly #fault: Fault | undefined
  readonly #remote: RemoteAgent
  readonly #options: A2aOptions
  readonly #publisher: RemotePublisher
  readonly #identified = Promise.withResolvers<string | undefined>()
  #taskId: string | undefined
  #contextId: string | undefined
  #maybeDuplicate: boolean
  #memo: Memo

  constructor(remote: RemoteAgent, options: A2aOptions, { context, events, closing, fault }: RemoteCall) {
    const { attempt } = context
    this.#context = context
    this.#events = events
    this.#closing = closing
    this.#fault = fault
    this.#remote = remote
    this.#options = options
    this.#taskId = attempt.remoteTaskId
    this.#contextId = attempt.remoteContextId
    this.#maybeDuplicate = attempt.maybeDuplicate ?? false
    this.#memo = readMemo(attempt.memo)
    this.#publisher = new RemotePublisher(context, events, {
      options,
      published: this.#memo.published ?? {},
      isNew: attempt.sentAt === undefined,
      answered: (status) => wasAnswered(this.#memo, status),
    })
    if (this.#taskId !== undefined) this.#identified.resolve(this.#taskId)
  }

  /** The remote task's id as soon as it is known; undefined when the run ended without one. */
  get identified(): Promise<string | undefined> {
    return this.#identified.promise
  }

  async run(): Promise<void | Parked> {
    try {
      return await this.#run()
    } catch (error) {
      if (error instanceof Stopped || this.#context.signal.aborted) return undefined
      if (error instanceof LedgerFull)
        throw new RemoteAgentError('tooLarge', this.#remote.name, `sent ${error.message}`)
      throw error
    } finally {
      this.#identified.resolve(this.#taskId)
    }
  }

  async #run(): Promise<void | Parked> {
    const { sentAt } = this.#context.attempt
    try {
      if (this.#taskId !== undefined) return await this.#reattach(this.#taskId)
      return sentAt === undefined ? await this.#begin() : await this.#lookUp(undefined)
    } catch (error) {
      this.#stopIfAborted()
      // Work that may be under way is not given up because nobody can be asked about it just now.
      const underWay = this.#taskId !== undefined || (sentAt !== undefined && !this.#maybeDuplicate)
      if (underWay && error instanceof RemoteAgentError) return this.#failedCheck(error)
      throw error
    }
  }

  async #begin(): Promise<void | Parked> {
    const inContext = this.#contextId === undefined ? {} : { remoteContextId: this.#contextId }
    await this.#record({ sentAt: new Date().toISOString(), ...inContext })
    try {
      return await this.#sendTask()
    } catch (error) {
      if (this.#taskId !== undefined || !isTrouble(error, 'broken', 'slow')) throw error
      return this.#lookUp(error)
    }
  }

  /**
   * Something was sent and nothing was heard: finds the remote task that it became by listing; else sends it once more,
   * with the same id.
   */
  async #lookUp(failed: unknown): Promise<void | Parked> {
    const found = await this.#find()
    if (found) {
      await this.#identify(found)
      return this.#goOn(this.#publisher.whole(found))
    }
    // Slow is not lost: it may well be at work, so nothing is sent again here.
    if (isTrouble(failed, 'slow')) throw failed
    if (this.#maybeDuplicate) {
      throw new RemoteAgentError(
        'broken',
        this.#remote.name,
        'was sent the task twice, and never said that it took it',
        failed,
      )
    }
    this.#maybeDuplicate = true
    await this.#record({ maybeDuplicate: true })
    return this.#sendTask()
  }

  #find(): Promise<RemoteTask | undefined> {
    const { id, sentAt = new Date().toISOString() } = this.#context.attempt
    const where = { sentAt, ...(this.#contextId !== undefined && { contextId: this.#contextId }) }
    return this.#remote.find(id, where, this.#context.signal)
  }

  /** The remote task is known: looks at it, answers its question if there is an answer, and goes on with it. */
  async #reattach(taskId: string): Promise<void | Parked> {
    const { answer } = this.#context
    const task = await this.#remote.getTask(taskId, answer ? 50 : 0, this.#context.signal)
    this.#memo = { ...this.#memo, failedChecks: 0 }
    if (answer && needsAnswer(task, answerId(this.#context, answer), this.#memo)) return this.#answer(task, answer)
    return this.#goOn(this.#publisher.whole(task))
  }

  async #answer(task: RemoteTask, answer: Message): Promise<void | Parked> {
    const id = answerId(this.#context, answer)
    const again = this.#memo.answer?.id === id
    const sent = { id, question: questionOf(task), received: false }
    this.#memo = { ...this.#memo, answer: sent }
    await this.#record({ memo: { ...this.#memo }, ...(again && { maybeDuplicate: true }) })
    this.#publisher.whole(task)
    const exchange = await this.#send({ ...outgoing(answer, id, this.#contextId), taskId: task.taskId })
    this.#memo = { ...this.#memo, answer: { ...sent, received: true } }
    return this.#follow(exchange)
  }

  async #sendTask(): Promise<void | Parked> {
    const { message, attempt } = this.#context
    return this.#follow(await this.#send(outgoing(message, attempt.id, this.#contextId)))
  }

  async #send(message: Message): Promise<Exchange> {
    const out: Outgoing = { message, acceptedOutputModes: this.#context.configuration.acceptedOutputModes ?? [] }
    const stream = await this.#streams()
    const sent = await send(this.#remote, out, { stream, closing: this.#closing, fault: this.#fault })
    if (stream && sent.plain) this.#memo = { ...this.#memo, poll: true }
    if (sent.first.kind !== 'message') await this.#identify(idsOf(sent.first))
    return sent
  }

  async #streams(): Promise<boolean> {
    return !this.#memo.poll && (await this.#remote.streams())
  }

  /** Records whose task it is. If there was a cancel or timeout meanwhile, the remote task is canceled right away. */
  async #identify({ taskId, contextId }: { taskId: string; contextId?: string }): Promise<void> {
    const isNews = taskId !== this.#taskId || (contextId !== undefined && contextId !== this.#contextId)
    this.#taskId = taskId
    this.#contextId = contextId ?? this.#contextId
    const ids = { remoteTaskId: taskId, ...(contextId !== undefined && { remoteContextId: contextId }) }
    const landed = !isNews || (await this.#context.record(ids))
    this.#identified.resolve(taskId)
    const { aborted, reason } = this.#context.signal
    if (aborted && (reason === 'canceled' || reason === 'timeout')) await this.#remote.cancelTask(taskId, this.#closing)
    if (!landed || aborted) throw new Stopped()
  }

  async #record(patch: AttemptPatch): Promise<void> {
    if (!(await this.#context.record(patch))) throw new Stopped()
    this.#stopIfAborted()
  }

  /** Follows an exchange that a send opened, and then whatever is left. */
  async #follow(exchange: Exchange): Promise<void | Parked> {
    const standing = await this.#listen(exchange)
    if (standing.kind !== 'goesOn') return this.#conclude(standing)
    // A stream that ended too early is looked after; after a plain answer that says "working" there is nothing to see yet.
    return (await this.#streams()) ? this.#goOn(await this.#look()) : this.#park()
  }

  /** Goes on from where the whole task stands: ends, follows its stream as long as streams are of use, or parks. */
  async #goOn(standing: Standing): Promise<void | Parked> {
    let now = standing
    for (let short = 0; short < this.#options.maxShortStreams && (await this.#streams()); ) {
      if (now.kind !== 'goesOn') break
      const since = Date.now()
      now = await this.#listen(subscribe(this.#remote, this.#taskId ?? '', this.#closing))
      if (now.kind === 'goesOn') now = await this.#look()
      short = Date.now() - since < this.#options.minCheckMs ? short + 1 : 0
    }
    return now.kind === 'goesOn' ? this.#park() : this.#conclude(now)
  }

  /** Publishes what comes until an end, a question, or the end of the stream, however it ends. */
  async #listen({ events, end, late }: Exchange): Promise<Standing> {
    const stop = () => end.abort()
    this.#context.signal.addEventListener('abort', stop)
    try {
      for (;;) {
        this.#stopIfAborted()
        const next = await events.next()
        this.#stopIfAborted()
        if (next.done) return { kind: 'goesOn' }
        const standing = this.#publisher.apply(next.value, this.#taskId)
        // Servers differ in whether the whole task that such a stream begins with includes the updates that follow it.
        if (late && next.value.kind !== 'task') this.#publisher.uncertain = true
        if (standing.kind !== 'goesOn') return standing
      }
    } catch (error) {
      this.#tolerate(error)
      return { kind: 'goesOn' }
    } finally {
      this.#context.signal.removeEventListener('abort', stop)
      end.abort()
    }
  }

  /** A stream may break, stall, be refused or carry too much at once: looking at the whole task helps then. */
  #tolerate(error: unknown): void {
    const isOver = isTrouble(error, 'broken', 'down', 'busy')
    const isNoUse = isTrouble(error, 'slow', 'unsupported', 'tooLarge')
    if (this.#taskId === undefined || !(isOver || isNoUse)) throw error
    if (isNoUse) this.#memo = { ...this.#memo, poll: true }
  }

  async #look(): Promise<Standing> {
    return this.#publisher.whole(await this.#remote.getTask(this.#taskId ?? '', 0, this.#context.signal))
  }

  async #conclude(standing: Exclude<Standing, { kind: 'goesOn' }>): Promise<void | Parked> {
    this.#stopIfAborted()
    if (standing.kind === 'answered') return undefined
    const { status } = standing
    const last = this.#publisher.uncertain ? await this.#look() : standing
    this.#stopIfAborted()
    this.#publisher.conclude(last.kind === 'reached' ? last.status : status)
    await this.#remember()
    return undefined
  }

  /** A look that fails for now is tried again later, so many times in a row. */
  async #failedCheck(error: RemoteAgentError): Promise<Parked> {
    if (error.trouble === 'gone') {
      const what = `does not know the task ${this.#taskId} any more: its work is lost`
      throw new RemoteAgentError('gone', this.#remote.name, what, error)
    }
    const failedChecks = (this.#memo.failedChecks ?? 0) + 1
    if (!error.retryable || failedChecks > this.#options.maxFailedChecks) throw error
    this.#memo = { ...this.#memo, failedChecks }
    return this.#park()
  }

  /** Waits without holding anything: 1, 2, 4 … seconds, up to the longest interval. */
  async #park(): Promise<Parked> {
    await this.#remember()
    const { minCheckMs, maxCheckMs } = this.#options
    const wait = Math.min(maxCheckMs, minCheckMs * 2 ** Math.min(this.#context.attempt.parkedTimes, 20))
    return { parked: true, checkAt: new Date(Date.now() + wait) }
  }

  /** Keeps what the next call must know, after what it speaks of is committed. */
  async #remember(): Promise<void> {
    await this.#events.flush()
    const memo = { ...this.#memo, published: this.#publisher.ledger.memo() }
    if (JSON.stringify(memo) !== JSON.stringify(this.#context.attempt.memo)) await this.#record({ memo })
  }

  #stopIfAborted(): void {
    if (this.#context.signal.aborted) throw new Stopped()
  }
}

function idsOf(event: Exclude<RemoteEvent, { kind: 'message' }>): { taskId: string; contextId?: string } {
  if (event.kind === 'task') return event.task
  return event.kind === 'status' ? event.status : event
}
