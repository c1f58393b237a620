import type { Planner } from '../../src/planner/planner.ts'
import { singleTask } from '../../src/planner/single-task.ts'

/** As `limits.maxTextLength` is by default; a longer text travels as a part. */
const MAX_TEXT_LENGTH = 20_000

/** Makes one task of every message, so that what a suite sends is neither answered nor split by what it says. */
const oneTask: Planner = {
  name: 'conformance',
  io: false,
  plan: async (request) => ({ kind: 'task', task: singleTask(request, MAX_TEXT_LENGTH) }),
}
export default oneTask
