import type { Artifact, Message, Metadata } from './message.ts'

/** A2A's task states, in lower case as 0.3 spells them. */
export const TASK_STATES = [
  'submitted',
  'working',
  'input-required',
  'auth-required',
  'completed',
  'failed',
  'canceled',
  'rejected',
] as const
export type TaskState = (typeof TASK_STATES)[number]

export type TerminalState = 'completed' | 'failed' | 'canceled' | 'rejected'
export type InterruptedState = 'input-required' | 'auth-required'

export function isTerminal(state: TaskState): state is TerminalState {
  return state === 'completed' || state === 'failed' || state === 'canceled' || state === 'rejected'
}

export function isInterrupted(state: TaskState): state is InterruptedState {
  return state === 'input-required' || state === 'auth-required'
}

/** How often and how patiently a task is tried. (design §3.5) */
export interface RetryPolicy {
  maxAttempts: number
  backoffSeconds: number
  maxBackoffSeconds: number
}

/** Whether an agent runs the task, its plans do, or a client moves it by `tasks/updateStatus`. */
export type TaskKind = 'executed' | 'planned' | 'manual'

/** A task as a reader sees it. `contextId` is the wire's. Times are ISO 8601 in UTC. */
export interface TaskView {
  id: string
  contextId: string
  state: TaskState
  statusMessage?: Message
  statusAt: string
  /** Oldest first, already cut to the length that was asked for. */
  history: Message[]
  artifacts: Artifact[]
  metadata: Metadata
  kind: TaskKind
  /** It will never run, because what it depends on broke. */
  skipped: boolean
  /** The objective of the task's context, if the task belongs to one. Equals `contextId`. */
  objectiveId?: string
  /** Set for a task in a plan. */
  planId?: string
  taskIndex?: number
  dependencies?: string[]
  /** A lone Message answered its sender, who never saw it: only a reader that asks for it gets such a task. */
  unseen?: true
  /** Milliseconds until it comes into sight by itself; absent: it is in sight. */
  unseenFor?: number
  /** The last event of the context that this view includes; a follower continues after it. */
  seq: number
}

/** `pending`, `skipped`, or the A2A state: how the OPT extension spells a task's state. (design §8.2) */
export type TreeTaskStatus = 'pending' | 'skipped' | Exclude<TaskState, 'submitted'>

export function treeTaskStatus(state: TaskState, skipped: boolean): TreeTaskStatus {
  if (skipped) return 'skipped'
  return state === 'submitted' ? 'pending' : state
}
