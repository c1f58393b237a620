import type { Claim } from './decide.ts'
import type { Work } from './queries/work.ts'
import type { PlanTaskRow } from './rows.ts'
import type { TaskView } from './task.ts'
import type { WorkingCopy } from './working-copy.ts'

/**
 * What an attempt needs to run, when the change that claimed its task also made its context and nothing is given to it:
 * then all there is to know of it is in this change. Null: it has to be read. The same as what `WorkReader` would read.
 */
export function newWork(w: WorkingCopy, { task, attempt }: Claim): Work | null {
  if (!w.created || attempt.answerId !== null || isGiven(w, task.id)) return null
  const messages = w.messages.filter((message) => message.taskId === task.id).map(({ body }) => body)
  return {
    task: { ...viewOfNew(w, task.id), history: messages },
    name: task.name,
    description: task.description,
    parts: task.parts,
    request: task.request,
    tenant: task.tenant,
    owner: task.owner,
    attempt,
    lease: task.lease,
    firstMessage: task.id === task.rootId ? (messages[0] ?? null) : null,
    answer: null,
    clarifications: [],
    related: [],
    remoteContextId: null,
  }
}

/** Whether the task, or a planned task above it, is given what other tasks made. */
function isGiven(w: WorkingCopy, taskId: string): boolean {
  const plan = w.plans.get(w.task(taskId).planId ?? '')
  return (
    w.taskDependencies.some((edge) => edge.taskId === taskId) ||
    (plan !== undefined && (w.planDependencies.some((edge) => edge.planId === plan.id) || isGiven(w, plan.taskId)))
  )
}

/** A task as this change leaves it: one that the change made, with no artifacts. */
export function viewOfNew(w: WorkingCopy, taskId: string): TaskView {
  const task = w.task(taskId)
  const { wireId, seq } = w.context
  const place = w.planTasks.find((row) => row.taskId === task.id && row.planId === task.planId)
  return {
    id: task.id,
    contextId: wireId,
    state: task.state,
    statusAt: task.statusAt,
    ...(task.statusMessage !== null && { statusMessage: task.statusMessage }),
    history: [],
    artifacts: [],
    metadata: task.metadata,
    kind: task.kind,
    skipped: task.skipped,
    ...((task.planId !== null || task.kind === 'planned') && { objectiveId: wireId }),
    ...(place !== undefined && placeOf(w, place)),
    seq,
  }
}

function placeOf(w: WorkingCopy, { planId, taskId, taskIndex }: PlanTaskRow) {
  const edges = w.taskDependencies.filter((edge) => edge.taskId === taskId && !edge.reference)
  return { planId, taskIndex, dependencies: edges.map((edge) => edge.dependsOnId) }
}
