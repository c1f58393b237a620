import { invalidParams, invalidPlan, invalidState, objectiveNotFound, planNotFound } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import { cancelObjective } from '../../domain/commands/cancel.ts'
import { joinObjective } from '../../domain/commands/create-objective.ts'
import { createPlans } from '../../domain/commands/create-plans.ts'
import { createRoot } from '../../domain/commands/create-root.ts'
import { endManually } from '../../domain/commands/end-objective.ts'
import { newestUnfinishedRoot } from '../../domain/commands/newest-root.ts'
import { isInForce } from '../../domain/commands/replan.ts'
import { type DraftPlan, freeKey } from '../../domain/draft.ts'
import { validateDraft } from '../../domain/graph.ts'
import type { Needed } from '../../domain/need.ts'
import type { ObjectiveView } from '../../domain/objective.ts'
import type { PlanView } from '../../domain/plan.ts'
import { readPlan, readTree } from '../../domain/queries/tree.ts'
import type { WorkingCopy } from '../../domain/working-copy.ts'
import type { Caller, CreatePlan, Trellis } from '../trellis.ts'
import type { CoreDeps } from './deps.ts'
import { manualPlans } from './routing.ts'

const TREE = { includePlans: true, includeTasks: true }

/** Creates an objective, with the root that its plans will elaborate. The id is the contextId. (design §3.4, §8.2) */
export async function createObjective(
  deps: CoreDeps,
  caller: Caller,
  objective: Parameters<Trellis['createObjective']>[1],
): Promise<ObjectiveView> {
  const plans = manualPlans(deps.agents, objective.plans ?? [])
  validateDraft({ ...objective, plans }, deps.limits)
  const { tenant, owner } = caller
  const key = newId('context')
  const wireId = objective.id ?? key
  await deps.changes.apply({
    target: { kind: objective.id === undefined ? 'new' : 'named', context: { key, tenant, owner, wireId } },
    needs: [],
    decide: (w) => {
      if (w.objective() !== undefined) {
        throw invalidParams('id', `was ${JSON.stringify(wireId)}, which is an objective already; must be new`)
      }
      const root = startRoot(deps, w, objective)
      if (plans.length > 0) createPlans(w, root, plans, deps.defaults)
      return () => undefined
    },
  })
  return readObjectiveTree(deps, caller, wireId)
}

/** A planned root that no message made. */
function startRoot(
  deps: CoreDeps,
  w: WorkingCopy,
  objective: { name: string; description?: string; metadata?: Record<string, unknown> },
): string {
  const id = newId('task')
  const root = {
    id,
    kind: 'planned' as const,
    name: objective.name,
    message: null,
    request: {},
    task: {},
    references: [],
    visibleAt: w.now,
  }
  createRoot(w, root, deps.defaults)
  const { name, description, metadata } = objective
  joinObjective(w, id, { name, ...(description && { description }), ...(metadata && { metadata }) })
  return id
}

export async function readObjectiveTree(
  deps: CoreDeps,
  { tenant, owner }: Caller,
  id: string,
  options: { includePlans: boolean; includeTasks: boolean } = TREE,
): Promise<ObjectiveView> {
  const objective = await readTree(deps.sql, { tenant, owner, id }, options)
  if (objective === null) throw objectiveNotFound(id)
  return objective
}

/** Cancels what is unfinished in an objective. One that has ended refuses. */
export async function cancelWhole(deps: CoreDeps, caller: Caller, id: string): Promise<ObjectiveView> {
  await changeObjective(deps, caller, id, (w) => {
    if (!cancelObjective(w)) throw invalidState(`Objective ${id}`, w.objective()?.status ?? 'unknown', [])
  })
  return readObjectiveTree(deps, caller, id)
}

/** Names, describes, or ends an objective. (design §8.2, objectives/update) */
export async function updateObjective(
  deps: CoreDeps,
  caller: Caller,
  id: string,
  change: Parameters<Trellis['updateObjective']>[2],
): Promise<ObjectiveView> {
  const { status, ...said } = change
  validateDraft({ ...said, plans: [] }, deps.limits)
  await changeObjective(deps, caller, id, (w) => {
    if (Object.keys(said).length > 0) describe(w, said)
    if (status !== undefined && status !== w.objective()?.status) endManually(w, id, status)
  })
  return readObjectiveTree(deps, caller, id)
}

function describe(
  w: WorkingCopy,
  said: { name?: string; description?: string; metadata?: Record<string, unknown> },
): void {
  const objective = w.objectives.edit(w.context.key)
  if (said.name !== undefined) objective.name = said.name
  if (said.description !== undefined) objective.description = said.description
  if (said.metadata !== undefined) objective.metadata = { ...objective.metadata, ...said.metadata }
  objective.updatedAt = w.now
  w.emit('objective.updated', said)
}

/** Decides and commits a change to an objective. @throws TrellisError objectiveNotFound, and what `decide` throws */
export async function changeObjective(
  deps: CoreDeps,
  caller: Caller,
  id: string,
  decide: (w: WorkingCopy) => void,
  needs: readonly Needed[] = [],
): Promise<void> {
  const { tenant, owner } = caller
  const place = await deps.lookup({ tenant, owner, kind: 'context', id })
  if (place === null) throw objectiveNotFound(id)
  await deps.changes.apply({
    target: { kind: 'known', key: place.contextKey },
    needs: [{ kind: 'objective', id: place.contextKey }, ...needs],
    decide: (w) => {
      if (w.objective() === undefined) throw objectiveNotFound(id)
      decide(w)
      return () => undefined
    },
  })
}

/** Adds a plan to the newest unfinished planned root of an objective, or to a new one. (design §3.4) */
export async function createPlan(deps: CoreDeps, caller: Caller, plan: CreatePlan): Promise<PlanView> {
  const existing = await readObjectiveTree(deps, caller, plan.objectiveId, { includePlans: true, includeTasks: false })
  const [draft] = manualPlans(deps.agents, [draftOf(plan, existing)]) as [DraftPlan]
  let planId = ''
  validateDraft(
    { plans: [{ ...draft, dependencies: [], ...(draft.alternativeTo && { alternativeTo: undefined }) } as DraftPlan] },
    deps.limits,
  )
  await changeObjective(deps, caller, plan.objectiveId, (w) => {
    const root = newestUnfinishedRoot(w)?.id ?? startRoot(deps, w, { name: existing.name })
    checkRoom(w.plansOf(root).filter(isInForce).length, draft, deps.limits)
    planId = createPlans(w, root, [draft], deps.defaults)[0] ?? ''
  })
  return getPlan(deps, caller, planId)
}

/** Plans that are added one by one count together. */
function checkRoom(plans: number, draft: DraftPlan, { maxPlansPerObjective }: CoreDeps['limits']): void {
  if (plans < maxPlansPerObjective) return
  throw invalidPlan(draft.key, `an objective may have at most ${maxPlansPerObjective} plans (maxPlansPerObjective)`)
}

/** Its dependencies become ids of plans that the objective has. */
function draftOf(plan: CreatePlan, { plans = [] }: ObjectiveView): DraftPlan {
  const { name, description, onFailure, metadata, tasks } = plan
  const key = freeKey('plan', new Set(tasks.map((task) => task.key)))
  const known = planIds(plans)
  const idOf = (given: string) => {
    const id = known.get(given)
    if (id === undefined) throw invalidPlan(key, `it names ${JSON.stringify(given)}, which is no plan of the objective`)
    return id
  }
  return {
    key,
    name,
    tasks,
    dependencies: plan.dependencies.map(idOf),
    ...(description !== undefined && { description }),
    ...(onFailure && { onFailure }),
    ...(plan.alternativeTo !== undefined && { alternativeTo: idOf(plan.alternativeTo) }),
    ...(metadata && { metadata }),
  }
}

/** The ids of plans by id, and by name where that is unique: among those that stand, else among those that were skipped. */
function planIds(plans: readonly PlanView[]): Map<string, string> {
  const skipped = plans.filter(({ status }) => status === 'skipped')
  const standing = plans.filter(({ status }) => status !== 'skipped')
  const byId = plans.map(({ id }) => [id, id] as const)
  return new Map([...idsByName(skipped), ...idsByName(standing), ...byId])
}

function idsByName(plans: readonly PlanView[]): Map<string, string> {
  const ids = new Map<string, string>()
  const twice = new Set<string>()
  for (const { name, id } of plans) {
    if (ids.has(name)) twice.add(name)
    ids.set(name, id)
  }
  for (const name of twice) ids.delete(name)
  return ids
}

export async function getPlan({ sql }: CoreDeps, { tenant, owner }: Caller, id: string): Promise<PlanView> {
  const plan = await readPlan(sql, { tenant, owner, id })
  if (plan === null) throw planNotFound(id)
  return plan
}
