import type { DraftLimits } from '../domain/graph.ts'
import { explicitPlanner } from './explicit.ts'
import { createPlanner, type PlannerChain } from './plan.ts'
import type { Planner } from './planner.ts'
import { createPlaybooksPlanner, type Playbook } from './playbooks.ts'
import { createTextPlanner } from './text-planner.ts'

/** The planners of design §7 in their order; `own` are those that config loads. Only these may do I/O. */
export function createStandardPlanner(
  playbooks: readonly Playbook[],
  limits: DraftLimits,
  own: readonly Planner[] = [],
): PlannerChain {
  const planners = [explicitPlanner, createPlaybooksPlanner(playbooks), ...own, createTextPlanner(limits)]
  return createPlanner(planners, limits)
}
