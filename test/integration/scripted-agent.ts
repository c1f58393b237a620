import { randomUUID } from 'node:crypto'
import { EventEmitter, once } from 'node:events'
import type { Artifact, Message } from '../../src/domain/message.ts'
import type { TaskState } from '../../src/domain/task.ts'
import type { AbortReason, AgentExecutor, EventQueue, Parked, RequestContext } from '../../src/executors/executor.ts'

/** What a test's agent does with one call of `execute`. */
export type Behaviour = (run: Run) => Promise<void | Parked> | void | Parked

/** Leaves the run open: the test ends it, by the methods of `Run`, or it is aborted. */
export const held: Behaviour = (run) => run.left

/** One call of `execute`, in the hands of a test. */
export class Run {
  readonly context: RequestContext
  readonly events: EventQueue
  /** Not ended by the test, nor aborted by the server. */
  open = true
  readonly #left = Promise.withResolvers<void>()

  constructor(context: RequestContext, events: EventQueue) {
    this.context = context
    this.events = events
    context.signal.addEventListener('abort', () => this.leave(), { once: true })
  }

  /** The task's own text. */
  get text(): string {
    return textOf(this.context.message.parts[0] ?? { text: '' })
  }

  /** Everything the agent was told: its own text, then what it was given from other tasks. */
  get told(): string[] {
    return this.context.message.parts.map(textOf)
  }

  /** Resolves when the test has ended the run, or the server has aborted it. */
  get left(): Promise<void> {
    return this.#left.promise
  }

  /** Resolves with why the server aborted the run. */
  async aborted(): Promise<AbortReason> {
    const { signal } = this.context
    if (!signal.aborted) await once(signal, 'abort')
    return signal.reason
  }

  complete(text = `${this.text}: done`, name = 'result'): void {
    this.chunk(text, { name })
    this.end('completed')
  }

  fail(why = 'it went wrong'): void {
    this.end('failed', why)
  }

  /** Asks a question, and returns until it is answered. */
  ask(question: string): void {
    this.end('input-required', question)
  }

  /** A lone Message instead of a task. */
  message(text: string): void {
    this.events.publish({ kind: 'message', message: this.#message(text) })
    this.leave()
  }

  /** Publishes a state, and goes on. */
  say(state: TaskState, text?: string): void {
    this.events.publish({ kind: 'status', state, ...(text !== undefined && { message: this.#message(text) }) })
  }

  chunk(text: string, more: Partial<Artifact> & { append?: boolean; lastChunk?: boolean } = {}): void {
    const { append = false, lastChunk = true, ...artifact } = more
    const full = { artifactId: `${artifact.name ?? 'result'}-${this.context.taskId}`, parts: [{ text }], ...artifact }
    this.events.publish({ kind: 'artifact', artifact: full, append, lastChunk })
  }

  /** Publishes a state, and returns. */
  end(state: TaskState, text?: string): void {
    this.say(state, text)
    this.leave()
  }

  /** Returns without a word. */
  leave(): void {
    this.open = false
    this.#left.resolve()
  }

  #message(text: string): Message {
    return { messageId: randomUUID(), role: 'agent', parts: [{ text }] }
  }
}

/** An agent in the test's own process. Completes every task at once, unless told otherwise. */
export class ScriptedAgent implements AgentExecutor {
  /** Calls of `execute`, oldest first. */
  readonly runs: Run[] = []
  /** Ids of the tasks whose `cancel` was called. */
  readonly canceled: string[] = []
  readonly #behaviours: { text: string | RegExp; behaviour: Behaviour }[] = []
  readonly #changes = new EventEmitter().setMaxListeners(0)

  /** How tasks with this text are done from now on: those that begin with it, or match. */
  when(text: string | RegExp, behaviour: Behaviour): void {
    this.#behaviours.unshift({ text, behaviour })
  }

  /** Resolves with the n-th call for tasks with this text, in the past or to come. */
  async begun(text: string | RegExp, n = 1): Promise<Run> {
    for (;;) {
      const run = this.runsOf(text)[n - 1]
      if (run !== undefined) return run
      await once(this.#changes, 'begun')
    }
  }

  /** Resolves with the n-th call of all. */
  async nextRun(n: number): Promise<Run> {
    while (this.runs.length < n) await once(this.#changes, 'begun')
    return this.runs[n - 1] as Run
  }

  /** How many calls have not been left. */
  get running(): number {
    return this.runs.filter((run) => run.open).length
  }

  runsOf(text: string | RegExp): Run[] {
    return this.runs.filter((run) => fits(text, run.text))
  }

  /** Is as new. */
  forget(): void {
    for (const list of [this.runs, this.canceled, this.#behaviours]) list.length = 0
  }

  async execute(context: RequestContext, events: EventQueue): Promise<void | Parked> {
    const run = new Run(context, events)
    this.runs.push(run)
    const told = this.#behaviours.find(({ text }) => fits(text, run.text))
    this.#changes.emit('begun')
    return (told?.behaviour ?? ((quick: Run) => quick.complete()))(run)
  }

  async cancel(context: RequestContext): Promise<void> {
    this.canceled.push(context.taskId)
    this.#changes.emit('canceled')
  }

  /** Resolves once the server has called `cancel` for the task. */
  async wasCanceled(taskId: string): Promise<void> {
    while (!this.canceled.includes(taskId)) await once(this.#changes, 'canceled')
  }
}

function fits(text: string | RegExp, actual: string): boolean {
  return typeof text === 'string' ? actual.startsWith(text) : text.test(actual)
}

function textOf(part: object): string {
  return 'text' in part ? String(part.text) : JSON.stringify(part)
}

const agents = new Map<string, ScriptedAgent>()

/** The agent of this name: the same one for the test and for every server in its process. */
export function scripted(name: string): ScriptedAgent {
  const known = agents.get(name) ?? new ScriptedAgent()
  agents.set(name, known)
  return known
}

/** What a server loads as its module. */
export default function scriptedModule({ name }: { name: string }): ScriptedAgent {
  return scripted(name)
}
