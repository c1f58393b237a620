import { objectiveStatus } from '../rollup.ts'
import { isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { agentMessage } from './agent-message.ts'
import { drawConsequences } from './consequences.ts'
import { recomputePlan } from './plan.ts'
import { endBelow, openPlanned, recomputePlanned } from './planned.ts'
import { showQuestions } from './question.ts'

/**
 * Draws every consequence of the moves made so far, and recomputes the parents they touch, until nothing changes. Ends:
 * terminal rows never move, and every step either ends a row or takes one thing off what another waits for.
 */
export function settle(w: WorkingCopy): void {
  while (step(w)) {
    // until nothing is left to do
  }
  for (const taskId of w.progressed) showProgress(w, taskId)
  w.progressed.clear()
  showQuestions(w)
  recomputeObjective(w)
}

/**
 * Children before parents: a plan is recomputed once per round, when what happened below it has been drawn. What is alike
 * is done together, so that all it reads is loaded in one round.
 */
function step(w: WorkingCopy): boolean {
  const { endings, openings, consequences } = w
  if (endings.length > 0) {
    w.endings = []
    endBelow(w, endings)
    return true
  }
  if (openings.length > 0) {
    w.openings = []
    openPlanned(w, openings)
    return true
  }
  if (consequences.length > 0) {
    w.consequences = []
    drawConsequences(w, consequences)
    return true
  }
  return drain(w.dirtyPlans, (id) => recomputePlan(w, id)) || drain(w.dirtyPlanned, (id) => recomputePlanned(w, id))
}

/** Acts on all that are there now; what is added meanwhile waits for the next step. False: there were none. */
function drain(set: Set<string>, act: (id: string) => void): boolean {
  const ids = [...set]
  set.clear()
  for (const id of ids) act(id)
  return ids.length > 0
}

/** A planned root that goes on says how far it is. (design §8.3) */
function showProgress(w: WorkingCopy, taskId: string): void {
  const current = w.task(taskId)
  if (taskId !== current.rootId || isTerminal(current.state) || current.state !== 'working') return
  const { done, total } = w.plannedTask(taskId)
  const message = agentMessage(w, taskId, `${done} of ${total} done`)
  const task = w.tasks.edit(taskId)
  task.statusMessage = message
  task.statusAt = w.now
  w.emit('task.status', { state: task.state, previous: task.state, message }, { task })
}

function recomputeObjective(w: WorkingCopy): void {
  const current = w.objectives.get(w.context.key)
  if (current === undefined) return
  const status = objectiveStatus(current)
  if (status === current.status) return
  const objective = w.objectives.edit(w.context.key)
  const previous = objective.status
  objective.status = status
  objective.updatedAt = w.now
  w.emit('objective.status', { status, previous })
}
