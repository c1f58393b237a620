import { v7 } from 'uuid'

/** What has an id of its own. An objective's id is its contextId. */
export type IdPrefix =
  | 'context'
  | 'plan'
  | 'task'
  | 'attempt'
  | 'message'
  | 'artifact'
  | 'input'
  | 'runner'
  | 'planning'
  | 'push'
  | 'delivery'

/** Makes ids that sort by when they were made, in one process even within a millisecond: `task-0199…`. */
export type NewId = (prefix: IdPrefix) => string

export const newId: NewId = (prefix) => `${prefix}-${v7()}`

/** Ids that count up from 1, for tests: `task-1`, `plan-2`. */
export function countingIds(): NewId {
  let last = 0
  return (prefix) => {
    last += 1
    return `${prefix}-${last}`
  }
}
