import { invalidParams, taskNotFound } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import type { Change } from '../../domain/change.ts'
import { continueTask } from '../../domain/commands/answer.ts'
import type { Reference } from '../../domain/commands/create-root.ts'
import type { Target } from '../../domain/group.ts'
import type { Message } from '../../domain/message.ts'
import { type ContextSummary, readContext } from '../../domain/queries/context.ts'
import type { Place } from '../../domain/queries/lookup.ts'
import type { NeedRef } from '../../domain/store/load.ts'
import { findMessageKey, type MessageKeyRow } from '../../domain/store/lock.ts'
import type { PlanRequest } from '../../planner/planner.ts'
import type { Caller, SendRequest } from '../trellis.ts'
import { whichArtifact } from './ambiguity.ts'
import type { CoreDeps } from './deps.ts'
import { candidatesOf, referencesOf } from './follow-up.ts'
import { messageKeyOf, messageText, sameContent } from './message-key.ts'
import { checkReceiver } from './push.ts'
import { asManual } from './routing.ts'
import { decideStart, register, type Sent } from './start.ts'

const OPT_TASK_ID = 'opt/v1/taskId'

/** Takes a message: continues the task it names, or makes of it what the planner decides. (design §2) */
export async function takeMessage(deps: CoreDeps, caller: Caller, request: SendRequest): Promise<Sent> {
  const { message, push } = request
  if (push !== undefined) await checkReceiver(deps, caller, push)
  if (message.taskId !== undefined) return continueWith(deps, caller, request, message.taskId)
  const place = message.contextId === undefined ? null : await findContext(deps, caller, message.contextId)
  if (place === null) return startIn(deps, caller, request, null)
  const summary = await readContext(deps.sql, place.contextKey)
  const asked = questionIn(caller, request, summary)
  if (asked !== undefined) return continueWith(deps, caller, request, asked)
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

async function continueWith(deps: CoreDeps, caller: Caller, request: SendRequest, taskId: string): Promise<Sent> {
  const { message } = request
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
      register(deps, w, taskId, request)
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
  return { messageKey: messageKeyOf(caller, message, became), replay: (row) => replay(row, message) }
}

/** @throws TrellisError invalidParams when it is another message under the same id */
function replay(row: MessageKeyRow, message: Message): Sent {
  sameContent(row, message)
  if (row.answerTask === null) return { kind: 'answer', rowId: row.answerId ?? '' }
  return { kind: 'task', taskId: row.answerTask, contextKey: row.contextKey, planned: false }
}

/** A message that was taken before need not be planned again, where planning costs something. The commit looks again. */
async function becameBefore(
  deps: CoreDeps,
  caller: Caller,
  message: Message,
  contextKey: string,
): Promise<Sent | null> {
  if (!deps.idempotency || !deps.planning.io) return null
  const key = messageKeyOf(caller, message, { contextKey, answerTask: null, answerId: null })
  const row = await findMessageKey(deps.sql, key)
  return row && replay(row, message)
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
  const target = targetOf(caller, message, known)
  const contextKey = target.kind === 'known' ? target.key : target.context.key
  const before = await becameBefore(deps, caller, message, contextKey)
  if (before !== null) return before
  const decision = await deps.planning.inTime({
    rootId: ids.task,
    message: deps.idempotency ? messageText(caller, message) : undefined,
    request: planRequest(deps, request, known),
    signal: request.signal,
  })
  const answers = decision?.kind === 'answer'
  const which = decision?.kind === 'task' ? await questionOf(deps, caller, message, references, known) : undefined
  const start = { request, decision: decision && asManual(deps.agents, decision), references, unplanned, ids, which }
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

/** What a follow-up has to ask before anyone can begin with it. */
async function questionOf(
  deps: CoreDeps,
  caller: Caller,
  message: Message,
  references: Reference[] | undefined,
  known: Known | null,
): Promise<Message | undefined> {
  if (known === null && references === undefined) return undefined
  return whichArtifact(message, await candidatesOf(deps, caller, references, known?.summary ?? null))
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
