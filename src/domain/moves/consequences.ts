import type { Needed } from '../need.ts'
import { isPlanTerminal } from '../plan.ts'
import { hasUnfinishedPlan, planSize, planSlot } from '../rollup.ts'
import type { PlanRow, TaskRow } from '../rows.ts'
import { isTerminal } from '../task.ts'
import type { Consequence, WorkingCopy } from '../working-copy.ts'
import { dependentsOf } from './chain.ts'
import { recountPlan } from './count.ts'
import { giveDeliverables } from './deliver.ts'
import { endPlans, meetPlans, neededToEnd } from './plan.ts'
import { meetOne, moveTask } from './task.ts'

/** Draws what follows from ends, in order. What they will read is loaded in one round, not in one for each. */
export function drawConsequences(w: WorkingCopy, ends: readonly Consequence[]): void {
  w.require(ends.flatMap(({ kind, id }) => (kind === 'task' ? neededByTask(w, id) : neededByPlan(w, id))))
  for (const { kind, id } of ends) {
    if (kind === 'task') drawTaskConsequences(w, id)
    else drawPlanConsequences(w, id)
  }
}

function neededByTask(w: WorkingCopy, taskId: string): Needed[] {
  const task = w.task(taskId)
  const plan = planOf(w, task)
  if (plan !== undefined && endsPlan(task, plan)) return neededToEnd(w, [plan.id])
  return [{ kind: depthOf(task, plan), id: taskId }]
}

function neededByPlan(w: WorkingCopy, planId: string): Needed[] {
  const plan = w.plan(planId)
  const planned = w.plannedTask(plan.taskId)
  const needed: Needed[] = []
  // The planned task ends next, and looks at its plans then.
  const isLast = planned.end === null && !hasUnfinishedPlan(planned)
  if (isLast || actsOnFailure(w, plan)) {
    needed.push({ kind: 'plansOf', id: plan.taskId }, { kind: 'dependents', id: plan.taskId })
  }
  if (plan.status === 'completed')
    needed.push({ kind: 'deliverables', id: planId }, { kind: 'artifacts', id: plan.taskId })
  if (planned.end !== null || planSize(plan) === 0) return needed
  needed.push({ kind: 'planDependents', id: planId })
  for (const id of [plan.alternativeTo, plan.alternativeBy]) if (id !== null) needed.push({ kind: 'plan', id })
  return needed
}

function planOf(w: WorkingCopy, task: TaskRow): PlanRow | undefined {
  return task.planId === null ? undefined : w.plan(task.planId)
}

/** What follows from the end of a task: its plan's policy, then the tasks that waited for it. (design §3.1, §3.5) */
function drawTaskConsequences(w: WorkingCopy, taskId: string): void {
  const task = w.task(taskId)
  const plan = planOf(w, task)
  if (plan !== undefined && endsPlan(task, plan)) endPlans(w, [plan.id], 'taskFailed')
  const met = isMet(task, plan)
  const edges = w.dependents(taskId, depthOf(task, plan))
  w.require(edges.filter((edge) => w.tasks.get(edge.taskId) === undefined).map((edge) => lineageOf(edge.taskId)))
  for (const edge of edges) {
    if (met || edge.reference) meetOne(w, edge.taskId)
    else skipTask(w, edge.taskId)
  }
}

/** Nothing but references waits for a root: its end takes nothing along. */
function depthOf(task: TaskRow, plan: PlanRow | undefined): 'dependents' | 'cascade' {
  return plan === undefined || isMet(task, plan) ? 'dependents' : 'cascade'
}

function lineageOf(id: string): Needed {
  return { kind: 'lineage', id }
}

function hasFailed(task: TaskRow): boolean {
  return task.state === 'failed' || task.state === 'rejected'
}

function endsPlan(task: TaskRow, plan: PlanRow): boolean {
  return hasFailed(task) && !task.optional && plan.onFailure === 'fail'
}

function isMet(task: TaskRow, plan: PlanRow | undefined): boolean {
  if (task.state === 'completed') return true
  return hasFailed(task) && (task.optional || plan?.onFailure === 'ignore')
}

function skipTask(w: WorkingCopy, taskId: string): void {
  const task = w.task(taskId)
  if (isTerminal(task.state)) return
  if (task.kind === 'planned') w.endings.push({ taskId, canceled: false })
  else moveTask(w, taskId, { state: 'canceled', skipped: true })
}

/** What follows from the end of a plan: its alternative, its siblings, and the plans that waited for it. (design §3.5) */
function drawPlanConsequences(w: WorkingCopy, planId: string): void {
  const plan = w.plan(planId)
  // Where the planned task was ended, its plans ended with it; and nothing waits for a plan without tasks.
  const isAlone = w.plannedTask(plan.taskId).end !== null || planSize(plan) === 0
  if (!isAlone) drawOnSiblings(w, plan)
  // What took the place of a superseded plan covers what it covered.
  if (plan.status === 'skipped' && plan.end !== 'superseded') uncover(w, plan)
  if (plan.status === 'completed') giveDeliverables(w, plan)
}

function drawOnSiblings(w: WorkingCopy, plan: PlanRow): void {
  if (plan.status === 'failed' && callAlternative(w, plan)) return
  if (plan.alternativeBy !== null) endPlans(w, [plan.alternativeBy], 'notNeeded')
  const dependents = dependentsOf(w, plan).map((dependent) => dependent.id)
  if (plan.status === 'completed') {
    meetPlans(w, dependents)
    return
  }
  endPlans(w, dependents, 'brokenDependency')
  if (plan.status === 'failed') failSiblings(w, plan)
}

/** The alternative of a failed plan starts, and stands for it from now on. False: there is none that can. */
function callAlternative(w: WorkingCopy, plan: PlanRow): boolean {
  if (plan.alternativeBy === null || !canStandIn(w.plan(plan.alternativeBy))) return false
  const before = planSlot(plan)
  const failed = w.plans.edit(plan.id)
  failed.covered = true
  recountPlan(w, failed, before)
  meetPlans(w, [plan.alternativeBy])
  return true
}

/** One that was ended before it was needed, or has nothing to do, never completes. */
function canStandIn(alternative: PlanRow): boolean {
  return !isPlanTerminal(alternative.status) && alternative.end === null && planSize(alternative) > 0
}

/** Whether the failure of this plan ends its siblings: that happens once. */
function actsOnFailure(w: WorkingCopy, plan: PlanRow): boolean {
  const planned = w.plannedTask(plan.taskId)
  return plan.status === 'failed' && plan.alternativeBy === null && planned.onPlanFailure === 'fail' && !planned.acted
}

/** `onPlanFailure: fail` acts once, on unfinished siblings, never on another plan's alternative. (design §3.5) */
function failSiblings(w: WorkingCopy, plan: PlanRow): void {
  const planned = w.plannedTask(plan.taskId)
  if (planned.onPlanFailure !== 'fail' || planned.acted || planned.end !== null) return
  w.editPlanned(plan.taskId).acted = true
  const siblings = w.plansOf(plan.taskId).filter(({ id, alternativeTo }) => id !== plan.id && alternativeTo === null)
  endPlans(
    w,
    siblings.map((sibling) => sibling.id),
    'siblingFailed',
  )
}

/** An alternative that will not run covers nothing: the failure it stood for counts again. */
function uncover(w: WorkingCopy, alternative: PlanRow): void {
  const failed = alternative.alternativeTo === null ? undefined : w.plan(alternative.alternativeTo)
  if (failed === undefined || !failed.covered) return
  const before = planSlot(failed)
  const plan = w.plans.edit(failed.id)
  plan.covered = false
  recountPlan(w, plan, before)
  failSiblings(w, plan)
}
