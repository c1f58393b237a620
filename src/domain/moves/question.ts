import type { InputRequestRow, TaskRow } from '../rows.ts'
import { isInterrupted } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** The oldest open question below a planned task: what it shows, and what an unbound message to it answers. (design §6) */
export function currentQuestion(w: WorkingCopy, planned: TaskRow): InputRequestRow | undefined {
  const open = w.openInputs().filter((input) => input.rootId === planned.rootId)
  const below = planned.id === planned.rootId ? open : open.filter((input) => isBelow(w, input.taskId, planned.id))
  return below.sort((a, b) => a.openedAt.localeCompare(b.openedAt) || a.id.localeCompare(b.id))[0]
}

function isBelow(w: WorkingCopy, taskId: string, plannedId: string): boolean {
  return ancestorsOf(w, taskId).some((task) => task.id === plannedId)
}

/** The planned tasks that a task is in, the innermost first. */
function ancestorsOf(w: WorkingCopy, taskId: string): TaskRow[] {
  const { planId } = w.task(taskId)
  if (planId === null) return []
  const parent = w.task(w.plan(planId).taskId)
  return [parent, ...ancestorsOf(w, parent.id)]
}

/** Planned tasks that stay interrupted while the questions below them change show the one that is the oldest now. */
export function showQuestions(w: WorkingCopy): void {
  const planned = new Set([...w.asked].flatMap((id) => ancestorsOf(w, id)).map((task) => task.id))
  w.asked.clear()
  for (const id of planned) showQuestion(w, w.task(id))
}

function showQuestion(w: WorkingCopy, current: TaskRow): void {
  if (!isInterrupted(current.state)) return
  const message = currentQuestion(w, current)?.message ?? null
  if (message?.messageId === current.statusMessage?.messageId) return
  const task = w.tasks.edit(current.id)
  task.statusMessage = message
  task.statusAt = w.now
  w.emit('task.status', { state: task.state, previous: task.state, ...(message && { message }) }, { task })
}
