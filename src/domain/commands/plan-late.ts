import type { Decision, DraftPlan } from '../draft.ts'
import type { Message } from '../message.ts'
import { agentMessage } from '../moves/agent-message.ts'
import { endPlanned } from '../moves/planned.ts'
import { isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { createPlans } from './create-plans.ts'
import type { TaskDefaults } from './create-root.ts'

/** What came of planning a root after its request was answered. */
export type LatePlan =
  | { decision: Decision; around: (task: Extract<Decision, { kind: 'task' }>['task']) => DraftPlan }
  | { error: string }

/**
 * Gives a waiting root its plans. Lands only if the root has not ended and has no plans: otherwise it was canceled, or
 * another process was quicker, and nothing happens. (design §7)
 */
export function planLate(w: WorkingCopy, rootId: string, plan: LatePlan, defaults: TaskDefaults): boolean {
  if (isTerminal(w.task(rootId).state) || w.plansOf(rootId).length > 0) return false
  if ('error' in plan) {
    endPlanned(w, rootId, 'planner', { message: agentMessage(w, rootId, plan.error) })
    return true
  }
  const { decision } = plan
  if (decision.kind === 'answer') {
    const message: Message = { ...agentMessage(w, rootId, ''), parts: decision.parts }
    endPlanned(w, rootId, 'answered', { message })
    return true
  }
  const plans = decision.kind === 'task' ? [plan.around(decision.task)] : decision.objective.plans
  createPlans(w, rootId, plans, defaults)
  return true
}
