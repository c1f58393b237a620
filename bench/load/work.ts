import type { Shape } from './calls.ts'

/** What the load generator can be asked to do, over its IPC channel. */
export type LoadKind = 'sendWaiting' | 'sendNotWaiting' | 'get'

export interface LoadOrder {
  order: 'load'
  url: string
  kind: LoadKind
  /** Requests at once. */
  concurrency: number
  count: number
  /** Ends sooner than `count` after so long. */
  seconds: number
}

export interface PlanOrder {
  order: 'plan'
  url: string
  shape: Shape
  size: number
}

export type Order = LoadOrder | PlanOrder

/** What came of it. Times are in milliseconds, but for `seconds`. */
export interface Outcome {
  count: number
  seconds: number
  p50: number
  p99: number
  /** Sends that did not wait: how long after the last answer until the last task was done. */
  drainSeconds?: number
  errors: number
  firstErrors: string[]
}
