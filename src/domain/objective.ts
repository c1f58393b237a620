import type { Metadata } from './message.ts'
import type { PlanView, Progress } from './plan.ts'

export const OBJECTIVE_STATUSES = [
  'submitted',
  'planning',
  'working',
  'blocked',
  'completed',
  'failed',
  'canceled',
  'rejected',
] as const
export type ObjectiveStatus = (typeof OBJECTIVE_STATUSES)[number]

/** An objective as a reader sees it. `id` is the contextId. */
export interface ObjectiveView {
  id: string
  name: string
  description?: string
  status: ObjectiveStatus
  progress: Progress
  /** The newest planned root task. */
  rootTaskId: string
  metadata: Metadata
  createdAt: string
  updatedAt: string
  /** Absent when the reader did not ask for plans. */
  plans?: PlanView[]
  /** The last event of the context that this view includes. */
  seq: number
}
