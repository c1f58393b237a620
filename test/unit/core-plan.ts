import type { DraftPlan, DraftTask } from '../../src/domain/draft.ts'
import { CoreDriver, type RootShape } from './core-moves.ts'

export function task(key: string, dependencies: string[] = [], more: Partial<DraftTask> = {}): DraftTask {
  return { key, name: key, dependencies, ...more }
}

/** Tasks are given whole, or by their keys alone. */
export function plan(key: string, tasks: (DraftTask | string)[], more: Partial<DraftPlan> = {}): DraftPlan {
  const drafts = tasks.map((each) => (typeof each === 'string' ? task(each) : each))
  return { key, name: key, dependencies: [], tasks: drafts, ...more }
}

/** A context with one planned root, `root-1`, that has these plans. */
export function planned(plans: DraftPlan[], shape: RootShape = {}): CoreDriver {
  const driver = new CoreDriver()
  driver.plan(plans, shape)
  return driver
}

/** The error that a move throws, or null. */
export function refusal(move: () => unknown): unknown {
  try {
    move()
    return null
  } catch (error) {
    return error
  }
}

/** A draft, `old-<key>`, that carries over the task that a key became. */
export function carry(driver: CoreDriver, key: string, dependencies: string[] = []): DraftTask {
  return task(`old-${key}`, dependencies, { taskId: driver.task(key).id })
}
