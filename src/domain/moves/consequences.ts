import { textOf } from '../message.ts'
import { isPlanTerminal } from '../plan.ts'
import { planSlot } from '../rollup.ts'
import type { PlanRow, TaskRow } from '../rows.ts'
import { isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { agentMessage } from './agent-message.ts'
import { dependentsOf } from './chain.ts'
import { recountPlan } from './count.ts'
import { giveDeliverables } from './deliver.ts'
import { endPlan, meetOnePlan } from './plan.ts'
import { endPlanned } from './planned.ts'
import { meetOne, moveTask } from './task.ts'

/** In characters, of what the failed task itself said. */
const MAX_REASON_LENGTH = 1_000

/** What follows from the end of a task: its plan's policy, then the tasks that waited for it. (design §3.1, §3.5) */
export function drawTaskConsequences(w: WorkingCopy, taskId: string): void {
  const task = w.task(taskId)
  const plan = task.planId === null ? undefined : w.plan(task.planId)
  const failed = (task.state === 'failed' || task.state === 'rejected') && !task.optional
  if (plan !== undefined && failed && plan.onFailure === 'fail') {
    sayWhy(w, plan, task)
    endPlan(w, plan.id, 'taskFailed')
  }
  const met = isMet(task, plan)
  for (const edge of w.dependents(taskId, met ? 'dependents' : 'cascade')) {
    if (met || edge.reference) meetOne(w, edge.taskId)
    else skipTask(w, edge.taskId)
  }
}

/** If the plan's end ends its planned task, that says which task failed, and why. */
function sayWhy(w: WorkingCopy, plan: PlanRow, task: TaskRow): void {
  const why = task.statusMessage === null ? '' : `: ${textOf(task.statusMessage).slice(0, MAX_REASON_LENGTH)}`
  w.lastWords.set(plan.taskId, agentMessage(w, plan.taskId, `Task "${task.name}" of plan "${plan.name}" failed${why}`))
}

function isMet(task: TaskRow, plan: PlanRow | undefined): boolean {
  if (task.state === 'completed') return true
  if (task.state !== 'failed' && task.state !== 'rejected') return false
  return task.optional || plan?.onFailure === 'ignore'
}

function skipTask(w: WorkingCopy, taskId: string): void {
  const task = w.task(taskId)
  if (isTerminal(task.state)) return
  if (task.kind === 'planned') endPlanned(w, taskId, 'canceled', { skipped: true })
  else moveTask(w, taskId, { state: 'canceled', skipped: true })
}

/** What follows from the end of a plan: its alternative, its siblings, and the plans that waited for it. (design §3.5) */
export function drawPlanConsequences(w: WorkingCopy, planId: string): void {
  const plan = w.plan(planId)
  if (plan.status === 'failed' && callAlternative(w, plan)) return
  if (plan.status !== 'failed') dismissAlternative(w, plan)
  if (plan.status === 'completed') {
    meetDependents(w, plan)
    giveDeliverables(w, plan)
    return
  }
  breakDependents(w, plan)
  if (plan.status === 'failed') failSiblings(w, plan)
  if (plan.status === 'skipped') uncover(w, plan)
}

/** The alternative of a failed plan starts, and stands for it from now on. False: there is none that can. */
function callAlternative(w: WorkingCopy, plan: PlanRow): boolean {
  if (plan.alternativeBy === null) return false
  const alternative = w.plan(plan.alternativeBy)
  if (isPlanTerminal(alternative.status)) return false
  const before = planSlot(plan)
  const failed = w.plans.edit(plan.id)
  failed.covered = true
  recountPlan(w, failed, before)
  meetOnePlan(w, alternative.id)
  return true
}

function dismissAlternative(w: WorkingCopy, plan: PlanRow): void {
  if (plan.alternativeBy !== null) endPlan(w, plan.alternativeBy, 'notNeeded')
}

function meetDependents(w: WorkingCopy, plan: PlanRow): void {
  for (const dependent of dependentsOf(w, plan)) meetOnePlan(w, dependent.id)
}

function breakDependents(w: WorkingCopy, plan: PlanRow): void {
  for (const dependent of dependentsOf(w, plan)) endPlan(w, dependent.id, 'brokenDependency')
}

/** `onPlanFailure: fail` acts once, on unfinished siblings, never on another plan's alternative. (design §3.5) */
function failSiblings(w: WorkingCopy, plan: PlanRow): void {
  const planned = w.plannedTask(plan.taskId)
  if (planned.onPlanFailure !== 'fail' || planned.acted) return
  w.planned.edit(plan.taskId).acted = true
  for (const sibling of w.plansOf(plan.taskId)) {
    if (sibling.id !== plan.id && sibling.alternativeTo === null) endPlan(w, sibling.id, 'siblingFailed')
  }
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
