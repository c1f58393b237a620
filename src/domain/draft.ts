import type { Metadata, Part } from './message.ts'
import type { OnFailure, OnPlanFailure } from './plan.ts'
import type { RetryPolicy } from './task.ts'

/** A task as a planner proposes it. `key` is unique in its objective draft; dependencies name keys in the same plan. */
export interface DraftTask {
  key: string
  /** A task that is there already and goes on in this plan, as it is: only a replan may name one. (design §3.8) */
  taskId?: string
  name: string
  /** What the agent is told; the name, when absent. */
  description?: string
  parts?: Part[]
  dependencies: string[]
  agent?: string
  skill?: string
  /** Driven by the client through `tasks/updateStatus` instead of an agent. */
  manual?: boolean
  optional?: boolean
  retry?: Partial<RetryPolicy>
  timeoutSeconds?: number
  priority?: number
  metadata?: Metadata
  /** A task that is planned in its turn. */
  plans?: DraftPlan[]
  onPlanFailure?: OnPlanFailure
}

/** A plan as a planner proposes it. Dependencies and `alternativeTo` name keys of plans of the same planned task. */
export interface DraftPlan {
  key: string
  name: string
  description?: string
  dependencies: string[]
  onFailure?: OnFailure
  alternativeTo?: string
  metadata?: Metadata
  tasks: DraftTask[]
}

/** Plans for one planned task. An objective without plans is a hint: name, description, metadata. */
export interface ObjectiveDraft {
  name?: string
  description?: string
  metadata?: Metadata
  onPlanFailure?: OnPlanFailure
  plans: DraftPlan[]
}

/** What a message becomes. (design §7) */
export type Decision =
  | { kind: 'answer'; parts: Part[]; metadata?: Metadata }
  | { kind: 'task'; task: Omit<DraftTask, 'key' | 'dependencies'> }
  | { kind: 'objective'; objective: ObjectiveDraft }

/** A key that is not taken: the one wished for, or that with a mark behind it. */
export function freeKey(wished: string, taken: ReadonlySet<string | undefined>): string {
  let key = wished
  while (taken.has(key)) key += "'"
  return key
}
