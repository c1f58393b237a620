import type { Message, Metadata } from '../domain/message.ts'
import { textOf } from '../domain/message.ts'
import type { TaskView } from '../domain/task.ts'
import type { AttemptPatch, AttemptRecord, Principal, RequestContext } from './executor.ts'

/** What a request context is built from: the attempt's facts as the runner knows them. */
export interface RequestContextParams {
  principal: Principal
  message: Message
  currentTask: TaskView
  /** Generated when absent. */
  taskId?: string
  /** Generated when absent. */
  contextId?: string
  /** Dependencies, with their artifacts. References are added by the builder if it is told to. */
  relatedTasks?: readonly TaskView[]
  configuration?: RequestContext['configuration']
  metadata?: Metadata
  requestedExtensions?: Iterable<string>
  signal: AbortSignal
  attempt: Readonly<AttemptRecord>
  answer?: Message
  /** None, when absent. */
  messages?: () => AsyncIterable<Message>
  record(patch: AttemptPatch): Promise<boolean>
}

/** Makes the context that an executor is called with. */
export interface RequestContextBuilder {
  build(params: RequestContextParams): Promise<RequestContext>
}

/** Reads tasks that this principal may see; unknown ones are left out. */
export type TaskReader = (ids: readonly string[], principal: Principal) => Promise<TaskView[]>

export interface SimpleRequestContextBuilderOptions {
  /** Whether the tasks named in `message.referenceTaskIds` are read and attached. Needs `readTasks`. */
  shouldPopulateReferredTasks?: boolean
  readTasks?: TaskReader
  taskIdGenerator?: () => string
  contextIdGenerator?: () => string
}

/** Builds contexts, and attaches referred tasks that are not attached already. (a2a.server.agent_execution) */
export class SimpleRequestContextBuilder implements RequestContextBuilder {
  readonly #options: SimpleRequestContextBuilderOptions

  constructor(options: SimpleRequestContextBuilderOptions = {}) {
    this.#options = options
  }

  async build(params: RequestContextParams): Promise<RequestContext> {
    const { taskIdGenerator, contextIdGenerator } = this.#options
    const taskId = params.taskId ?? taskIdGenerator?.() ?? params.currentTask.id
    const contextId = params.contextId ?? contextIdGenerator?.() ?? params.currentTask.contextId
    const context = new AttemptContext({ ...params, taskId, contextId })
    for (const task of await this.#referredTasks(params)) context.attachRelatedTask(task)
    return context
  }

  async #referredTasks(params: RequestContextParams): Promise<TaskView[]> {
    const { shouldPopulateReferredTasks, readTasks } = this.#options
    if (!shouldPopulateReferredTasks || !readTasks) return []
    const known = new Set(params.relatedTasks?.map((task) => task.id))
    const ids = (params.message.referenceTaskIds ?? []).filter((id) => !known.has(id))
    return ids.length === 0 ? [] : readTasks([...new Set(ids)], params.principal)
  }
}

/** The request context of one attempt. (design §6) */
export class AttemptContext implements RequestContext {
  readonly taskId: string
  readonly contextId: string
  readonly message: Message
  readonly currentTask: TaskView
  readonly configuration: RequestContext['configuration']
  readonly metadata: Metadata
  readonly requestedExtensions: ReadonlySet<string>
  readonly principal: Principal
  readonly signal: AbortSignal
  readonly attempt: Readonly<AttemptRecord>
  readonly answer?: Message
  readonly #relatedTasks: TaskView[]
  readonly #record: (patch: AttemptPatch) => Promise<boolean>
  readonly #messages: () => AsyncIterable<Message>

  constructor(params: RequestContextParams & { taskId: string; contextId: string }) {
    this.taskId = params.taskId
    this.contextId = params.contextId
    this.message = params.message
    this.currentTask = params.currentTask
    this.configuration = params.configuration ?? {}
    this.metadata = params.metadata ?? {}
    this.requestedExtensions = new Set(params.requestedExtensions)
    this.principal = params.principal
    this.signal = params.signal
    this.attempt = params.attempt
    if (params.answer) this.answer = params.answer
    this.#relatedTasks = [...(params.relatedTasks ?? [])]
    this.#record = params.record
    this.#messages = params.messages ?? none
  }

  get relatedTasks(): readonly TaskView[] {
    return this.#relatedTasks
  }

  get tenant(): string {
    return this.principal.tenant
  }

  get callContext(): RequestContext['callContext'] {
    return { principal: this.principal, requestedExtensions: this.requestedExtensions }
  }

  /** A task is attached once; attaching it again replaces it. */
  attachRelatedTask(task: TaskView): void {
    const index = this.#relatedTasks.findIndex((known) => known.id === task.id)
    if (index === -1) this.#relatedTasks.push(task)
    else this.#relatedTasks[index] = task
  }

  getUserInput(delimiter = '\n'): string {
    return textOf(this.message, delimiter)
  }

  messages(): AsyncIterable<Message> {
    return this.#messages()
  }

  record(patch: AttemptPatch): Promise<boolean> {
    return this.#record(patch)
  }
}

async function* none(): AsyncGenerator<never, void, undefined> {}
