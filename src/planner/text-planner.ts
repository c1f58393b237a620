import type { DraftLimits } from '../domain/graph.ts'
import { textOf } from '../domain/message.ts'
import { answerTo } from './answers.ts'
import { attachmentsOf, withAttachments } from './attachments.ts'
import { readHints } from './hints.ts'
import type { Planner } from './planner.ts'
import { singleTask } from './single-task.ts'
import { readText } from './text/read.ts'

/**
 * Reads the structure that is in the words; never declines. Simple requests are answered, one clause is one task, more
 * are plans, unless the client would rather have one task. (design §7)
 */
export function createTextPlanner(limits: Pick<DraftLimits, 'maxTextLength'>): Planner {
  return {
    name: 'text',
    io: false,
    plan: async (request) => {
      const answer = answerTo(request)
      if (answer) return answer
      const asOne = readHints(request).preferObjective === false && !request.planRequired
      const objective = asOne ? null : readText(textOf(request.message))
      if (objective) return { kind: 'objective', objective: withAttachments(objective, attachmentsOf(request)) }
      return { kind: 'task', task: singleTask(request, limits.maxTextLength) }
    },
  }
}
