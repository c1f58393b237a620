import { invalidPlan, invalidState } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import type { DraftPlan, DraftTask } from '../draft.ts'
import { type CarryTo, carryTask } from '../moves/carry.ts'
import { recount, slotOf } from '../moves/count.ts'
import { becomeReady } from '../moves/task.ts'
import type { PlanRow } from '../rows.ts'
import { isTerminal, type TaskKind } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { plannedRow, type TaskDefaults } from './create-root.ts'
import { type PlanPlace, planRow, taskRow } from './draft-rows.ts'
import { checkWaits, isUnmet, linkAlternative, type PlanNames, planIdOf } from './plan-links.ts'

/** What a replan says of the plans that it makes. */
export interface Revising {
  revision: number
  /** The superseded plans that they stand for, by the drafts' keys. */
  supersedes: ReadonlyMap<string, string>
}

/**
 * Adds plans to a planned task. Drafts are validated by then; names in dependencies may be keys of these drafts, or ids
 * of plans that the task has already. Returns the plans' ids in the drafts' order.
 *
 * @throws TrellisError invalidPlan for plans that could never run, invalidState if the task has ended
 */
export function createPlans(
  w: WorkingCopy,
  plannedId: string,
  drafts: readonly DraftPlan[],
  defaults: TaskDefaults,
  revising?: Revising,
): string[] {
  const task = w.task(plannedId)
  if (isTerminal(task.state)) throw invalidState(`Task ${plannedId}`, task.state, [])
  if (revising === undefined) refuseCarried(drafts)
  const siblings = w.plansOf(plannedId)
  const names = namesOf(siblings, drafts)
  const gate = task.unmet === 0 ? 0 : 1
  const { revision, supersedes } = revising ?? joining(siblings)
  const plans = drafts.map((draft, i) => {
    const supersedesPlanId = supersedes.get(draft.key) ?? null
    const at = { names, gate, index: siblings.length + i, defaults, revision, supersedesPlanId }
    return insertPlan(w, plannedId, draft, at)
  })
  for (const draft of drafts) linkAlternative(w, names, draft)
  checkWaits(w, names, siblings)
  for (const [i, draft] of drafts.entries()) insertTasks(w, plans[i] as PlanRow, draft.tasks, defaults)
  w.dirtyPlanned.add(plannedId)
  return plans.map((plan) => plan.id)
}

/** Whose drafts carry over what, and whether that may be, only a replan has checked. */
function refuseCarried(drafts: readonly DraftPlan[]): void {
  const found = drafts.flatMap(({ tasks }) => tasks).find(({ taskId }) => taskId !== undefined)
  if (found !== undefined)
    throw invalidPlan(found.key, `it names task ${found.taskId}, and only a replan carries tasks over`)
}

/** Plans that are added belong to the revision that is there. */
function joining(siblings: readonly PlanRow[]): Revising {
  return { revision: Math.max(1, revisionOf(siblings)), supersedes: new Map() }
}

/** Which version of a planned task's plans these are: 0 where it has none. (design §3.8) */
export function revisionOf(plans: readonly PlanRow[]): number {
  return plans.reduce((highest, { revision }) => Math.max(highest, revision), 0)
}

function namesOf(siblings: readonly PlanRow[], drafts: readonly DraftPlan[]): PlanNames {
  const there = siblings.map((plan) => [plan.id, plan.id] as const)
  return {
    ids: new Map([...there, ...drafts.map((draft) => [draft.key, newId('plan')] as const)]),
    drafts: new Map(drafts.map((draft) => [draft.key, draft])),
  }
}

interface Placing extends PlanPlace {
  names: PlanNames
  /** One more thing to wait for, while its planned task waits. */
  gate: number
}

function insertPlan(w: WorkingCopy, taskId: string, draft: DraftPlan, at: Placing): PlanRow {
  const id = planIdOf(at.names, draft.key, draft.key)
  const named = [...new Set(draft.dependencies)]
  const dependencies = named.map((name) => planIdOf(at.names, draft.key, name))
  for (const dependsOnId of dependencies) w.planDependencies.push({ planId: id, dependsOnId })
  const unmet = named.filter((name) => isUnmet(w, at.names, draft.key, name)).length
  const plan = w.plans.insert(id, planRow(w, { id, taskId, draft, at, unmet: unmet + at.gate }))
  const { name, status, revision, supersedesPlanId } = plan
  const supersedes = supersedesPlanId === null ? {} : { supersedesPlanId }
  w.emit('plan.created', { name, status, dependencies, taskId, revision, ...supersedes }, { plan })
  return plan
}

/** Inserts a plan's tasks. The same code adds tasks to a plan that has some already. */
export function insertTasks(
  w: WorkingCopy,
  plan: PlanRow,
  drafts: readonly DraftTask[],
  defaults: TaskDefaults,
): string[] {
  const ids = new Map(drafts.map((draft) => [draft.key, draft.taskId ?? newId('task')] as const))
  const carried = new Set(drafts.flatMap(({ taskId }) => taskId ?? []))
  drafts.forEach((draft, taskIndex) => {
    const id = ids.get(draft.key) as string
    const dependencies = draft.dependencies.map((key) => ids.get(key) as string)
    if (carried.has(id)) carry(w, draft, id, { plan, taskIndex, dependencies })
    else insertTask(w, plan, draft, { id, taskIndex, dependencies, carried, defaults })
  })
  return [...ids.values()]
}

/** What it waited for in its new plan, by the draft, has to be done: it has started. */
function carry(w: WorkingCopy, draft: DraftTask, id: string, to: CarryTo): void {
  const index = to.dependencies.findIndex((other) => w.tasks.get(other)?.state !== 'completed')
  if (index >= 0) {
    const why = `task ${id} has started, so it cannot wait for "${draft.dependencies[index]}", which is not completed`
    throw invalidPlan(draft.key, why)
  }
  for (const dependsOnId of to.dependencies) {
    const isKnown = w.dependents(dependsOnId, 'dependents').some((edge) => edge.taskId === id)
    if (!isKnown) w.taskDependencies.push({ taskId: id, dependsOnId, reference: false })
  }
  carryTask(w, id, to)
}

interface TaskPlace {
  id: string
  taskIndex: number
  dependencies: string[]
  /** Those of the plan's tasks that were there before: they did not wait for the plan to open. */
  carried: ReadonlySet<string>
  defaults: TaskDefaults
}

function insertTask(w: WorkingCopy, plan: PlanRow, draft: DraftTask, at: TaskPlace): void {
  const entry = at.dependencies.every((id) => at.carried.has(id))
  const kind: TaskKind = draft.plans !== undefined ? 'planned' : draft.manual === true ? 'manual' : 'executed'
  const waits = at.dependencies.filter((id) => !at.carried.has(id) || w.task(id).state !== 'completed')
  const unmet = waits.length + (entry && plan.unmet > 0 ? 1 : 0)
  const task = w.tasks.insert(at.id, taskRow(w, plan, draft, { id: at.id, kind, entry, unmet, defaults: at.defaults }))
  w.planTasks.push({ planId: plan.id, taskId: task.id, taskIndex: at.taskIndex })
  for (const dependsOnId of at.dependencies) w.taskDependencies.push({ taskId: task.id, dependsOnId, reference: false })
  if (kind === 'planned')
    w.planned.insert(task.id, plannedRow(w, task.id, draft.onPlanFailure ?? at.defaults.onPlanFailure))
  w.emit(
    'task.created',
    {
      name: task.name,
      state: task.state,
      taskIndex: at.taskIndex,
      dependencies: at.dependencies,
      ...(task.agent !== null && { agent: task.agent }),
    },
    { task, plan },
  )
  recount(w, task, null, slotOf(w, task))
  if (draft.plans?.every((inner) => inner.tasks.length === 0)) {
    throw invalidPlan(draft.key, 'none of its plans has tasks, so that nothing would end it')
  }
  if (draft.plans !== undefined) createPlans(w, task.id, draft.plans, at.defaults)
  if (unmet === 0 && kind === 'executed') becomeReady(w, task)
}
