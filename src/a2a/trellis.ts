import type { ObjectiveDraft } from '../domain/draft.ts'
import type { ContextEvent } from '../domain/event.ts'
import type { Artifact, Message, Metadata } from '../domain/message.ts'
import type { ObjectiveStatus, ObjectiveView } from '../domain/objective.ts'
import type { PlanStatus, PlanView } from '../domain/plan.ts'
import type { DeliveryState, DeliveryView, PushConfig, PushConfigView } from '../domain/push.ts'
import type { TaskState, TaskView } from '../domain/task.ts'
import type { Version } from './call.ts'
import type { Caller } from './identity.ts'

export type { Caller } from './identity.ts'

export interface SendRequest {
  message: Message
  metadata: Metadata
  configuration: { acceptedOutputModes?: string[]; historyLength?: number }
  /** Where to be told of the task that the message makes or continues. */
  push?: PushRequest
  /** True: the answer waits until the task is terminal or interrupted. Already normalised from the version's own flag. */
  wait: boolean
  /** Fires when the caller went away; the wait ends, the work goes on. */
  signal: AbortSignal
}

/** A push configuration to register. `field`: where its URL stood in the params. */
export interface PushRequest {
  config: PushConfig
  field: string
}

/** What a push configuration is about. */
export interface PushScope {
  kind: 'task' | 'objective'
  id: string
}

export interface DeliveryFilter {
  taskId?: string
  objectiveId?: string
  configId?: string
  state?: DeliveryState
  pageSize: number
  pageToken?: string
}

/** The answer to a send. `objective` and `firstTaskId` are there when the message was planned. */
export type SendAnswer =
  | { kind: 'message'; message: Message }
  | { kind: 'task'; task: TaskView; objective?: ObjectiveView; firstTask?: TaskView }

/** One frame of a task's stream. `last` is true on the stream's last frame only. Frames with a `seq` can be resumed after. */
export type TaskFrame =
  | { kind: 'message'; message: Message }
  | { kind: 'task'; seq: number; task: TaskView; last: boolean }
  | {
      kind: 'status'
      seq: number
      taskId: string
      contextId: string
      state: TaskState
      message?: Message
      timestamp: string
      metadata: Metadata
      last: boolean
    }
  | {
      kind: 'artifact'
      seq: number
      taskId: string
      contextId: string
      artifact: Artifact
      append: boolean
      lastChunk: boolean
      metadata: Metadata
      last: boolean
    }

export type ObjectiveFrame =
  | { kind: 'snapshot'; seq: number; objective: ObjectiveView }
  | { kind: 'event'; event: ContextEvent & { artifact?: Artifact } }

export interface TaskFilter {
  contextId?: string
  state?: TaskState
  /** ISO 8601; tasks whose status is at or after it. */
  statusTimestampAfter?: string
  historyLength: number
  includeArtifacts: boolean
  pageSize: number
  pageToken?: string
  /** OPT activated: planned roots are left out. */
  leaveOutPlannedRoots: boolean
}

export interface Page<T> {
  items: T[]
  /** Empty on the last page. */
  nextPageToken: string
  totalSize: number
}

export interface TreeOptions {
  includePlans: boolean
  includeTasks: boolean
}

/**
 * What every binding calls. Params are validated by then; anything else that is wrong rejects with a TrellisError.
 * Reads of what the caller may not see reject as if it did not exist.
 */
export interface Trellis {
  /** Media types that messages may have; absent: any. */
  inputModes?: readonly string[]
  /** False: methods that stream are refused. */
  readonly streaming?: boolean
  /** The card for callers that are known, as the version's clients read it; absent where there is none. */
  extendedCard?(version: Version): Promise<object>
  send(caller: Caller, request: SendRequest): Promise<SendAnswer>
  /** The stream of a send: one message, or the root task and its updates until it is terminal or input-required. */
  sendStream(caller: Caller, request: SendRequest): AsyncIterable<TaskFrame>
  /** `historyLength` undefined: all. */
  getTask(caller: Caller, id: string, historyLength?: number): Promise<TaskView>
  listTasks(caller: Caller, filter: TaskFilter): Promise<Page<TaskView>>
  cancelTask(caller: Caller, id: string, metadata?: Metadata): Promise<TaskView>
  /** The task first, then updates until it is terminal; with `afterSeq`, only what came later. */
  followTask(caller: Caller, id: string, options: { afterSeq?: number; signal: AbortSignal }): AsyncIterable<TaskFrame>

  createObjective(
    caller: Caller,
    objective: {
      id?: string
      name: string
      description?: string
      metadata?: Metadata
      plans?: ObjectiveDraft['plans']
    },
  ): Promise<ObjectiveView>
  getObjective(caller: Caller, id: string, options: TreeOptions): Promise<ObjectiveView>
  listObjectives(
    caller: Caller,
    filter: { status?: ObjectiveStatus; pageSize: number; pageToken?: string },
  ): Promise<Page<ObjectiveView>>
  updateObjective(
    caller: Caller,
    id: string,
    change: { name?: string; description?: string; metadata?: Metadata; status?: ObjectiveStatus },
  ): Promise<ObjectiveView>
  /** Puts new plans in the place of the unfinished ones of a planned task. (design §3.8) */
  replanObjective(caller: Caller, id: string, change: ReplanRequest): Promise<ObjectiveView>
  cancelObjective(caller: Caller, id: string): Promise<ObjectiveView>
  followObjective(
    caller: Caller,
    id: string,
    options: { afterSeq?: number; signal: AbortSignal },
  ): AsyncIterable<ObjectiveFrame>

  /** Adds one plan to an objective. Tasks without agent or skill are manual unless `run`. */
  createPlan(caller: Caller, plan: CreatePlan): Promise<PlanView>
  getPlan(caller: Caller, id: string): Promise<PlanView>
  updateTaskStatus(
    caller: Caller,
    update: { taskId: string; state: TaskState; message?: Message; artifacts?: Artifact[]; metadata?: Metadata },
  ): Promise<TaskView>

  /** Without an id it gets one; one with the same id is replaced. */
  setPushConfig(caller: Caller, of: PushScope, push: PushRequest): Promise<PushConfigView>
  /** `id` undefined: the first one. */
  getPushConfig(caller: Caller, of: PushScope, id?: string): Promise<PushConfigView>
  listPushConfigs(caller: Caller, of: PushScope): Promise<PushConfigView[]>
  /** One that is not there is as good as deleted. */
  deletePushConfig(caller: Caller, of: PushScope, id: string): Promise<void>
  /** Newest first. */
  listDeliveries(caller: Caller, filter: DeliveryFilter): Promise<Page<DeliveryView>>
  /** One that was parked is pending again. */
  retryDelivery(caller: Caller, id: string): Promise<DeliveryView>
}

export interface ReplanRequest {
  /** Tasks may name ones to carry over. Dependencies of plans are keys of these, or ids of plans that have completed. */
  plans: ObjectiveDraft['plans']
  /** The planned task whose plans they are; absent: the newest unfinished planned root. */
  taskId?: string
  /** What becomes of tasks that have started. */
  running: 'keep' | 'cancel'
  reason?: string
  expectedRevision?: number
}

export interface CreatePlan {
  objectiveId: string
  name: string
  description?: string
  /** Ids or names of plans of the same objective. */
  dependencies: string[]
  onFailure?: PlanView['onFailure']
  alternativeTo?: string
  metadata?: Metadata
  run: boolean
  tasks: ObjectiveDraft['plans'][number]['tasks']
}

export type { PlanStatus }
