import { type Assignment, claimTask, isClaimable } from './commands/run.ts'
import type { Loaded } from './loaded.ts'
import { queueDeliveries } from './moves/outbox.ts'
import { settle } from './moves/settle.ts'
import { show } from './moves/task.ts'
import { Need } from './need.ts'
import type { PushConfigRow } from './push-rows.ts'
import type { AttemptRow, ContextRow, TaskRow } from './rows.ts'
import { type WorkingCopy as Copy, WorkingCopy } from './working-copy.ts'

/** Decides a change purely: writes to the working copy, and returns how to make the answer once all is settled. */
export type Decide<T> = (w: Copy) => () => T

/** Takes ready tasks for the runner of this process, as far as it has room. */
export interface Claimer {
  /** How many tasks of one objective may work at once. */
  readonly maxRunning: number
  /** Reserves room for a task and says who runs it; null: not by this process, not now. `open`: the attempt that goes on. */
  reserve(task: TaskRow, open: AttemptRow | undefined): Assignment | null
  /** Gives room back that a discarded decision had reserved. */
  release(count: number): void
}

export interface Claim {
  task: TaskRow
  attempt: AttemptRow
  /** The context's seq at the claim: what comes later comes while the attempt runs. */
  seq: number
  /** The database's time at the claim. */
  now: string
}

/** What deciding a context came to. */
export type Decided =
  | { kind: 'needs'; need: Need }
  | {
      kind: 'decided'
      copy: Copy
      answers: Map<number, () => unknown>
      failures: Map<number, unknown>
      claims: Claim[]
    }

export interface ContextToDecide {
  context: ContextRow
  created: boolean
  /** In arrival order. */
  decides: readonly Decide<unknown>[]
}

/**
 * Decides all changes of one context on the same rows, in order. A change that throws is left out, and the others are
 * decided again without it. When rows are missing, says which.
 */
export function decideContext(at: ContextToDecide, loaded: Loaded, now: string, claimer: Claimer | null): Decided {
  const failures = new Map<number, unknown>()
  for (;;) {
    const copy = new WorkingCopy(at.context, loaded, now, at.created)
    const outcome = decideOnce(copy, at.decides, failures)
    if (outcome === 'again') continue
    if (outcome instanceof Need) return { kind: 'needs', need: outcome }
    const configs = pushConfigs(copy)
    if (configs instanceof Need) return { kind: 'needs', need: configs }
    const claims = claimReady(copy, claimer)
    if (claims instanceof Need) return { kind: 'needs', need: claims }
    for (const task of copy.tasks.inserted) if (task.runner === null) show(copy, task.id)
    queueDeliveries(copy, configs)
    return { kind: 'decided', copy, answers: outcome, failures, claims }
  }
}

function decideOnce(
  copy: Copy,
  decides: readonly Decide<unknown>[],
  failures: Map<number, unknown>,
): Map<number, () => unknown> | Need | 'again' {
  const answers = new Map<number, () => unknown>()
  for (const [i, decide] of decides.entries()) {
    if (failures.has(i)) continue
    try {
      answers.set(i, decide(copy))
      settle(copy)
    } catch (error) {
      if (error instanceof Need) return error
      failures.set(i, error)
      return 'again'
    }
  }
  return answers
}

function pushConfigs(copy: Copy): PushConfigRow[] | Need {
  if (copy.context.push === 0) return []
  try {
    return copy.allPushConfigs()
  } catch (error) {
    if (error instanceof Need) return error
    throw error
  }
}

/** Claims what became ready, highest priority first, in the transaction that made it ready. (design §6) */
function claimReady(copy: Copy, claimer: Claimer | null): Claim[] | Need {
  if (claimer === null || copy.ready.size === 0) return []
  const claims: Claim[] = []
  let reserved = 0
  try {
    const ready = [...copy.ready].map((id) => copy.task(id)).sort((a, b) => b.priority - a.priority)
    for (const task of ready) {
      if (!isClaimable(copy, task, claimer.maxRunning)) continue
      const assignment = claimer.reserve(task, copy.attempt(task.id))
      if (assignment === null) continue
      reserved += 1
      claims.push({ task, attempt: claimTask(copy, task.id, assignment), seq: copy.context.seq, now: copy.now })
    }
    settle(copy)
  } catch (error) {
    claimer.release(reserved)
    if (error instanceof Need) return error
    throw error
  }
  return claims.map((claim) => ({ ...claim, task: copy.task(claim.task.id) }))
}
