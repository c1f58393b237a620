import type { DraftLimits } from '../domain/graph.ts'
import { explicitPlanner } from './explicit.ts'
import { createPlanner, type PlannerChain } from './plan.ts'
import { createPlaybooksPlanner, type Playbook } from './playbooks.ts'
import { createTextPlanner } from './text-planner.ts'

/** The planners of design §7 in their order. None of them does I/O. */
export function createStandardPlanner(playbooks: readonly Playbook[], limits: DraftLimits): PlannerChain {
  return createPlanner([explicitPlanner, createPlaybooksPlanner(playbooks), createTextPlanner(limits)], limits)
}
