/**
 * Rows that a decision turns out to need. Deciding is pure: it throws a Need, the write path loads what is named in one
 * statement for the whole group, and decides again. So a usual change loads a handful of rows, a cascade what it affects.
 */
export type NeedKind =
  /** A task with its open attempt, its plan, its planned ancestors up to the root, and the objective. */
  | 'lineage'
  /** Tasks that wait for a task, directly. */
  | 'dependents'
  /** Tasks that wait for a task, directly or not: what a broken dependency takes along. */
  | 'cascade'
  /** The unfinished tasks of a plan, with their open attempts. */
  | 'unfinishedTasks'
  /** The unfinished tasks of a plan that depend on no task of it. */
  | 'entryTasks'
  /** A plan, by itself. */
  | 'plan'
  /** The plans of a planned task. */
  | 'plansOf'
  /** Plans that wait for a plan. */
  | 'planDependents'
  /** The open questions of a context, and those that were dropped unanswered a moment ago. */
  | 'openInputs'
  /** The artifacts of a task, without their parts. */
  | 'artifacts'
  /** The artifacts of a plan's completed tasks that no other task depends on. */
  | 'deliverables'
  /** The objective of a context, if it has one. */
  | 'objective'
  /** The newest root tasks of a context, and those named. */
  | 'roots'
  /** The push configurations of a context. */
  | 'pushConfigs'

/** One thing needed. `also`: what the decision will need next, as far as it can tell, so that it is loaded along. */
export class Need extends Error {
  readonly kind: NeedKind
  readonly id: string
  readonly also: readonly Needed[]
  constructor(kind: NeedKind, id: string, also: readonly Needed[] = []) {
    super(`need ${kind} of ${id}`)
    this.kind = kind
    this.id = id
    this.also = also
  }
}

export interface Needed {
  kind: NeedKind
  id: string
}

export type NeedKey = `${NeedKind}:${string}`

export function needKey(kind: NeedKind, id: string): NeedKey {
  return `${kind}:${id}`
}
