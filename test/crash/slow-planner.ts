import { setTimeout as after } from 'node:timers/promises'
import { textOf } from '../../src/domain/message.ts'
import type { Planner } from '../../src/planner/planner.ts'

/** Takes longer than a request waits for it, and makes a plan of two tasks. */
const slowPlanner: Planner = {
  name: 'slow',
  io: true,
  plan: async ({ message }, signal) => {
    if (!textOf(message).startsWith('Slowly')) return null
    await after(500, undefined, { signal })
    const tasks = [
      { key: 'one', name: 'one', dependencies: [] },
      { key: 'two', name: 'two', dependencies: ['one'] },
    ]
    return { kind: 'objective', objective: { plans: [{ key: 'plan', name: 'plan', dependencies: [], tasks }] } }
  },
}

export default slowPlanner
