import type { Metadata } from './message.ts'
import type { TaskState, TreeTaskStatus } from './task.ts'

export const PLAN_STATUSES = ['pending', 'working', 'blocked', 'completed', 'failed', 'canceled', 'skipped'] as const
export type PlanStatus = (typeof PLAN_STATUSES)[number]

export function isPlanTerminal(status: PlanStatus): boolean {
  return status === 'completed' || status === 'failed' || status === 'canceled' || status === 'skipped'
}

/** What a plan does when one of its tasks fails for good. (design §3.5) */
export type OnFailure = 'fail' | 'continue' | 'ignore'
/** What a planned task does when one of its plans fails and has no alternative. (design §3.5) */
export type OnPlanFailure = 'fail' | 'continue'

/** How many tasks are where; the parts add up to `total`. (design §3.6) */
export interface Progress {
  total: number
  completed: number
  failed: number
  canceled: number
  skipped: number
  working: number
  blocked: number
  pending: number
}

/** A task inside the tree of an objective. (design §8.2) */
export interface TreeTask {
  id: string
  planId: string
  objectiveId: string
  name: string
  description?: string
  taskIndex: number
  status: TreeTaskStatus
  state: TaskState
  /** Ids of the tasks of the same plan that must be met first. */
  dependencies: string[]
  agent?: string
  metadata: Metadata
  /** The plan that the task went on in, and counts in, since a replan carried it there: here it is history. (design §3.8) */
  carriedTo?: string
  /** Present where the task was planned in its turn. */
  plans?: PlanView[]
}

export interface PlanView {
  id: string
  objectiveId: string
  /** The planned task that this plan elaborates. */
  taskId: string
  name: string
  description?: string
  status: PlanStatus
  /** Ids of the plans of the same planned task that must be met first. */
  dependencies: string[]
  onFailure: OnFailure
  alternativeTo?: string
  revision: number
  /** The plan that a replan ended, and that this one stands for. */
  supersedesPlanId?: string
  progress: Progress
  metadata: Metadata
  createdAt: string
  updatedAt: string
  /** Absent when the reader did not ask for tasks. */
  tasks?: TreeTask[]
}
