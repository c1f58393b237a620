import { invalidParams, taskNotFound } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import type { Change } from '../../domain/change.ts'
import { continueTask } from '../../domain/commands/answer.ts'
import { joinObjective } from '../../domain/commands/create-objective.ts'
import { createPlans } from '../../domain/commands/create-plans.ts'
import { createRoot, keepMessage, type NewRoot, type Reference } from '../../domain/commands/create-root.ts'
import { UNSEEN_MARGIN_MILLISECONDS } from '../../domain/commands/publish.ts'
import type { Decision, ObjectiveDraft } from '../../domain/draft.ts'
import type { Target } from '../../domain/group.ts'
import { type Message, textOf } from '../../domain/message.ts'
import { type ContextSummary, readContext } from '../../domain/queries/context.ts'
import type { Place } from '../../domain/queries/lookup.ts'
import type { NeedRef } from '../../domain/store/load.ts'
import { isTerminal, type TaskView } from '../../domain/task.ts'
import type { WorkingCopy } from '../../domain/working-copy.ts'
import type { PlanRequest } from '../../planner/planner.ts'
import { nameOf } from '../../planner/single-task.ts'
import { PLAN_QUEUE } from '../../scheduler/plan-job.ts'
import type { Caller, SendRequest } from '../trellis.ts'
import type { CoreDeps } from './deps.ts'
import { referencesOf } from './follow-up.ts'
import { messageKeyOf, sameContent } from './message-key.ts'
import { asManual } from './routing.ts'
import { viewOf } from './view.ts'

/** What a send came to, once it is durable. `created`: the root task as it was at its creation. */
export type Sent =
  | { kind: 'message'; message: Message }
  | { kind: 'answer'; rowId: string }
  | { kind: 'task'; taskId: string; contextKey: string; planned: boolean; created?: TaskView }

const OPT_TASK_ID = 'opt/v1/taskId'

/** Takes a message: continues the task it names, or makes of it what the planner decides. (design §2) */
export async function takeMessage(deps: CoreDeps, caller: Caller, request: SendRequest): Promise<Sent> {
  const { message } = request
  if (message.taskId !== undefined) return continueWith(deps, caller, message, message.taskId)
  const place = message.contextId === undefined ? null : await findContext(deps, caller, message.contextId)
  if (place === null) return startIn(deps, caller, request, null)
  const summary = await readContext(deps.sql, place.contextKey)
  const asked = questionIn(caller, request, summary)
  if (asked !== undefined) return continueWith(deps, caller, message, asked)
  return startIn(deps, caller, request, { ...place, summary })
}

function findContext(deps: CoreDeps, { tenant, owner }: Caller, id: string): Promise<Place | null> {
  return deps.lookup({ tenant, owner, kind: 'context', id })
}

/** The task whose question a message with only a contextId answers. (design §6, Questions) */
function questionIn(caller: Caller, { message, metadata }: SendRequest, summary: ContextSummary): string | undefined {
  const named = message.metadata?.[OPT_TASK_ID] ?? metadata[OPT_TASK_ID]
  if (typeof named === 'string' && summary.questions.includes(named)) return named
  const [only, ...others] = summary.questions
  return caller.extensions.length > 0 && others.length === 0 ? only : undefined
}

async function continueWith(deps: CoreDeps, caller: Caller, message: Message, taskId: string): Promise<Sent> {
  const { tenant, owner } = caller
  const place = await deps.lookup({ tenant, owner, kind: 'task', id: taskId })
  if (place === null) throw taskNotFound(taskId)
  if (message.contextId !== undefined && message.contextId !== place.wireId) {
    throw invalidParams(
      'message.contextId',
      `was ${JSON.stringify(message.contextId)}; the context of task ${taskId} is ${place.wireId}`,
    )
  }
  const { contextKey } = place
  const sent: Sent = { kind: 'task', taskId, contextKey, planned: false }
  return deps.changes.apply<Sent>({
    target: { kind: 'known', key: contextKey },
    needs: [
      { kind: 'lineage', id: taskId },
      { kind: 'openInputs', id: contextKey },
    ],
    ...keyed(deps, caller, message, { contextKey, answerTask: taskId, answerId: null }),
    decide: (w) => {
      continueTask(w, taskId, message)
      return () => ({ ...sent, planned: w.task(taskId).kind === 'planned' })
    },
  })
}

/** The message's key, unless repeated messages are to be taken as new. */
function keyed(
  deps: CoreDeps,
  caller: Caller,
  message: Message,
  became: { contextKey: string; answerTask: string | null; answerId: string | null },
): Pick<Change<Sent>, 'messageKey' | 'replay'> {
  if (!deps.idempotency) return {}
  return {
    messageKey: messageKeyOf(caller, message, became),
    replay: (row) => {
      sameContent(row, message)
      if (row.answerTask === null) return { kind: 'answer', rowId: row.answerId ?? '' }
      return { kind: 'task', taskId: row.answerTask, contextKey: row.contextKey, planned: false }
    },
  }
}

interface Known extends Place {
  summary: ContextSummary
}

/** Plans a message and commits what it becomes, in a new context or one that is known. */
async function startIn(deps: CoreDeps, caller: Caller, request: SendRequest, known: Known | null): Promise<Sent> {
  const { message } = request
  const references = await referencesOf(
    deps,
    caller,
    message,
    known && { wireId: known.wireId, summary: known.summary },
  )
  const unplanned = known?.summary.unplannedRoot ?? null
  const ids = { task: unplanned ?? newId('task'), answer: newId('message') }
  const decision = await deps.planning.inTime(ids.task, planRequest(deps, request, known), request.signal)
  const target = targetOf(caller, message, known)
  const contextKey = target.kind === 'known' ? target.key : target.context.key
  const answers = decision?.kind === 'answer'
  const start = { request, decision: decision && asManual(deps.agents, decision), references, unplanned, ids }
  return deps.changes.apply<Sent>({
    target,
    needs: known === null ? [] : needsOf(contextKey, references, unplanned),
    ...keyed(deps, caller, message, {
      contextKey,
      answerTask: answers ? null : ids.task,
      answerId: answers ? ids.answer : null,
    }),
    decide: (w) => decideStart(deps, w, start),
  })
}

function planRequest(deps: CoreDeps, { message, metadata }: SendRequest, known: Known | null): PlanRequest {
  return {
    message,
    metadata,
    history: known?.summary.history ?? [],
    artifacts: known?.summary.artifacts ?? [],
    planRequired: (known?.summary.unplannedRoot ?? null) !== null,
    server: deps.server,
  }
}

/** A context under the id that the client gave, or under one of ours. */
function targetOf(caller: Caller, message: Message, known: Known | null): Target {
  if (known !== null) return { kind: 'known', key: known.contextKey }
  const { tenant, owner } = caller
  const key = newId('context')
  if (message.contextId === undefined) return { kind: 'new', context: { key, tenant, owner, wireId: key } }
  return { kind: 'named', context: { key, tenant, owner, wireId: message.contextId } }
}

function needsOf(contextKey: string, references: Reference[] | undefined, unplanned: string | null): NeedRef[] {
  const needs: NeedRef[] = [{ kind: 'objective', id: contextKey }]
  for (const { id, elsewhere } of references ?? []) if (!elsewhere) needs.push({ kind: 'lineage', id })
  if (references === undefined) needs.push({ kind: 'roots', id: contextKey })
  if (unplanned !== null) needs.push({ kind: 'lineage', id: unplanned }, { kind: 'plansOf', id: unplanned })
  return needs
}

interface Start {
  request: SendRequest
  /** Null: the planner is still at it, and a job will bring what it decides. */
  decision: Decision | null
  references: Reference[] | undefined
  unplanned: string | null
  ids: { task: string; answer: string }
}

function decideStart(deps: CoreDeps, w: WorkingCopy, start: Start): () => Sent {
  const { decision, ids } = start
  const message: Message = { ...start.request.message, contextId: w.context.wireId }
  if (decision?.kind === 'answer') return answerDirectly(w, message, decision, ids.answer)
  const task = decision?.kind === 'task' ? startTask(deps, w, message, start) : startObjective(deps, w, message, start)
  const contextKey = w.context.key
  return () => ({
    kind: 'task',
    taskId: task.id,
    contextKey,
    planned: task.kind === 'planned',
    created: viewOf(w, w.task(task.id), [{ ...message, taskId: task.id }]),
  })
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
  return createRoot(
    w,
    {
      ...rootOf(w, message, start),
      kind: task.manual === true ? 'manual' : 'executed',
      name: task.name,
      task,
      visibleAt: task.manual === true ? w.now : new Date(Date.parse(w.now) + unseen).toISOString(),
    },
    deps.defaults,
  )
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
