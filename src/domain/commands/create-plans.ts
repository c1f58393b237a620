import { invalidPlan, invalidState } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import type { DraftPlan, DraftTask } from '../draft.ts'
import { recount, slotOf } from '../moves/count.ts'
import { becomeReady } from '../moves/task.ts'
import type { PlanRow, TaskRow } from '../rows.ts'
import { isTerminal, type TaskKind } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { blankTask, plannedRow, policiesOf, type TaskDefaults } from './create-root.ts'
import { checkWaits, isUnmet, linkAlternative, type PlanNames, planIdOf } from './plan-links.ts'

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
): string[] {
  const task = w.task(plannedId)
  if (isTerminal(task.state)) throw invalidState(`Task ${plannedId}`, task.state, [])
  const siblings = w.plansOf(plannedId)
  const names = namesOf(siblings, drafts)
  const gate = task.unmet === 0 ? 0 : 1
  const plans = drafts.map((draft, i) =>
    insertPlan(w, plannedId, draft, { names, gate, index: siblings.length + i, defaults }),
  )
  for (const draft of drafts) linkAlternative(w, names, draft)
  checkWaits(w, names, siblings)
  for (const [i, draft] of drafts.entries()) insertTasks(w, plans[i] as PlanRow, draft.tasks, defaults)
  w.dirtyPlanned.add(plannedId)
  return plans.map((plan) => plan.id)
}

function namesOf(siblings: readonly PlanRow[], drafts: readonly DraftPlan[]): PlanNames {
  const there = siblings.map((plan) => [plan.id, plan.id] as const)
  return {
    ids: new Map([...there, ...drafts.map((draft) => [draft.key, newId('plan')] as const)]),
    drafts: new Map(drafts.map((draft) => [draft.key, draft])),
  }
}

interface Placing {
  names: PlanNames
  gate: number
  index: number
  defaults: TaskDefaults
}

function insertPlan(w: WorkingCopy, taskId: string, draft: DraftPlan, at: Placing): PlanRow {
  const id = planIdOf(at.names, draft.key, draft.key)
  const named = [...new Set(draft.dependencies)]
  const dependencies = named.map((name) => planIdOf(at.names, draft.key, name))
  for (const dependsOnId of dependencies) w.planDependencies.push({ planId: id, dependsOnId })
  const unmet = named.filter((name) => isUnmet(w, at.names, draft.key, name)).length
  const plan = w.plans.insert(id, planRow(w, { id, taskId, draft, at, unmet: unmet + at.gate }))
  w.emit(
    'plan.created',
    { name: plan.name, status: plan.status, dependencies, taskId, revision: plan.revision },
    { plan },
  )
  return plan
}

function planRow(
  w: WorkingCopy,
  { id, taskId, draft, at, unmet }: { id: string; taskId: string; draft: DraftPlan; at: Placing; unmet: number },
): PlanRow {
  return {
    id,
    contextKey: w.context.key,
    taskId,
    planIndex: at.index,
    draftKey: draft.key,
    name: draft.name,
    description: draft.description ?? null,
    status: 'pending',
    end: null,
    unmet,
    onFailure: draft.onFailure ?? at.defaults.onFailure,
    alternativeTo: null,
    alternativeBy: null,
    covered: false,
    revision: 1,
    metadata: draft.metadata ?? {},
    waiting: 0,
    ready: 0,
    running: 0,
    input: 0,
    auth: 0,
    completed: 0,
    failed: 0,
    ignored: 0,
    canceled: 0,
    skipped: 0,
    started: 0,
    createdAt: w.now,
    updatedAt: w.now,
  }
}

/** Inserts a plan's tasks. The same code adds tasks to a plan that has some already. */
export function insertTasks(
  w: WorkingCopy,
  plan: PlanRow,
  drafts: readonly DraftTask[],
  defaults: TaskDefaults,
): string[] {
  const ids = new Map(drafts.map((draft) => [draft.key, newId('task')] as const))
  drafts.forEach((draft, taskIndex) => {
    const dependencies = draft.dependencies.map((key) => ids.get(key) as string)
    insertTask(w, plan, draft, { id: ids.get(draft.key) as string, taskIndex, dependencies, defaults })
  })
  return [...ids.values()]
}

function insertTask(
  w: WorkingCopy,
  plan: PlanRow,
  draft: DraftTask,
  at: { id: string; taskIndex: number; dependencies: string[]; defaults: TaskDefaults },
): void {
  const entry = at.dependencies.length === 0
  const kind: TaskKind = draft.plans !== undefined ? 'planned' : draft.manual === true ? 'manual' : 'executed'
  const unmet = at.dependencies.length + (entry && plan.unmet > 0 ? 1 : 0)
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

function taskRow(
  w: WorkingCopy,
  plan: PlanRow,
  draft: DraftTask,
  at: { id: string; kind: TaskKind; entry: boolean; unmet: number; defaults: TaskDefaults },
): TaskRow {
  return {
    ...blankTask(w, at.defaults),
    ...policiesOf(draft, at.defaults),
    id: at.id,
    kind: at.kind,
    rootId: w.task(plan.taskId).rootId,
    planId: plan.id,
    name: draft.name,
    description: draft.description ?? null,
    parts: draft.parts ?? null,
    unmet: at.unmet,
    entry: at.entry,
  }
}
