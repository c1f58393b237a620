import type { Artifact, Message, Metadata, Part } from '../domain/message.ts'
import type { ObjectiveView } from '../domain/objective.ts'
import type { PlanView } from '../domain/plan.ts'
import type { TaskState, TaskView } from '../domain/task.ts'
import type { Style } from './call.ts'
import { DATA_PART_COMPAT, isObject } from './wire-in.ts'

/**
 * Domain to JSON, in the style that the caller reads. The domain's shapes are 1.0's, so 1.0 needs only the enum names;
 * 0.3 and its relatives differ in parts and in `kind`. (design §8.1, §8.2; docs/decisions/0010)
 */

export type Json = Record<string, unknown>

const STATE_NAMES: Readonly<Record<TaskState, string>> = {
  submitted: 'TASK_STATE_SUBMITTED',
  working: 'TASK_STATE_WORKING',
  'input-required': 'TASK_STATE_INPUT_REQUIRED',
  'auth-required': 'TASK_STATE_AUTH_REQUIRED',
  completed: 'TASK_STATE_COMPLETED',
  failed: 'TASK_STATE_FAILED',
  canceled: 'TASK_STATE_CANCELED',
  rejected: 'TASK_STATE_REJECTED',
}

export function writeState(state: TaskState, style: Style): string {
  return style === '1.0' ? STATE_NAMES[state] : state
}

/** One part. The extension document writes `type`, 0.3 `kind`; the dotted document neither. */
export function writePart(part: Part, style: Style): Json {
  if (style === '1.0') return part as unknown as Json
  const content = 'raw' in part || 'url' in part ? fileContent(part, style) : plainContent(part)
  const kind = 'text' in part ? 'text' : 'data' in part ? 'data' : 'file'
  const metadata = compatMetadata(part)
  const written = metadata === undefined ? content : { ...content, metadata }
  if (style === 'dotted') return written
  return style === 'extension' ? { type: kind, kind, ...written } : { kind, ...written }
}

function plainContent(part: Part): Json {
  if ('text' in part) return { text: part.text }
  const data = 'data' in part ? part.data : undefined
  return { data: isObject(data) ? data : { value: data } }
}

/** 0.3 allows only objects as data: another value is wrapped, and marked so that it can be told from an object. */
function compatMetadata(part: Part): Metadata | undefined {
  if (!('data' in part) || isObject(part.data)) return part.metadata
  return { ...part.metadata, [DATA_PART_COMPAT]: true }
}

function fileContent(part: Part, style: Style): Json {
  const [bytes, uri, type] =
    style === 'dotted' ? ['fileWithBytes', 'fileWithUri', 'mediaType'] : ['bytes', 'uri', 'mimeType']
  const file: Json = {}
  if (part.filename) file['name'] = part.filename
  if (part.mediaType) file[type as string] = part.mediaType
  if ('raw' in part) file[bytes as string] = part.raw
  if ('url' in part) file[uri as string] = part.url
  return { file }
}

export function writeMessage(message: Message, style: Style): Json {
  if (style === '1.0') return { ...message, role: message.role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT' }
  const parts = message.parts.map((part) => writePart(part, style))
  return style === '0.3' ? { kind: 'message', ...message, parts } : { ...message, parts }
}

export function writeArtifact(artifact: Artifact, style: Style): Json {
  if (style === '1.0') return artifact as unknown as Json
  return { ...artifact, parts: artifact.parts.map((part) => writePart(part, style)) }
}

/** What OPT says of a task, as metadata: a protocol object gets no new fields. (design §8.2) */
function taskMetadata(task: TaskView): Metadata {
  if (task.objectiveId === undefined && !task.skipped) return task.metadata
  const metadata: Metadata = { ...task.metadata }
  if (task.objectiveId !== undefined) metadata['opt/v1/objectiveId'] = task.objectiveId
  if (task.planId !== undefined) {
    metadata['opt/v1/planId'] = task.planId
    metadata['opt/v1/taskIndex'] = task.taskIndex
    metadata['opt/v1/dependencies'] = task.dependencies ?? []
  }
  if (task.skipped) metadata['opt/v1/skipped'] = true
  return metadata
}

/** A task. `more` is metadata that this answer adds, as the objective that a send made. Empty members are left out. */
export function writeTask(task: TaskView, style: Style, more?: Metadata): Json {
  const written: Json = style === '0.3' ? { kind: 'task' } : {}
  written['id'] = task.id
  written['contextId'] = task.contextId
  written['status'] = writeStatus(task.state, task.statusAt, task.statusMessage, style)
  if (task.artifacts.length > 0) written['artifacts'] = task.artifacts.map((artifact) => writeArtifact(artifact, style))
  if (task.history.length > 0) written['history'] = task.history.map((message) => writeMessage(message, style))
  const own = taskMetadata(task)
  const metadata = more === undefined ? own : { ...own, ...more }
  if (Object.keys(metadata).length > 0) written['metadata'] = metadata
  return written
}

export function writeStatus(state: TaskState, timestamp: string, message: Message | undefined, style: Style): Json {
  const status: Json = { state: writeState(state, style), timestamp }
  if (message !== undefined) status['message'] = writeMessage(message, style)
  return status
}

/** An objective as the extension document nests it. The newest root task is named in the metadata. (design §8.2) */
export function writeObjective(objective: ObjectiveView): Json {
  const { rootTaskId, seq: _, plans, metadata, ...rest } = objective
  const written: Json = { ...rest, metadata: { ...metadata, 'opt/v1/rootTaskId': rootTaskId } }
  if (plans !== undefined) written['plans'] = plans.map(writePlan)
  return written
}

export function writePlan(plan: PlanView): Json {
  return plan as unknown as Json
}
