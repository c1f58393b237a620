import type { Artifact, Message } from '../domain/message.ts'
import { isInterrupted, isTerminal, type TaskState } from '../domain/task.ts'
import type { RemoteEvent, RemoteStatus, RemoteTask } from './a2a-bounds.ts'
import { ArtifactLedger, type LedgerMemo } from './a2a-ledger.ts'
import type { A2aOptions } from './a2a-options.ts'
import type { EventQueue, RequestContext } from './executor.ts'

/** Where a remote task stands after an event: it goes on, or its end or a question was reached (and not yet published). */
export type Standing =
  | { kind: 'goesOn' }
  | { kind: 'reached'; status: RemoteStatus & { state: TaskState } }
  | { kind: 'answered' }

const GOES_ON: Standing = { kind: 'goesOn' }

/** Turns what a remote agent says about one task into what is published about ours, each thing once. */
export class RemotePublisher {
  readonly ledger: ArtifactLedger
  /** A stream may have left something out or said it twice: only the whole task can tell. */
  uncertain = false
  readonly #context: RequestContext
  readonly #events: EventQueue
  readonly #answered: (status: RemoteStatus) => boolean
  #saidWorking = false
  #lastMessageId: string | undefined

  /** `answered` says whether a question was answered already, so that an old status does not ask it again. */
  constructor(
    context: RequestContext,
    events: EventQueue,
    more: { options: A2aOptions; published: LedgerMemo; isNew: boolean; answered: (status: RemoteStatus) => boolean },
  ) {
    this.#context = context
    this.#events = events
    this.#answered = more.answered
    this.ledger = new ArtifactLedger(more.options, more.published)
    this.#lastMessageId = context.currentTask.statusMessage?.messageId
    if (more.isNew) return
    for (const artifact of context.currentTask.artifacts) this.ledger.committed(artifact)
  }

  /** Publishes what an event brings, except an end or a question: see {@link conclude}. `taskId` is the one followed. */
  apply(event: RemoteEvent, taskId: string | undefined): Standing {
    switch (event.kind) {
      case 'message':
        return this.#message(event.message, taskId)
      case 'task':
        return event.task.taskId === taskId ? this.whole(event.task) : GOES_ON
      case 'status':
        return event.status.taskId === taskId ? this.#status(event.status) : GOES_ON
      case 'artifact':
        if (event.taskId === taskId) this.#chunk(event)
        return GOES_ON
    }
  }

  /** Publishes what is new in the whole task as it is now. */
  whole(task: RemoteTask): Standing {
    const ended = task.state !== undefined && isTerminal(task.state)
    for (const artifact of task.artifacts) {
      const event = this.ledger.whole(artifact, ended)
      if (event) this.#events.publish(event)
    }
    this.uncertain = false
    return this.#status(task)
  }

  /** Publishes the end or the question that was reached. */
  conclude({ state, message }: RemoteStatus & { state: TaskState }): void {
    if (state === 'completed' && message && this.ledger.size === 0) this.#response(message)
    this.#events.publish({ kind: 'status', state, ...(message && { message }) })
  }

  #message(message: Message, taskId: string | undefined): Standing {
    if (taskId !== undefined) {
      this.#progress(message)
      return GOES_ON
    }
    this.#events.publish({ kind: 'message', message })
    return { kind: 'answered' }
  }

  #status(status: RemoteStatus): Standing {
    const { state, message } = status
    if (state === undefined) return GOES_ON
    if (isTerminal(state)) return { kind: 'reached', status: { ...status, state } }
    if (isInterrupted(state) && !this.#answered(status)) return { kind: 'reached', status: { ...status, state } }
    if (!isInterrupted(state)) this.#progress(message)
    return GOES_ON
  }

  /** Says `working` once, and then again for each new message only. */
  #progress(message: Message | undefined): void {
    const isNews = message !== undefined && message.messageId !== this.#lastMessageId
    if (this.#saidWorking && !isNews) return
    this.#saidWorking = true
    if (message) this.#lastMessageId = message.messageId
    this.#events.publish({ kind: 'status', state: 'working', ...(isNews && { message }) })
  }

  #chunk({ artifact, append, lastChunk }: Extract<RemoteEvent, { kind: 'artifact' }>): void {
    const event = this.ledger.chunk(artifact, append, lastChunk)
    if (event === 'gap') this.uncertain = true
    else if (event) this.#events.publish(event)
  }

  /** An agent that says its result in its last message and gives no artifact: what depends on this task needs one. */
  #response(message: Message): void {
    const artifact: Artifact = {
      artifactId: `${this.#context.attempt.id}-response`,
      name: 'response',
      parts: message.parts,
    }
    if (artifact.parts.length === 0) return
    const event = this.ledger.whole(artifact, true)
    if (event) this.#events.publish(event)
  }
}
