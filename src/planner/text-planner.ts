import type { DraftLimits } from '../domain/graph.ts'
import { answerTo } from './answers.ts'
import type { Planner } from './planner.ts'
import { singleTask } from './single-task.ts'

/**
 * Reads the structure that is in the words; never declines. Simple requests are answered, one clause is one task.
 * (design §7)
 */
export function createTextPlanner(limits: Pick<DraftLimits, 'maxTextLength'>): Planner {
  return {
    name: 'text',
    io: false,
    plan: async (request) => answerTo(request) ?? { kind: 'task', task: singleTask(request, limits.maxTextLength) },
  }
}
