import type { Call } from './call.ts'
import type { Frame } from './operation.ts'
import type { ObjectiveFrame, TaskFrame } from './trellis.ts'
import { type Json, writeArtifact, writeMessage, writeObjective, writeStatus, writeTask } from './wire-out.ts'

/** A task's stream as the caller's version writes it. (A2A 1.0 §3.1.2, 0.3 §7.2, design §8.3) */
export async function* taskFrames(source: AsyncIterable<TaskFrame>, call: Call): AsyncGenerator<Frame> {
  for await (const frame of source) {
    const result = call.style === '1.0' ? modernFrame(frame) : legacyFrame(frame, call)
    yield frame.kind === 'message' ? { result } : { seq: frame.seq, result }
  }
}

export function modernFrame(frame: TaskFrame): Json {
  switch (frame.kind) {
    case 'message':
      return { message: writeMessage(frame.message, '1.0') }
    case 'task':
      return { task: writeTask(frame.task, '1.0') }
    case 'status':
      return { statusUpdate: withMetadata(statusUpdate(frame, '1.0'), frame.metadata) }
    case 'artifact':
      return { artifactUpdate: withMetadata(artifactUpdate(frame, '1.0'), frame.metadata) }
  }
}

/** `final` says that the stream ends, not that a task did: a planned root's stream carries the ends of others. */
function legacyFrame(frame: TaskFrame, { style }: Call): Json {
  switch (frame.kind) {
    case 'message':
      return writeMessage(frame.message, style)
    case 'task':
      return writeTask(frame.task, style)
    case 'status': {
      const update = { ...kind('status-update', style), ...statusUpdate(frame, style), final: frame.last }
      return withMetadata(update, frame.metadata)
    }
    case 'artifact':
      return withMetadata({ ...kind('artifact-update', style), ...artifactUpdate(frame, style) }, frame.metadata)
  }
}

const kind = (name: string, style: Call['style']): Json => (style === 'dotted' ? {} : { kind: name })

function statusUpdate(frame: Extract<TaskFrame, { kind: 'status' }>, style: Call['style']): Json {
  const { taskId, contextId, state, timestamp, message } = frame
  return { taskId, contextId, status: writeStatus(state, timestamp, message, style) }
}

function artifactUpdate(frame: Extract<TaskFrame, { kind: 'artifact' }>, style: Call['style']): Json {
  const { taskId, contextId, artifact, append, lastChunk } = frame
  return { taskId, contextId, artifact: writeArtifact(artifact, style), append, lastChunk }
}

function withMetadata(update: Json, metadata: Record<string, unknown>): Json {
  return Object.keys(metadata).length > 0 ? { ...update, metadata } : update
}

/** An objective's stream: its snapshot, then every event of its context. (design §8.3) */
export async function* objectiveFrames(source: AsyncIterable<ObjectiveFrame>, call: Call): AsyncGenerator<Frame> {
  for await (const frame of source) {
    if (frame.kind === 'snapshot') {
      const { seq, objective } = frame
      yield { seq, result: { snapshot: { seq, objective: writeObjective(objective) } } }
    } else {
      yield { seq: frame.event.seq, result: { event: writeEvent(frame.event, call.style) } }
    }
  }
}

/** An event, its messages and artifacts in the caller's style. Where the parts are stored is nobody's business. */
export function writeEvent(event: Extract<ObjectiveFrame, { kind: 'event' }>['event'], style: Call['style']): Json {
  const { artifact, data, ...rest } = event
  const written: Json = { ...data }
  if ('message' in data && data.message !== undefined) written['message'] = writeMessage(data.message, style)
  if (event.type === 'task.artifact') {
    const { append, lastChunk } = event.data
    const described = artifact === undefined ? {} : { artifact: writeArtifact(artifact, style) }
    return { ...rest, data: { artifactId: event.data.artifactId, append, lastChunk, ...described } }
  }
  return { ...rest, data: written }
}
