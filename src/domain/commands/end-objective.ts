import { invalidState } from '../../base/errors.ts'
import { moveTask } from '../moves/task.ts'
import type { ObjectiveStatus } from '../objective.ts'
import type { TaskRow } from '../rows.ts'
import { isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { cancelObjective } from './cancel.ts'

/**
 * Ends an objective as its client says: canceled always; completed or failed where all that is unfinished is manual,
 * which then ends the same way, and the objective follows. (design §8.2)
 */
export function endManually(w: WorkingCopy, id: string, status: ObjectiveStatus): void {
  const current = w.objective()?.status ?? 'submitted'
  const roots = w.roots().filter((root) => root.kind === 'planned' && !isTerminal(root.state))
  const open = roots.flatMap((root) => unfinishedBelow(w, root.id))
  const legal = legalEnds(roots.length, open)
  if (!legal.includes(status)) throw invalidState(`Objective ${id}`, current, legal)
  if (status === 'canceled') cancelObjective(w)
  else for (const task of open) moveTask(w, task.id, { state: status === 'completed' ? 'completed' : 'failed' })
}

function legalEnds(unfinished: number, open: readonly TaskRow[]): ObjectiveStatus[] {
  if (unfinished === 0) return []
  const manual = open.length > 0 && open.every((task) => task.kind === 'manual')
  return manual ? ['canceled', 'completed', 'failed'] : ['canceled']
}

function unfinishedBelow(w: WorkingCopy, plannedId: string): TaskRow[] {
  return w.plansOf(plannedId).flatMap((plan) =>
    w
      .unfinishedTasks(plan.id)
      .filter((task) => !isTerminal(task.state))
      .flatMap((task) => (task.kind === 'planned' ? unfinishedBelow(w, task.id) : [task])),
  )
}
