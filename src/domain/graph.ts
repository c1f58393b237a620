import { invalidPlan } from '../base/errors.ts'
import type { DraftPlan, DraftTask, ObjectiveDraft } from './draft.ts'
import { findCycle, type Node } from './topology.ts'

export { dependentsOf, findCycle, type Node, topologicalOrder } from './topology.ts'

/** Bounds on what a draft may hold. */
export interface DraftLimits {
  maxPlansPerObjective: number
  maxTasksPerPlan: number
  /** How deep tasks may be planned in their turn: 1 is plans with tasks that are not. */
  maxDepth: number
  /** In characters, for each name and description. */
  maxTextLength: number
}

/** What the checks carry down the tree: the keys and plans seen so far count over the whole draft. */
interface Walk {
  limits: DraftLimits
  seen: Set<string>
  plans: number
}

/**
 * Passes a draft that may become plans, and throws `invalidPlan` naming the first plan or task at fault: a key used
 * twice (plans and tasks share one set of keys in an objective draft), a dependency or alternative that is not there, a
 * cycle, or a limit. (design §3.5, §7)
 */
export function validateDraft(draft: ObjectiveDraft, limits: DraftLimits): void {
  checkText('objective', draft, limits)
  checkPlans(draft.plans, { limits, seen: new Set(), plans: 0 }, 1)
}

function checkPlans(plans: readonly DraftPlan[], walk: Walk, depth: number): void {
  countPlans(plans, walk, depth)
  for (const plan of plans) {
    checkKey(plan.key, walk)
    checkText(plan.key, plan, walk.limits)
  }
  checkDependencies(plans, 'plans of the same planned task')
  checkPlanTargets(plans)
  checkAlternatives(plans)
  checkAcyclic(plans)
  for (const plan of plans) checkTasks(plan, walk, depth)
}

function countPlans(plans: readonly DraftPlan[], walk: Walk, depth: number): void {
  const { maxDepth, maxPlansPerObjective } = walk.limits
  const first = plans[0]
  if (!first) return
  if (depth > maxDepth) {
    throw invalidPlan(first.key, `its depth is ${depth}, and plans may be at most ${maxDepth} deep (maxDepth)`)
  }
  walk.plans += plans.length
  if (walk.plans > maxPlansPerObjective) {
    const over = plans[plans.length - (walk.plans - maxPlansPerObjective)] ?? first
    throw invalidPlan(over.key, `an objective may have at most ${maxPlansPerObjective} plans (maxPlansPerObjective)`)
  }
}

function checkTasks(plan: DraftPlan, walk: Walk, depth: number): void {
  const { maxTasksPerPlan } = walk.limits
  if (plan.tasks.length > maxTasksPerPlan) {
    const given = plan.tasks.length
    throw invalidPlan(
      plan.key,
      `it has ${given} tasks, and a plan may have at most ${maxTasksPerPlan} (maxTasksPerPlan)`,
    )
  }
  for (const task of plan.tasks) {
    checkKey(task.key, walk)
    checkText(task.key, task, walk.limits)
  }
  checkDependencies(plan.tasks, 'tasks of the same plan')
  checkAcyclic(plan.tasks)
  for (const task of plan.tasks) checkNested(task, walk, depth)
}

function checkNested(task: DraftTask, walk: Walk, depth: number): void {
  if (task.plans === undefined) return
  if (task.plans.length === 0)
    throw invalidPlan(task.key, 'plans is empty; leave it out for a task that is not planned')
  if (task.manual) throw invalidPlan(task.key, 'it has plans and is manual; a task is either planned or manual')
  checkPlans(task.plans, walk, depth + 1)
}

function checkKey(key: string, walk: Walk): void {
  if (key === '') throw invalidPlan('(empty)', 'a key must have at least one character')
  if (walk.seen.has(key)) throw invalidPlan(key, 'the key is used twice; plans and tasks of an objective share one set')
  walk.seen.add(key)
}

function checkText(key: string, thing: { name?: string; description?: string }, limits: DraftLimits): void {
  for (const field of ['name', 'description'] as const) {
    const length = thing[field]?.length ?? 0
    if (length > limits.maxTextLength) {
      const allowed = `at most ${limits.maxTextLength} are allowed (maxTextLength)`
      throw invalidPlan(key, `its ${field} has ${length} characters, and ${allowed}`)
    }
  }
  if (thing.name?.trim() === '') throw invalidPlan(key, 'its name is empty')
}

function checkDependencies(nodes: readonly Node[], among: string): void {
  const keys = new Set(nodes.map((node) => node.key))
  for (const node of nodes) {
    const met = new Set<string>()
    for (const key of node.dependencies) {
      if (!keys.has(key)) throw invalidPlan(node.key, `it depends on "${key}", which is not among the ${among}`)
      if (met.has(key)) throw invalidPlan(node.key, `it depends on "${key}" twice`)
      met.add(key)
    }
  }
}

/** An empty plan never completes, so what waited for it would wait forever. (design §3.5) */
function checkPlanTargets(plans: readonly DraftPlan[]): void {
  const sizes = new Map(plans.map((plan) => [plan.key, plan.tasks.length]))
  for (const { key, dependencies, alternativeTo } of plans) {
    const empty = dependencies.find((dependency) => sizes.get(dependency) === 0)
    if (empty !== undefined)
      throw invalidPlan(key, `it depends on "${empty}", and a plan without tasks never completes`)
    if (alternativeTo !== undefined && !sizes.has(alternativeTo)) {
      const among = 'which is not among the plans of the same planned task'
      throw invalidPlan(key, `it is an alternative to "${alternativeTo}", ${among}`)
    }
  }
}

function checkAlternatives(plans: readonly DraftPlan[]): void {
  const alternatives = new Map<string, string>()
  for (const { key, alternativeTo } of plans) {
    if (alternativeTo === undefined) continue
    const other = alternatives.get(alternativeTo)
    if (other !== undefined) {
      throw invalidPlan(key, `"${alternativeTo}" already has the alternative "${other}"; a plan has at most one`)
    }
    alternatives.set(alternativeTo, key)
  }
}

/**
 * An alternative runs once the plan it stands in for has failed, so it waits for that plan as much as for its
 * dependencies: a cycle over both kinds of edges would wait forever.
 */
function checkAcyclic(nodes: readonly (Node & { alternativeTo?: string })[]): void {
  const edges = nodes.map(({ key, dependencies, alternativeTo }) => ({
    key,
    dependencies: alternativeTo === undefined ? dependencies : [...dependencies, alternativeTo],
  }))
  const cycle = findCycle(edges)
  const first = cycle?.[0]
  if (cycle === null || first === undefined) return
  throw invalidPlan(first, `it waits for itself: ${[...cycle, first].join(' → ')}`)
}
