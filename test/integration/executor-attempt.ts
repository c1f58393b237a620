import { EventEmitter, once } from 'node:events'
import type { Artifact, Message } from '../../src/domain/message.ts'
import type { TaskView } from '../../src/domain/task.ts'
import type {
  AbortReason,
  AgentExecutor,
  AttemptPatch,
  AttemptRecord,
  ExecutionEvent,
  Parked,
} from '../../src/executors/executor.ts'
import { AttemptContext } from '../../src/executors/request-context.ts'

/** Stands for the runner and its database: one attempt, what was recorded of it, and what its executor published. */
export class AttemptUnderTest {
  readonly events: ExecutionEvent[] = []
  readonly patches: AttemptPatch[] = []
  record: AttemptRecord = { id: 'attempt-1', number: 1, lease: 1, takenOver: false, parkedTimes: 0 }
  /** Rows, as a view shows them. */
  artifacts: Artifact[] = []
  acceptedOutputModes: string[] = []
  text = 'count the sheep'
  /** What the agent gets instead of the text. */
  message: Message | undefined
  #controller = new AbortController()
  readonly #changes = new EventEmitter()

  /** One call of `execute`, as a runner makes it. */
  async execute(executor: AgentExecutor, answer?: Message): Promise<void | Parked> {
    const outcome = await executor.execute(this.context(answer), this.queue())
    this.record = {
      ...this.record,
      lease: this.record.lease + 1,
      parkedTimes: outcome ? this.record.parkedTimes + 1 : 0,
    }
    return outcome
  }

  /** Calls again whenever it parks, without the wait, until it returns for good. */
  async finish(executor: AgentExecutor, answer?: Message): Promise<number> {
    let parked = 0
    while (await this.execute(executor, answer)) {
      parked += 1
      await new Promise((resolve) => setImmediate(resolve))
    }
    return parked
  }

  cancel(executor: AgentExecutor): Promise<void> {
    const context = this.context()
    this.abort('canceled')
    return executor.cancel(context, this.queue())
  }

  abort(reason: AbortReason): void {
    this.#controller.abort(reason)
  }

  /** The process is gone: what it would still have recorded or published is lost; another one takes over. */
  takeOver(): AttemptUnderTest {
    const next = new AttemptUnderTest()
    next.record = { ...this.record, lease: this.record.lease + 1, takenOver: true }
    next.artifacts = structuredClone(this.artifacts)
    next.text = this.text
    return next
  }

  /** Resolves when something published or recorded makes it true. */
  async until(isTrue: () => boolean): Promise<void> {
    while (!isTrue()) await once(this.#changes, 'change')
  }

  get states(): string[] {
    return this.events.flatMap((event) => ('state' in event ? [event.state] : []))
  }

  /** The text of an artifact, as its rows have it. */
  textOf(artifactId: string): string | undefined {
    const parts = this.artifacts.find((artifact) => artifact.artifactId === artifactId)?.parts
    return parts?.map((part) => ('text' in part ? part.text : '?')).join('')
  }

  context(answer?: Message): AttemptContext {
    const message: Message = answer ??
      this.message ?? { messageId: 'message-1', role: 'user', parts: [{ text: this.text }] }
    return new AttemptContext({
      taskId: 'task-1',
      contextId: 'context-1',
      message,
      currentTask: this.#view(),
      configuration: { acceptedOutputModes: this.acceptedOutputModes },
      principal: { id: 'someone', tenant: 'default' },
      signal: this.#controller.signal,
      attempt: { ...this.record },
      ...(answer && { answer }),
      record: async (patch) => {
        Object.assign(this.record, structuredClone(patch))
        this.patches.push(patch)
        this.#changes.emit('change')
        return true
      },
    })
  }

  queue() {
    return {
      publish: (event: ExecutionEvent) => {
        this.events.push(event)
        if (event.kind === 'artifact') this.#commit(event)
        this.#changes.emit('change')
      },
      flush: async () => undefined,
    }
  }

  #commit({ artifact, append }: Extract<ExecutionEvent, { kind: 'artifact' }>): void {
    const known = this.artifacts.find((one) => one.artifactId === artifact.artifactId)
    if (known && append) known.parts.push(...artifact.parts)
    else this.artifacts = [...this.artifacts.filter((one) => one !== known), structuredClone(artifact)]
  }

  #view(): TaskView {
    return {
      id: 'task-1',
      contextId: 'context-1',
      state: 'working',
      statusAt: new Date().toISOString(),
      history: [],
      artifacts: structuredClone(this.artifacts),
      metadata: {},
      kind: 'executed',
      skipped: false,
      seq: 1,
    }
  }
}

export function answerOf(text: string, messageId = 'message-2'): Message {
  return { messageId, role: 'user', parts: [{ text }] }
}
