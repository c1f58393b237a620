import { invalidPlan } from '../../base/errors.ts'
import type { DraftPlan } from '../draft.ts'
import { isPlanTerminal } from '../plan.ts'
import { planSize } from '../rollup.ts'
import type { PlanRow } from '../rows.ts'
import { findCycle, type Node } from '../topology.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** What the names in drafts of plans stand for. */
export interface PlanNames {
  /** Ids of the drafts by key, and of the plans that are there already by id. */
  ids: ReadonlyMap<string, string>
  drafts: ReadonlyMap<string, DraftPlan>
}

/** @throws TrellisError invalidPlan for a name that is no plan of the same task */
export function planIdOf(names: PlanNames, key: string, name: string): string {
  const id = names.ids.get(name)
  if (id === undefined) throw invalidPlan(key, `it names ${name}, which is no plan of the same task`)
  return id
}

/**
 * Whether a new plan has to wait for another. One that is there already may have ended, or its alternative in its place.
 *
 * @throws TrellisError invalidPlan if that can never be met
 */
export function isUnmet(w: WorkingCopy, names: PlanNames, key: string, name: string): boolean {
  if (names.drafts.has(name)) return true
  const plan = standIn(w, w.plan(name))
  if (plan.status === 'completed') return false
  if (plan.end === 'superseded') throw invalidPlan(key, `it depends on plan ${name}, which is superseded`)
  if (isPlanTerminal(plan.status)) throw invalidPlan(key, `it depends on plan ${name}, which is ${plan.status}`)
  if (planSize(plan) === 0) throw invalidPlan(key, `it depends on plan ${name}, which has no tasks and never completes`)
  return true
}

/** The plan itself, or what stands for it since it failed. */
function standIn(w: WorkingCopy, plan: PlanRow): PlanRow {
  if (!plan.covered || plan.alternativeBy === null) return plan
  return standIn(w, w.plan(plan.alternativeBy))
}

/** An alternative waits for one thing more: that the plan it stands for fails. */
export function linkAlternative(w: WorkingCopy, names: PlanNames, draft: DraftPlan): void {
  const name = draft.alternativeTo
  if (name === undefined) return
  const original = w.plans.edit(planIdOf(names, draft.key, name))
  if (original.alternativeBy !== null) throw invalidPlan(draft.key, `plan ${original.id} has an alternative already`)
  if (isPlanTerminal(original.status)) {
    throw invalidPlan(draft.key, `it is the alternative to plan ${original.id}, which is ${original.status}`)
  }
  const size = names.drafts.get(name)?.tasks.length ?? planSize(original)
  if (size === 0)
    throw invalidPlan(draft.key, `it is the alternative to plan ${name}, which has no tasks and never fails`)
  const plan = w.plans.edit(planIdOf(names, draft.key, draft.key))
  original.alternativeBy = plan.id
  plan.alternativeTo = original.id
  plan.unmet += 1
}

/**
 * Refuses plans that would wait for themselves. Whoever depends on a plan also waits for its alternatives, should it fail;
 * and an alternative waits for the plan it stands for.
 */
export function checkWaits(w: WorkingCopy, names: PlanNames, siblings: readonly PlanRow[]): void {
  const drafts = [...names.drafts.values()]
  if (drafts.every((draft) => draft.alternativeTo === undefined)) return
  const joins = drafts.some(({ alternativeTo }) => alternativeTo !== undefined && !names.drafts.has(alternativeTo))
  const ids = [...(joins ? siblings.map(({ id }) => id) : []), ...drafts.map(({ key }) => planIdOf(names, key, key))]
  // As they are now: some have just been given an alternative.
  const plans = ids.map((id) => w.plan(id))
  const cycle = findCycle(waitsOf(w, plans))
  const [first] = cycle ?? []
  if (cycle === null || first === undefined) return
  const label = new Map(drafts.map(({ key }) => [planIdOf(names, key, key), key]))
  const path = [...cycle, first].map((id) => label.get(id) ?? id)
  const at = path.find((name) => names.drafts.has(name)) ?? first
  throw invalidPlan(at, `it waits for itself: ${path.join(' → ')}`)
}

function waitsOf(w: WorkingCopy, plans: readonly PlanRow[]): Node[] {
  w.require(plans.map(({ id }) => ({ kind: 'planDependents', id })))
  const waits = new Map(plans.map(({ id, alternativeTo }) => [id, alternativeTo === null ? [] : [alternativeTo]]))
  for (const plan of plans) {
    const chain = chainFrom(w, plan)
    for (const dependent of w.planDependents(plan.id)) waits.get(dependent.id)?.push(...chain)
  }
  return [...waits].map(([key, dependencies]) => ({ key, dependencies }))
}

/** The plan, its alternative, the alternative to that. */
function chainFrom(w: WorkingCopy, plan: PlanRow): string[] {
  const chain = [plan.id]
  for (let at = plan; at.alternativeBy !== null; ) {
    at = w.plan(at.alternativeBy)
    // Alternatives to one another are a cycle that the check will find.
    if (chain.includes(at.id)) break
    chain.push(at.id)
  }
  return chain
}
