import type { PlanRow } from '../rows.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { recount, slotOf } from './count.ts'

export interface CarryTo {
  plan: PlanRow
  taskIndex: number
  /** Ids of tasks of the plan that it waited for. */
  dependencies: string[]
}

/**
 * Moves a task that has started into another plan of its planned task. It counts there from now on; its older membership
 * is history. It waits for nothing, so it has no part in the plan's opening. (design §3.8)
 */
export function carryTask(w: WorkingCopy, id: string, { plan, taskIndex, dependencies }: CarryTo): void {
  const current = w.task(id)
  const fromPlanId = current.planId as string
  recount(w, current, slotOf(w, current), null)
  w.plans.edit(fromPlanId).started -= 1
  const task = w.tasks.edit(id)
  task.planId = plan.id
  task.entry = false
  w.carried.add(id)
  w.plans.edit(plan.id).started += 1
  recount(w, task, null, slotOf(w, task))
  w.planTasks.push({ planId: plan.id, taskId: id, taskIndex })
  w.emit('task.carried', { fromPlanId, state: task.state, taskIndex, dependencies }, { task, plan })
}
