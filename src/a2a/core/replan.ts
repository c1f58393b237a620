import { replan } from '../../domain/commands/replan.ts'
import type { DraftPlan } from '../../domain/draft.ts'
import { validateDraft } from '../../domain/graph.ts'
import type { ObjectiveView } from '../../domain/objective.ts'
import type { Caller, ReplanRequest } from '../trellis.ts'
import type { CoreDeps } from './deps.ts'
import { changeObjective, readObjectiveTree } from './objectives.ts'
import { manualPlans } from './routing.ts'

/**
 * Puts new plans in the place of a planned task's unfinished ones. What comes at the same time is decided before or after
 * it, by the context's lock: `expectedRevision` is what makes a repeated request safe. (design §3.8)
 */
export async function replanObjective(
  deps: CoreDeps,
  caller: Caller,
  id: string,
  request: ReplanRequest,
): Promise<ObjectiveView> {
  const plans = manualPlans(deps.agents, request.plans)
  validateDraft({ plans: withoutOthers(plans) }, deps.limits)
  const change = { ...request, plans, actor: caller.owner }
  const { taskId } = request
  const needs =
    taskId === undefined
      ? []
      : ([
          { kind: 'lineage', id: taskId },
          { kind: 'plansOf', id: taskId },
        ] as const)
  await changeObjective(deps, caller, id, (w) => replan(w, id, change, deps), needs)
  return readObjectiveTree(deps, caller, id)
}

/** The drafts without what they depend on beside each other: whether that is there is known under the lock. */
function withoutOthers(plans: readonly DraftPlan[]): DraftPlan[] {
  const keys = new Set(plans.map(({ key }) => key))
  return plans.map((plan) => ({ ...plan, dependencies: plan.dependencies.filter((name) => keys.has(name)) }))
}
