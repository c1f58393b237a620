import type { Static } from 'typebox'
import { invalidParams, TrellisError } from '../base/errors.ts'
import { storableTime } from '../domain/queries/list-tasks.ts'
import type { Call, Version } from './call.ts'
import { stateNamed } from './enum-numbers.ts'
import { taskFrames } from './frames.ts'
import { type Operation, streaming, unary } from './operation.ts'
import { TASK_PUSH_OPERATIONS } from './operations-push.ts'
import { AnySchema, CancelTaskSchema, FollowTaskSchema, GetTaskSchema, ListTasksSchema, SendSchema } from './params.ts'
import { readSend, tidySend, writeAnswer } from './send.ts'
import type { TaskFilter, Trellis } from './trellis.ts'
import { shown } from './validation.ts'
import { isObject, readState, withoutBlanks } from './wire-in.ts'
import { type Json, writeTask } from './wire-out.ts'

/** A2A's own methods. (A2A 1.0 §5.3) */

const send = unary(
  {
    names: { '1.0': 'SendMessage', '0.3': 'message/send' },
    scope: 'write',
    schema: SendSchema,
    tidy: tidySend,
    rest: { verb: 'POST', path: '/message:send' },
  },
  async (trellis, params, call) =>
    writeAnswer(await trellis.send(call.caller, readSend(params, call, trellis.inputModes)), call),
)

const sendStream = streaming(
  {
    names: { '1.0': 'SendStreamingMessage', '0.3': 'message/stream' },
    scope: 'write',
    schema: SendSchema,
    tidy: tidySend,
    rest: { verb: 'POST', path: '/message:stream' },
  },
  (trellis, params, call) =>
    taskFrames(trellis.sendStream(call.caller, readSend(params, call, trellis.inputModes)), call),
)

const getTask = unary(
  {
    names: { '1.0': 'GetTask', '0.3': 'tasks/get' },
    scope: 'read',
    schema: GetTaskSchema,
    rest: { verb: 'GET', path: '/tasks/{id}' },
  },
  async (trellis, { id, historyLength }, call) =>
    writeTask(await trellis.getTask(call.caller, id, historyLength), call.style),
)

const cancelTask = unary(
  {
    names: { '1.0': 'CancelTask', '0.3': 'tasks/cancel' },
    scope: 'write',
    schema: CancelTaskSchema,
    rest: { verb: 'POST', path: '/tasks/{id}:cancel' },
  },
  async (trellis, { id, metadata }, call) => writeTask(await trellis.cancelTask(call.caller, id, metadata), call.style),
)

const followTask = streaming(
  {
    names: { '1.0': 'SubscribeToTask', '0.3': 'tasks/resubscribe' },
    scope: 'read',
    schema: FollowTaskSchema,
    rest: { verb: ['GET', 'POST'], path: '/tasks/{id}:subscribe' },
  },
  (trellis, params, call) => taskFrames(trellis.followTask(call.caller, params.id, followOptions(params, call)), call),
)

/** Where a follower starts: after the event that the params name, else the one that `Last-Event-ID` does. */
export function followOptions(params: { afterSeq?: number }, call: Call): { afterSeq?: number; signal: AbortSignal } {
  const afterSeq = params.afterSeq ?? call.lastEventId
  return afterSeq === undefined ? { signal: call.signal } : { afterSeq, signal: call.signal }
}

const listTasks = unary(
  {
    names: { '1.0': 'ListTasks' },
    scope: 'read',
    schema: ListTasksSchema,
    tidy: (params) => {
      const tidy = withoutBlanks(params)
      if (isObject(tidy) && 'status' in tidy) tidy['status'] = stateNamed(tidy['status'])
      return tidy
    },
    rest: { verb: 'GET', path: '/tasks' },
  },
  (trellis, params, call) => listedTasks(trellis, params, call, false),
)

/** A page of tasks, newest status first. Without `includeArtifacts` they come without artifacts. (A2A 1.0 §3.1.4) */
export async function listedTasks(
  trellis: Trellis,
  params: Static<typeof ListTasksSchema>,
  call: Call,
  leaveOutPlannedRoots: boolean,
): Promise<Json> {
  const filter = taskFilter(params, leaveOutPlannedRoots)
  const { items, nextPageToken, totalSize } = await trellis.listTasks(call.caller, filter)
  const tasks = items.map((task) => {
    const written = writeTask(task, call.style)
    // A reader that asked for artifacts is told of none by an empty list.
    return filter.includeArtifacts ? { artifacts: [], ...written } : written
  })
  return { tasks, nextPageToken, pageSize: filter.pageSize, totalSize }
}

function taskFilter(params: Static<typeof ListTasksSchema>, leaveOutPlannedRoots: boolean): TaskFilter {
  const { contextId, status, pageToken, statusTimestampAfter } = params
  return {
    historyLength: params.historyLength ?? 0,
    includeArtifacts: params.includeArtifacts ?? false,
    pageSize: params.pageSize ?? 50,
    leaveOutPlannedRoots,
    ...(contextId !== undefined && { contextId }),
    ...(status !== undefined && status !== 'TASK_STATE_UNSPECIFIED' && { state: readState(status) }),
    ...(pageToken !== undefined && { pageToken }),
    ...(statusTimestampAfter !== undefined && { statusTimestampAfter: readTime(statusTimestampAfter) }),
  }
}

/**
 * RFC 3339 allows more times than the database holds: leap seconds, and the year 0. Statuses have whole milliseconds, so
 * what is at or after a part of one is at or after the next.
 */
function readTime(given: string): string {
  const within = /\.\d{3}\d*[1-9]/.test(given)
  const time = storableTime(within ? Date.parse(given) + 1 : given)
  if (time !== null) return time
  const expected = 'expected an ISO 8601 time of the years 1 to 9999 without a leap second'
  throw invalidParams('statusTimestampAfter', `was ${shown(given)}; ${expected}`)
}

/** What a card that is not there is called: 1.0 goes by what the card declares, 0.3 by what is configured. */
function noCard(version: Version): TrellisError {
  const meaning = version === '1.0' ? 'unsupportedOperation' : 'extendedAgentCardNotConfigured'
  return new TrellisError(meaning, 'There is no extended agent card: the card says so, and card.extended is false')
}

/** What the public card says, and the agents. (A2A 1.0 §3.1.11, §3.3.4; 0.3 §7.10) */
const extendedCard = unary(
  {
    names: { '1.0': 'GetExtendedAgentCard', '0.3': 'agent/getAuthenticatedExtendedCard' },
    scope: 'read',
    schema: AnySchema,
    rest: { verb: 'GET', path: '/extendedAgentCard' },
  },
  async (trellis, _params, { version }) => {
    if (trellis.extendedCard === undefined) throw noCard(version)
    return trellis.extendedCard(version)
  },
)

export const CORE_OPERATIONS: readonly Operation[] = [
  ...send,
  ...sendStream,
  ...getTask,
  ...listTasks,
  ...cancelTask,
  ...followTask,
  ...TASK_PUSH_OPERATIONS,
  ...extendedCard,
]
