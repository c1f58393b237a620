import { askFirst } from '../../domain/commands/ask-first.ts'
import { joinObjective } from '../../domain/commands/create-objective.ts'
import { createPlans } from '../../domain/commands/create-plans.ts'
import { createRoot, keepMessage, type NewRoot, type Reference } from '../../domain/commands/create-root.ts'
import { UNSEEN_MARGIN_MILLISECONDS } from '../../domain/commands/publish.ts'
import { setPushConfig } from '../../domain/commands/push.ts'
import type { Decision, ObjectiveDraft } from '../../domain/draft.ts'
import { type Message, textOf } from '../../domain/message.ts'
import { viewOfNew } from '../../domain/new-work.ts'
import { isTerminal, type TaskView } from '../../domain/task.ts'
import type { WorkingCopy } from '../../domain/working-copy.ts'
import { nameOf } from '../../planner/single-task.ts'
import { PLAN_QUEUE } from '../../scheduler/plan-job.ts'
import type { SendRequest } from '../trellis.ts'
import type { CoreDeps } from './deps.ts'

/** What a send came to, once it is durable. `created`: the root task as it was at its creation. */
export type Sent =
  | { kind: 'message'; message: Message }
  | { kind: 'answer'; rowId: string }
  | { kind: 'task'; taskId: string; contextKey: string; planned: boolean; created?: TaskView }

/** What a message starts, and from what. */
export interface Start {
  request: SendRequest
  /** Null: the planner is still at it, and a job will bring what it decides. */
  decision: Decision | null
  references: Reference[] | undefined
  unplanned: string | null
  ids: { task: string; answer: string }
  /** What the task asks before it begins. */
  which: Message | undefined
}

/** Decides what a message starts: an answer, a task, or an objective. */
export function decideStart(deps: CoreDeps, w: WorkingCopy, start: Start): () => Sent {
  const { decision, ids } = start
  const message: Message = { ...start.request.message, contextId: w.context.wireId }
  if (decision?.kind === 'answer') return answerDirectly(w, message, decision, ids.answer)
  const task = decision?.kind === 'task' ? startTask(deps, w, message, start) : startObjective(deps, w, message, start)
  register(deps, w, task.id, start.request)
  const contextKey = w.context.key
  return () => ({
    kind: 'task',
    taskId: task.id,
    contextKey,
    planned: task.kind === 'planned',
    created: { ...viewOfNew(w, task.id), history: [{ ...message, taskId: task.id }] },
  })
}

/** Where the sender wants to be told of the task, from this change on. */
export function register({ push }: CoreDeps, w: WorkingCopy, taskId: string, request: SendRequest): void {
  if (request.push !== undefined && push !== null) setPushConfig(w, taskId, request.push.config, push.maxConfigsPerTask)
}

/** Answers are stored in their context, too: both messages, no task. (design §2) */
function answerDirectly(
  w: WorkingCopy,
  message: Message,
  decision: Extract<Decision, { kind: 'answer' }>,
  id: string,
): () => Sent {
  keepMessage(w, message, null)
  const answer: Message = {
    messageId: id,
    role: 'agent',
    parts: decision.parts,
    contextId: w.context.wireId,
    ...(decision.metadata && { metadata: decision.metadata }),
  }
  w.messages.push({ id, contextKey: w.context.key, taskId: null, position: w.context.seq + 1, body: answer })
  return () => ({ kind: 'message', message: answer })
}

function startTask(deps: CoreDeps, w: WorkingCopy, message: Message, start: Start) {
  const { task } = start.decision as Extract<Decision, { kind: 'task' }>
  const unseen = deps.limits.firstEventSeconds * 1_000 + UNSEEN_MARGIN_MILLISECONDS
  const seenAtOnce = task.manual === true || start.which !== undefined
  const root = createRoot(
    w,
    {
      ...rootOf(w, message, start),
      kind: task.manual === true ? 'manual' : 'executed',
      name: task.name,
      task,
      visibleAt: seenAtOnce ? w.now : new Date(Date.parse(w.now) + unseen).toISOString(),
    },
    deps.defaults,
  )
  if (start.which !== undefined) askFirst(w, root.id, start.which)
  return root
}

function startObjective(deps: CoreDeps, w: WorkingCopy, message: Message, start: Start) {
  const objective = start.decision?.kind === 'objective' ? start.decision.objective : null
  const id = plannedRoot(deps, w, message, start, objective)
  if (objective !== null) createPlans(w, id, objective.plans, deps.defaults)
  else w.jobs.push({ queue: PLAN_QUEUE, payload: { taskId: id, contextKey: w.context.key } })
  return w.task(id)
}

/** The root that the plans will elaborate: that of a client's objective without plans, or a new one. */
function plannedRoot(
  deps: CoreDeps,
  w: WorkingCopy,
  message: Message,
  start: Start,
  objective: ObjectiveDraft | null,
): string {
  const { unplanned } = start
  if (unplanned !== null && !isTerminal(w.task(unplanned).state)) {
    keepMessage(w, { ...message, taskId: unplanned }, unplanned)
    return unplanned
  }
  const { onPlanFailure, description, metadata, name = nameOf(textOf(message)) } = objective ?? {}
  const root: NewRoot = {
    ...rootOf(w, message, start),
    kind: 'planned',
    name,
    task: {},
    visibleAt: w.now,
    ...(onPlanFailure && { onPlanFailure }),
  }
  createRoot(w, root, deps.defaults)
  joinObjective(w, root.id, { name, ...(description && { description }), ...(metadata && { metadata }) })
  return root.id
}

/** What every root that a message makes has in common. */
function rootOf(w: WorkingCopy, message: Message, { request, references, ids }: Start) {
  return {
    id: ids.task,
    message: { ...message, taskId: ids.task },
    request: {
      ...(request.configuration.acceptedOutputModes && {
        acceptedOutputModes: request.configuration.acceptedOutputModes,
      }),
      ...(Object.keys(request.metadata).length > 0 && { metadata: request.metadata }),
      ...(message.extensions && { extensions: message.extensions }),
    },
    references: references ?? latestFinished(w),
  }
}

/** Without references, a follow-up builds on the latest finished root. (design §2) */
function latestFinished(w: WorkingCopy): Reference[] {
  if (w.created) return []
  const finished = w.roots().filter((root) => root.state === 'completed')
  const latest = finished.sort((a, b) => Date.parse(b.statusAt) - Date.parse(a.statusAt))[0]
  return latest === undefined ? [] : [{ id: latest.id, elsewhere: false }]
}
