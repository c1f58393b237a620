import type { Decision } from '../../src/domain/draft.ts'
import { textOf } from '../../src/domain/message.ts'
import type { Planner } from '../../src/planner/planner.ts'

type Plan = Planner['plan']

/** What the planner does with the next requests that begin with "slow:"; set by a test. */
export const slow: { plan: Plan; asked: number } = { plan: () => Promise.resolve(null), asked: 0 }

export function oneTask(name: string): Decision {
  return { kind: 'task', task: { name } }
}

const planner: Planner = {
  name: 'slow',
  io: true,
  plan: async (request, signal) => {
    if (!textOf(request.message).startsWith('slow:')) return null
    slow.asked += 1
    return slow.plan(request, signal)
  },
}

export default planner
