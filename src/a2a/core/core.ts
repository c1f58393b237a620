import { TrellisError, taskNotFound } from '../../base/errors.ts'
import { cancelTask } from '../../domain/commands/cancel.ts'
import { updateTaskStatus } from '../../domain/commands/update-status.ts'
import type { Message, Metadata } from '../../domain/message.ts'
import type { ObjectiveView } from '../../domain/objective.ts'
import { readMessage } from '../../domain/queries/context.ts'
import { listDeliveries } from '../../domain/queries/deliveries.ts'
import { listTasks } from '../../domain/queries/list-tasks.ts'
import { listObjectives } from '../../domain/queries/objectives.ts'
import type { TaskView } from '../../domain/task.ts'
import type { WorkingCopy } from '../../domain/working-copy.ts'
import type { Caller, SendAnswer, SendRequest, TaskFrame, Trellis } from '../trellis.ts'
import type { CoreDeps } from './deps.ts'
import { followObjective, followTask, followUpdates } from './follow.ts'
import * as objectives from './objectives.ts'
import * as push from './push.ts'
import { replanObjective } from './replan.ts'
import { takeMessage } from './send.ts'
import type { Sent } from './start.ts'
import { waitForFirstEvent, waitUntilSettled } from './wait.ts'

/** What every binding calls, over Postgres. */
export function createTrellis(deps: CoreDeps): Trellis {
  return {
    send: (caller, request) => send(deps, caller, request),
    sendStream: (caller, request) => sendStream(deps, caller, request),
    getTask: (caller, id, historyLength) => getTask(deps, caller, id, { historyLength: historyLength ?? null }),
    listTasks: (caller, filter) => listTasks(deps.sql, { ...ownerOf(caller), ...filter }),
    cancelTask: (caller, id, metadata) => cancel(deps, caller, id, metadata),
    followTask: (caller, id, options) => followTask(deps, caller, id, options),
    createObjective: (caller, objective) => objectives.createObjective(deps, caller, objective),
    getObjective: (caller, id, options) => objectives.readObjectiveTree(deps, caller, id, options),
    listObjectives: (caller, filter) => listObjectives(deps.sql, { ...ownerOf(caller), ...filter }),
    updateObjective: (caller, id, change) => objectives.updateObjective(deps, caller, id, change),
    replanObjective: (caller, id, change) => replanObjective(deps, caller, id, change),
    cancelObjective: (caller, id) => objectives.cancelWhole(deps, caller, id),
    followObjective: (caller, id, options) => followObjective(deps, caller, id, options),
    createPlan: (caller, plan) => objectives.createPlan(deps, caller, plan),
    getPlan: (caller, id) => objectives.getPlan(deps, caller, id),
    setPushConfig: (caller, of, request) => push.setConfig(deps, caller, of, request),
    getPushConfig: (caller, of, id) => push.getConfig(deps, caller, of, id),
    listPushConfigs: (caller, of) => push.listConfigs(deps, caller, of),
    deletePushConfig: (caller, of, id) => push.deleteConfig(deps, caller, of, id),
    listDeliveries: async (caller, filter) => {
      push.pushOf(deps)
      return listDeliveries(deps.sql, { ...ownerOf(caller), ...filter })
    },
    retryDelivery: (caller, id) => push.retryDelivery(deps, caller, id),
    updateTaskStatus: (caller, update) => changeTask(deps, caller, update.taskId, (w) => updateTaskStatus(w, update)),
  }
}

function ownerOf({ tenant, owner }: Caller): { tenant: string; owner: string } {
  return { tenant, owner }
}

interface ReadOptions {
  historyLength: number | null
  includeUnseen?: boolean
}

async function getTask(deps: CoreDeps, caller: Caller, id: string, options: ReadOptions): Promise<TaskView> {
  const { historyLength, includeUnseen = false } = options
  const task = await deps.recallTask({ ...ownerOf(caller), id, historyLength, includeArtifacts: true, includeUnseen })
  if (task === null) throw taskNotFound(id)
  return task
}

function cancel(deps: CoreDeps, caller: Caller, id: string, metadata?: Metadata): Promise<TaskView> {
  return changeTask(deps, caller, id, (w) => cancelTask(w, id, metadata))
}

async function changeTask(
  deps: CoreDeps,
  caller: Caller,
  id: string,
  decide: (w: WorkingCopy) => void,
): Promise<TaskView> {
  const place = await deps.lookup({ ...ownerOf(caller), kind: 'task', id })
  if (place === null) throw taskNotFound(id)
  await deps.changes.apply({
    target: { kind: 'known', key: place.contextKey },
    needs: [
      { kind: 'lineage', id },
      { kind: 'dependents', id },
    ],
    decide: (w) => {
      decide(w)
      return () => undefined
    },
  })
  return getTask(deps, caller, id, { historyLength: null })
}

async function send(deps: CoreDeps, caller: Caller, request: SendRequest): Promise<SendAnswer> {
  const sent = await takeMessage(deps, caller, request)
  if (sent.kind !== 'task') return { kind: 'message', message: await messageOf(deps, sent) }
  await waitFor(deps, sent, request)
  const task = await readShown(deps, caller, sent, request)
  const unseen = await unseenAnswer(deps, sent.taskId, task)
  if (unseen !== null) return { kind: 'message', message: unseen }
  return { kind: 'task', task, ...(await treeFor(deps, caller, request, task)) }
}

/** The answer of an executor that published nothing but a Message: the task stays out of sight. */
async function unseenAnswer(deps: CoreDeps, taskId: string, task: TaskView): Promise<Message | null> {
  return task.unseen === true ? readMessage(deps.sql, { answerOf: taskId }) : null
}

async function waitFor(
  deps: CoreDeps,
  sent: Extract<Sent, { kind: 'task' }>,
  { wait, signal }: SendRequest,
): Promise<void> {
  using wake = deps.hub.subscribe(sent.contextKey)
  if (wait) await waitUntilSettled(deps, wake, sent, signal)
  else if (sent.created?.kind === 'executed') await waitForFirstEvent(deps, sent.taskId, signal)
}

/** The task, once it is in sight: until then a lone Message may yet be the answer instead. */
async function readShown(
  deps: CoreDeps,
  caller: Caller,
  { taskId, contextKey }: Extract<Sent, { kind: 'task' }>,
  { configuration, signal }: SendRequest,
): Promise<TaskView> {
  const options = { historyLength: configuration.historyLength ?? null, includeUnseen: true }
  using wake = deps.hub.subscribe(contextKey)
  for (;;) {
    const task = await getTask(deps, caller, taskId, options)
    if (task.unseen === true || task.unseenFor === undefined || signal.aborted) return task
    await wake.next(task.unseenFor, signal)
  }
}

async function messageOf(deps: CoreDeps, sent: Exclude<Sent, { kind: 'task' }>): Promise<Message> {
  if (sent.kind === 'message') return sent.message
  const message = await readMessage(deps.sql, { rowId: sent.rowId })
  if (message === null) throw new TrellisError('internal', 'The answer to this message is gone')
  return message
}

/** The tree, for callers of the extension whose message was planned. */
async function treeFor(
  deps: CoreDeps,
  caller: Caller,
  request: SendRequest,
  task: TaskView,
): Promise<{ objective?: ObjectiveView; firstTask?: TaskView }> {
  if (task.kind !== 'planned' || caller.extensions.length === 0) return {}
  const objective = await objectives.readObjectiveTree(deps, caller, task.contextId)
  const first = objective.plans?.find((plan) => plan.taskId === task.id)?.tasks?.[0]
  if (first === undefined || request.message.taskId !== undefined) return { objective }
  const firstTask = await getTask(deps, caller, first.id, {
    historyLength: request.configuration.historyLength ?? null,
  })
  return { objective, firstTask }
}

/** One message and the end, or the root task as it was created and everything since. (design §8.3) */
async function* sendStream(
  deps: CoreDeps,
  caller: Caller,
  request: SendRequest,
): AsyncGenerator<TaskFrame, void, undefined> {
  const sent = await takeMessage(deps, caller, request)
  if (sent.kind !== 'task') {
    yield { kind: 'message', message: await messageOf(deps, sent) }
    return
  }
  if (sent.created?.kind === 'executed') await waitForFirstEvent(deps, sent.taskId, request.signal)
  const now = await readShown(deps, caller, sent, { ...request, configuration: {} })
  const unseen = await unseenAnswer(deps, sent.taskId, now)
  if (unseen !== null) {
    yield { kind: 'message', message: unseen }
    return
  }
  const task = sent.created ?? now
  const asks = task.state === 'input-required'
  const shown = withHistory(task, request.configuration.historyLength)
  yield { kind: 'task', seq: task.seq, task: shown, last: asks }
  if (asks) return
  const { signal } = request
  const inner = caller.extensions.length > 0
  yield* followUpdates(deps, {
    task: { ...task, seq: now.seq },
    contextKey: sent.contextKey,
    after: task.seq,
    signal,
    untilInput: true,
    inner,
  })
}

/** The task with at most so many of its latest messages; undefined: with all. (A2A 1.0 §3.2.4) */
function withHistory(task: TaskView, length: number | undefined): TaskView {
  if (length === undefined || task.history.length <= length) return task
  return { ...task, history: task.history.slice(task.history.length - length) }
}
