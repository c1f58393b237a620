import type { Message } from '../../domain/message.ts'
import type { LoggedEvent } from '../../domain/queries/events.ts'
import { readStatusAt } from '../../domain/queries/state.ts'
import type { Head } from '../../domain/queries/webhooks.ts'
import type { TaskView } from '../../domain/task.ts'
import type { Rendered } from '../../events/webhooks.ts'
import { modernFrame, writeEvent } from '../frames.ts'
import type { TaskFrame } from '../trellis.ts'
import { writeTask } from '../wire-out.ts'
import type { CoreDeps } from './deps.ts'
import { shown, toFrame } from './follow.ts'

type Deps = Pick<CoreDeps, 'sql' | 'readTask' | 'readEvents'>

const NOTHING: Rendered = { kind: 'nothing' }

/**
 * Writes what a receiver is told of an event: at 1.0 the stream's frame, at 0.3 the task; of an objective `{event}`, as its
 * stream has it. (A2A 1.0 §4.3.3, 0.3 §9.5, design §8.4)
 */
export async function renderDelivery(deps: Deps, head: Head): Promise<Rendered> {
  const { contextKey, seq, taskId, wireId, version } = head
  const [event] = await deps.readEvents({ contextKey, after: seq - 1, until: seq })
  if (event === undefined) throw new Error(`Event ${seq} of ${contextKey} is gone`)
  if (taskId === null) return body({ event: writeEvent(shown(event), version) }, version)
  const task = await deps.readTask({
    ...{ tenant: head.tenant, owner: head.owner, id: taskId },
    historyLength: null,
    includeArtifacts: true,
    includeUnseen: true,
  })
  if (task === null || task.unseen === true) return NOTHING
  if (task.unseenFor !== undefined) return { kind: 'later', seconds: task.unseenFor / 1_000 }
  if (version === '0.3') return body(writeTask(await asOf(deps, contextKey, task, event), '0.3'), version)
  const frame = toFrame(event, wireId, {})
  return frame === null ? NOTHING : body(modernFrame({ ...frame, last: false } as TaskFrame), version)
}

function body(value: object, version: Head['version']): Rendered {
  const contentType = version === '1.0' ? 'application/a2a+json' : 'application/json'
  return { kind: 'body', body: JSON.stringify(value), contentType }
}

/**
 * The task with its status as of the event: however late it is told, a receiver is told of each end once. What else the
 * task has is as it is by now.
 */
async function asOf({ sql }: Deps, contextKey: string, task: TaskView, event: LoggedEvent): Promise<TaskView> {
  if (event.type === 'task.status') {
    const { state, message } = event.data
    return withStatus(task, { state, message, time: event.time })
  }
  // At the same time it may have been set by the same change, before the event or after it.
  if (Date.parse(task.statusAt) < Date.parse(event.time)) return task
  const status = await readStatusAt(sql, { contextKey, taskId: task.id, seq: event.seq })
  return withStatus(task, status ?? { state: 'submitted', message: undefined, time: event.time })
}

function withStatus(
  { statusMessage: _, ...task }: TaskView,
  { state, message, time }: { state: TaskView['state']; message: Message | undefined; time: string },
): TaskView {
  return { ...task, state, statusAt: time, ...(message && { statusMessage: message }) }
}
