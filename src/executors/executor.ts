import type { ExecutionEvent } from '../domain/execution.ts'
import type { Message, Metadata } from '../domain/message.ts'
import type { TaskView } from '../domain/task.ts'

export type { ExecutionEvent }

/** Where an executor publishes. After `execute` returned, what is published is dropped. */
export interface EventQueue {
  publish(event: ExecutionEvent): void
  /** Resolves when all that was published so far is committed. */
  flush(): Promise<void>
}

/** `execute` returns this to wait without holding anything in memory; it is called again at `checkAt`, or sooner on a push. */
export interface Parked {
  parked: true
  checkAt: Date
}

/** What is kept of one try at one task, across restarts. */
export interface AttemptRecord {
  /** Stable id; the messageId of what is sent to a remote agent. */
  readonly id: string
  readonly number: number
  readonly lease: number
  /** True when an earlier lease of this attempt was lost with its process: something may already have been sent. */
  readonly takenOver: boolean
  sentAt?: string
  remoteTaskId?: string
  remoteContextId?: string
  maybeDuplicate?: boolean
  /** Last seen remote state or cursor, in the executor's own terms. */
  memo?: Metadata
  /** How many times it has been parked in a row: for growing intervals. */
  parkedTimes: number
}

export type AttemptPatch = Partial<
  Pick<AttemptRecord, 'sentAt' | 'remoteTaskId' | 'remoteContextId' | 'maybeDuplicate' | 'memo'>
>

/** Who asked for the work, as far as executors may know. */
export interface Principal {
  id: string
  tenant: string
}

/** All that one attempt needs to know. (the contract of a2a.server.agent_execution, in TypeScript terms) */
export interface RequestContext {
  readonly taskId: string
  readonly contextId: string
  /**
   * What the agent is told: the task's own text, and the artifacts of what it depends on as parts. When the attempt
   * goes on after an answer, the answer.
   */
  readonly message: Message
  /** The task as it was committed when this call began, with its artifacts and status message. */
  readonly currentTask: TaskView
  /** Dependencies and references, with their artifacts. */
  readonly relatedTasks: readonly TaskView[]
  attachRelatedTask(task: TaskView): void
  readonly configuration: { acceptedOutputModes?: string[]; historyLength?: number }
  readonly metadata: Metadata
  readonly requestedExtensions: ReadonlySet<string>
  readonly callContext: { principal: Principal; requestedExtensions: ReadonlySet<string> }
  readonly tenant: string
  readonly principal: Principal
  /** The text parts of the message, joined. */
  getUserInput(delimiter?: string): string
  /**
   * Fires when the task was canceled, timed out, its lease was lost, or the process stops. `signal.reason` is the
   * AbortReason that says which. What `execute` returns or throws from then on is not used.
   */
  readonly signal: AbortSignal
  readonly attempt: Readonly<AttemptRecord>
  /** The answer that this call of `execute` goes on with, when the attempt was interrupted before. */
  readonly answer?: Message
  /** What clients send to the task while this call runs, as it comes; ends with the signal. */
  messages(): AsyncIterable<Message>
  /**
   * Commits what must be known after a crash, before going on. False: the lease was lost, stop at once. Ids of remote
   * work land even after the signal fired, and after `execute` returned because of it.
   */
  record(patch: AttemptPatch): Promise<boolean>
}

/**
 * Runs one attempt of a task. Never two `execute` for one request at once. Publishes a Task, Message, status or artifact
 * updates and returns at a terminal or interrupted state (or parked); an exception fails the attempt with its message.
 */
export interface AgentExecutor {
  execute(context: RequestContext, events: EventQueue): Promise<void | Parked>
  /** Called after the signal fired because of a cancel, also for an attempt that is parked or interrupted. Idempotent. */
  cancel(context: RequestContext, events: EventQueue): Promise<void>
}

/** Why an attempt's signal fired. */
export type AbortReason = 'canceled' | 'timeout' | 'leaseLost' | 'shutdown'
