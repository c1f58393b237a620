import { objectiveNotFound, TrellisError, taskNotFound } from '../../base/errors.ts'
import type { ContextEvent } from '../../domain/event.ts'
import type { Artifact, Metadata } from '../../domain/message.ts'
import type { LoggedEvent } from '../../domain/queries/events.ts'
import { readTaskIndexes, readTree } from '../../domain/queries/tree.ts'
import { isTerminal, type TaskView } from '../../domain/task.ts'
import { followEvents } from '../../events/follow.ts'
import type { Caller, ObjectiveFrame, TaskFrame } from '../trellis.ts'
import type { CoreDeps } from './deps.ts'

export interface FollowTask {
  task: TaskView
  contextKey: string
  after: number
  signal: AbortSignal
  /** Whether the stream also ends when the task asks for input. */
  untilInput: boolean
  /** Whether updates of the tasks below a planned root are wanted too. */
  inner: boolean
}

/** The updates of a task after a seq, until it is terminal. Frames of inner tasks carry their own ids. (design §8.3) */
export async function* followUpdates(deps: CoreDeps, follow: FollowTask): AsyncGenerator<TaskFrame, void, undefined> {
  const { task, contextKey, after, signal } = follow
  // Of a task that has ended nothing will come any more; its context may go on without end.
  const until = isTerminal(task.state) ? { until: task.seq } : {}
  const inner = follow.inner && task.kind === 'planned'
  const indexes = inner ? await readTaskIndexes(deps.sql, task.id) : new Map<string, number>()
  for await (const event of followEvents(deps, { contextKey, after, signal, ...until })) {
    if ((event.type === 'task.created' || event.type === 'task.carried') && event.taskId !== undefined)
      indexes.set(event.taskId, event.data.taskIndex ?? 0)
    const own = event.taskId === task.id
    if (!own && !(inner && event.rootId === task.id)) continue
    const frame = toFrame(event, task.contextId, own ? {} : innerMetadata(task, event, indexes))
    if (frame === null) continue
    const last = own && endsStream(event, follow.untilInput)
    yield { ...frame, last } as TaskFrame
    if (last) return
  }
}

function endsStream(event: LoggedEvent, untilInput: boolean): boolean {
  if (event.type !== 'task.status') return false
  const { state } = event.data
  return isTerminal(state) || (untilInput && state === 'input-required')
}

type UpdateFrame = Extract<TaskFrame, { kind: 'status' | 'artifact' }>

export function toFrame(event: LoggedEvent, contextId: string, metadata: Metadata): Omit<UpdateFrame, 'last'> | null {
  const common = { seq: event.seq, taskId: event.taskId as string, contextId }
  if (event.type === 'task.status') {
    const { state, message, skipped, metadata: given } = event.data
    return {
      ...common,
      kind: 'status',
      state,
      timestamp: event.time,
      ...(message && { message }),
      metadata: { ...given, ...metadata, ...(skipped === true && { 'opt/v1/skipped': true }) },
    } as Omit<UpdateFrame, 'last'>
  }
  if (event.type !== 'task.artifact') return null
  const { append, lastChunk } = event.data
  return { ...common, kind: 'artifact', artifact: artifactOf(event), append, lastChunk, metadata } as Omit<
    UpdateFrame,
    'last'
  >
}

function artifactOf({ data, parts }: LoggedEvent & { type: 'task.artifact' }): Artifact {
  return {
    artifactId: data.artifactId,
    ...(data.name !== undefined && { name: data.name }),
    ...(data.description !== undefined && { description: data.description }),
    parts: parts ?? [],
    ...(data.extensions && { extensions: data.extensions }),
    ...(data.metadata && { metadata: data.metadata }),
  }
}

function innerMetadata(root: TaskView, event: LoggedEvent, indexes: ReadonlyMap<string, number>): Metadata {
  const taskIndex = event.taskId === undefined ? undefined : indexes.get(event.taskId)
  return {
    'opt/v1/objectiveId': root.contextId,
    ...(event.planId !== undefined && { 'opt/v1/planId': event.planId }),
    ...(taskIndex !== undefined && { 'opt/v1/taskIndex': taskIndex }),
  }
}

/** The task first, then its updates; with `afterSeq`, only what came later. (design §8.3, tasks/resubscribe) */
export async function* followTask(
  deps: CoreDeps,
  caller: Caller,
  id: string,
  options: { afterSeq?: number; signal: AbortSignal },
): AsyncGenerator<TaskFrame, void, undefined> {
  const { tenant, owner } = caller
  const place = await deps.lookup({ tenant, owner, kind: 'task', id })
  const key = { tenant, owner, id, historyLength: null, includeArtifacts: true, includeUnseen: false }
  const task = place && (await deps.readTask(key))
  if (task === null) throw taskNotFound(id)
  if (isTerminal(task.state) && options.afterSeq === undefined) {
    throw new TrellisError(
      'unsupportedOperation',
      `Task ${id} is ${task.state}: there is nothing to subscribe to any more`,
      {
        details: { taskId: id, state: task.state },
      },
    )
  }
  if (options.afterSeq === undefined) yield { kind: 'task', seq: task.seq, task, last: false }
  yield* followUpdates(deps, {
    task,
    contextKey: (place as { contextKey: string }).contextKey,
    after: Math.min(options.afterSeq ?? task.seq, task.seq),
    signal: options.signal,
    untilInput: false,
    inner: caller.extensions.length > 0,
  })
}

/** The tree, then every event of the objective; with `afterSeq`, only what came later. (design §8.3) */
export async function* followObjective(
  deps: CoreDeps,
  caller: Caller,
  id: string,
  options: { afterSeq?: number; signal: AbortSignal },
): AsyncGenerator<ObjectiveFrame, void, undefined> {
  const { tenant, owner } = caller
  const place = await deps.lookup({ tenant, owner, kind: 'context', id })
  const key = { tenant, owner, id }
  const objective = place && (await readTree(deps.sql, key, { includePlans: true, includeTasks: true }))
  if (objective === null || place === null) throw objectiveNotFound(id)
  if (options.afterSeq === undefined) yield { kind: 'snapshot', seq: objective.seq, objective }
  const after = Math.min(options.afterSeq ?? objective.seq, objective.seq)
  for await (const event of followEvents(deps, { contextKey: place.contextKey, after, signal: options.signal })) {
    if (event.inTree) yield { kind: 'event', event: shown(event) }
  }
}

/** An event as the wire shows it: an artifact's parts instead of where they are stored. */
export function shown({ rootId: _, inTree: __, parts, ...event }: LoggedEvent): ContextEvent & { artifact?: Artifact } {
  if (event.type !== 'task.artifact') return event as ContextEvent
  const artifact = artifactOf({ ...event, rootId: null, inTree: true, parts: parts ?? [] } as LoggedEvent & {
    type: 'task.artifact'
  })
  return { ...event, artifact } as ContextEvent & { artifact: Artifact }
}
