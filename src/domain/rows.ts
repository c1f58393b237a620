import type { EventData, EventType } from './event.ts'
import type { Message, Metadata, Part } from './message.ts'
import type { ObjectiveStatus } from './objective.ts'
import type { OnFailure, OnPlanFailure, PlanStatus } from './plan.ts'
import type { RetryPolicy, TaskKind, TaskState } from './task.ts'

/** Rows as the write path reads and writes them. Names are the columns' in camel case; times are ISO 8601 in UTC. */

export interface ContextRow {
  key: string
  tenant: string
  owner: string
  wireId: string
  seq: number
  running: number
  /** Push configurations in it. */
  push: number
}

export interface ObjectiveRow {
  contextKey: string
  tenant: string
  owner: string
  wireId: string
  name: string
  description: string | null
  status: ObjectiveStatus
  metadata: Metadata
  newestRootId: string
  newestState: TaskState
  rootsWorking: number
  rootsPlanning: number
  rootsInterrupted: number
  rootsSubmitted: number
  total: number
  completed: number
  failed: number
  canceled: number
  skipped: number
  working: number
  blocked: number
  createdAt: string
  updatedAt: string
}

/** Why a plan ended other than by its tasks. (design §3.2) */
export type PlanEnd =
  | 'superseded'
  | 'notNeeded'
  | 'brokenDependency'
  | 'siblingFailed'
  | 'parentEnded'
  | 'taskFailed'
  | 'budget'
  | 'deadline'
  | 'canceled'

/** Where the tasks of a plan are. (design §3.6) */
export interface PlanCounters {
  waiting: number
  ready: number
  running: number
  input: number
  auth: number
  completed: number
  failed: number
  ignored: number
  canceled: number
  skipped: number
}

export interface PlanRow extends PlanCounters {
  id: string
  contextKey: string
  taskId: string
  planIndex: number
  draftKey: string
  name: string
  description: string | null
  status: PlanStatus
  end: PlanEnd | null
  /** Plans not yet met, one more for an alternative not yet needed, one more while its planned task waits. */
  unmet: number
  onFailure: OnFailure
  alternativeTo: string | null
  alternativeBy: string | null
  /** It failed, and its alternative stands for it. */
  covered: boolean
  revision: number
  /** The plan that a replan ended, and that this one stands for. */
  supersedesPlanId: string | null
  metadata: Metadata
  /** Tasks in it that ever started. */
  started: number
  createdAt: string
  updatedAt: string
}

/** Where the plans of a planned task are. (design §3.6) */
export interface PlannedCounters {
  waiting: number
  ready: number
  working: number
  blocked: number
  completed: number
  failed: number
  covered: number
  canceled: number
  skipped: number
}

/** Why a planned task ended other than by its plans. (design §3.3) */
export type PlannedEnd = 'canceled' | 'planner' | 'answered' | 'budget' | 'deadline'

export interface PlannedRow extends PlannedCounters {
  taskId: string
  contextKey: string
  end: PlannedEnd | null
  onPlanFailure: OnPlanFailure
  acted: boolean
  /** Open questions below it. */
  input: number
  auth: number
  started: boolean
  /** The counter of the objective that a planned root is in. */
  countedAs: RootSlot | null
  total: number
  done: number
}

/** Where an unfinished planned root counts in its objective. */
export type RootSlot = 'rootsWorking' | 'rootsPlanning' | 'rootsInterrupted' | 'rootsSubmitted'

/** What the request that made a task asked for, kept so that a takeover has it. */
export interface TaskRequest {
  acceptedOutputModes?: string[]
  historyLength?: number
  extensions?: string[]
  metadata?: Metadata
}

export interface TaskRow {
  id: string
  contextKey: string
  tenant: string
  owner: string
  kind: TaskKind
  rootId: string
  planId: string | null
  state: TaskState
  skipped: boolean
  name: string
  description: string | null
  parts: Part[] | null
  agent: string | null
  skill: string | null
  optional: boolean
  priority: number
  retry: RetryPolicy
  timeoutSeconds: number | null
  unmet: number
  entry: boolean
  attempt: number
  lease: number
  runner: string | null
  claimableAt: string | null
  startedAt: string | null
  statusAt: string
  statusMessage: Message | null
  metadata: Metadata
  request: TaskRequest
  visibleAt: string
  hidden: boolean
  createdAt: string
}

export type AttemptOutcome = 'completed' | 'failed' | 'canceled' | 'rejected' | 'lost'

export interface AttemptRow {
  id: string
  contextKey: string
  taskId: string
  number: number
  agent: string
  reason: string
  startedAt: string
  /** When its timeout began to count: at its start, and anew when a person had answered or authorised it. */
  clockAt: string
  sentAt: string | null
  remoteTaskId: string | null
  remoteContextId: string | null
  maybeDuplicate: boolean
  memo: Metadata | null
  answerId: string | null
  parkedTimes: number
  /** Events of the current lease that are applied: what is sent again after a lost answer is known by it. */
  published: number
  takeovers: number
  outcome: AttemptOutcome | null
  error: string | null
  usage: Metadata | null
  endedAt: string | null
}

export interface PlanTaskRow {
  planId: string
  taskId: string
  taskIndex: number
}

export interface TaskDependencyRow {
  taskId: string
  dependsOnId: string
  reference: boolean
}

export interface PlanDependencyRow {
  planId: string
  dependsOnId: string
}

export interface MessageRow {
  id: string
  contextKey: string
  taskId: string | null
  position: number
  body: Message
}

export interface ArtifactRow {
  key: string
  contextKey: string
  taskId: string
  artifactId: string
  name: string | null
  description: string | null
  metadata: Metadata | null
  extensions: string[] | null
  sourceKey: string | null
  position: number
  partCount: number
}

export interface ArtifactPartRow {
  artifactKey: string
  n: number
  part: Part
}

export interface InputRequestRow {
  id: string
  contextKey: string
  taskId: string
  rootId: string
  kind: 'input' | 'auth'
  message: Message | null
  openedAt: string
  closedAt: string | null
  answeredBy: string | null
}

export interface EventRow {
  contextKey: string
  seq: number
  time: string
  type: EventType
  rootId: string | null
  planId: string | null
  taskId: string | null
  /** Whether it is about the objective, its plans, or a task below it. */
  inTree: boolean
  data: EventData[EventType]
}
