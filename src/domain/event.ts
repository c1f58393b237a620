import type { Message, Metadata } from './message.ts'
import type { ObjectiveStatus } from './objective.ts'
import type { PlanStatus } from './plan.ts'
import type { TaskState } from './task.ts'

/**
 * One fact in a context's log. What each type carries in `data`. An artifact's parts are not copied into the log: the
 * event names a range of them, and a reader gets them joined in.
 */
export interface EventData {
  'objective.created': { name: string; status: ObjectiveStatus }
  'objective.status': { status: ObjectiveStatus; previous: ObjectiveStatus }
  'objective.updated': { name?: string; description?: string; metadata?: Metadata }
  /**
   * The plans of a planned task were replaced, as `actor` asked. Lists are of ids: plans are those that no replan has ended,
   * tasks those of the plans that this one ended.
   */
  'objective.replanned': {
    taskId: string
    actor: string
    reason?: string
    running: 'keep' | 'cancel'
    before: { revision: number; plans: string[] }
    after: { revision: number; plans: string[] }
    carried: string[]
    canceled: string[]
    skipped: string[]
  }
  'plan.created': {
    name: string
    status: PlanStatus
    dependencies: string[]
    taskId: string
    revision: number
    supersedesPlanId?: string
  }
  'plan.status': { status: PlanStatus; previous: PlanStatus; reason?: string }
  'task.created': { name: string; state: TaskState; taskIndex?: number; dependencies?: string[]; agent?: string }
  'task.status': {
    state: TaskState
    previous: TaskState
    message?: Message
    skipped?: boolean
    attempt?: number
    agent?: string
    metadata?: Metadata
  }
  /** It goes on in another plan: from now on it counts there. */
  'task.carried': { fromPlanId: string; state: TaskState; taskIndex: number; dependencies: string[] }
  'task.message': { message: Message }
  'task.artifact': {
    artifactId: string
    name?: string
    description?: string
    metadata?: Metadata
    extensions?: string[]
    append: boolean
    lastChunk: boolean
    /** The range of the artifact's parts that this event added, and the row that holds them. */
    artifactKey: string
    from: number
    count: number
  }
  'attempt.started': { attempt: number; lease: number; agent: string; reason: string }
  'attempt.retrying': { attempt: number; error: string; notBefore: string }
  'attempt.noted': { attempt: number; maybeDuplicate?: boolean; remoteTaskId?: string }
  'input.requested': { inputId: string; kind: 'input' | 'auth'; message?: Message }
  'input.answered': { inputId: string; messageId: string }
}
export type EventType = keyof EventData

/** An event as it is stored and streamed. `seq` counts from 1 without gaps within its context. */
export type ContextEvent = {
  [T in EventType]: { seq: number; time: string; type: T; planId?: string; taskId?: string; data: EventData[T] }
}[EventType]
