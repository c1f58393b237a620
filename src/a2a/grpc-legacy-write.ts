import type { LegacyA2AService as codecs } from '@a2a-js/sdk/compat/v0_3/server/grpc'
import { isObject } from './wire-in.ts'

/** The JSON of 0.3's JSON-RPC to its Protocol Buffers. (0.3 §3.2.2, a2a.proto) */

type Answer<M extends keyof typeof codecs> = Parameters<(typeof codecs)[M]['responseSerialize']>[0]
type Json = Record<string, unknown>
type Task = Answer<'getTask'>
type Status = NonNullable<Task['status']>
type Message = Task['history'][number]
type Artifact = Task['artifacts'][number]
type Part = Message['content'][number]
type TaskPushConfig = Answer<'getTaskPushNotificationConfig'>

/** The answer to a send: a task or a message. */
export function writeSent(result: Json): Answer<'sendMessage'> {
  if (result['kind'] === 'message') return { payload: { $case: 'msg', value: writeMessage(result) } }
  return { payload: { $case: 'task', value: writeTask(result) } }
}

/** One frame of a stream. */
export function writeFrame(frame: Json): Answer<'sendStreamingMessage'> {
  const { contextId = '', taskId = '', status, artifact } = frame
  const place = { contextId: String(contextId), taskId: String(taskId), metadata: record(frame['metadata']) }
  switch (frame['kind']) {
    case 'status-update': {
      const final = frame['final'] === true
      return { payload: { $case: 'statusUpdate', value: { ...place, status: writeStatus(status), final } } }
    }
    case 'artifact-update': {
      const flags = { append: frame['append'] === true, lastChunk: frame['lastChunk'] === true }
      return { payload: { $case: 'artifactUpdate', value: { ...place, artifact: writeArtifact(artifact), ...flags } } }
    }
    default:
      return writeSent(frame)
  }
}

export function writeTask({ id, contextId, status, artifacts, history, metadata }: Json): Task {
  return {
    id: String(id),
    contextId: String(contextId),
    status: writeStatus(status),
    artifacts: list(artifacts).map(writeArtifact),
    history: list(history).map(writeMessage),
    metadata: record(metadata),
  }
}

/** In the order of the enum, which counts from 1. It has no `unknown`. */
const STATES = [
  'submitted',
  'working',
  'completed',
  'failed',
  'canceled',
  'input-required',
  'rejected',
  'auth-required',
]

function writeStatus(given: unknown): Status {
  const { state, message, timestamp } = given as Json
  return {
    state: (STATES.indexOf(String(state)) + 1) as Status['state'],
    update: isObject(message) ? writeMessage(message) : undefined,
    timestamp: timestamp as string | undefined,
  }
}

function writeMessage({ messageId, contextId, taskId, role, parts, metadata, extensions }: Json): Message {
  return {
    messageId: text(messageId),
    contextId: text(contextId),
    taskId: text(taskId),
    role: role === 'user' ? 1 : 2,
    content: list(parts).map(writePart),
    metadata: record(metadata),
    extensions: (extensions ?? []) as string[],
  }
}

function writeArtifact(given: unknown): Artifact {
  const { artifactId, name, description, parts, metadata, extensions } = given as Json
  return {
    artifactId: text(artifactId),
    name: text(name),
    description: text(description),
    parts: list(parts).map(writePart),
    metadata: record(metadata),
    extensions: (extensions ?? []) as string[],
  }
}

/** A part's metadata and a file's name have no place in these messages. */
function writePart({ kind, text: words, data, file }: Json): Part {
  if (kind === 'text') return { part: { $case: 'text', value: text(words) } }
  if (kind === 'data') return { part: { $case: 'data', value: { data: record(data) } } }
  const { bytes, uri, mimeType } = file as Json
  const content =
    uri === undefined
      ? { $case: 'fileWithBytes' as const, value: Buffer.from(text(bytes), 'base64') }
      : { $case: 'fileWithUri' as const, value: text(uri) }
  return { part: { $case: 'file', value: { file: content, mimeType: text(mimeType) } } }
}

export function writeConfig({ taskId, pushNotificationConfig }: Json): TaskPushConfig {
  const { id, url, token, authentication } = pushNotificationConfig as Json
  const { schemes, credentials } = (authentication ?? {}) as Json
  return {
    name: `tasks/${taskId}/pushNotificationConfigs/${id}`,
    pushNotificationConfig: {
      id: text(id),
      url: text(url),
      token: text(token),
      authentication: authentication
        ? { schemes: (schemes ?? []) as string[], credentials: text(credentials) }
        : undefined,
    },
  }
}

export function writeConfigs(result: unknown): Answer<'listTaskPushNotificationConfig'> {
  return { configs: list(result).map(writeConfig), nextPageToken: '' }
}

const text = (given: unknown): string => (given === undefined || given === null ? '' : String(given))
const list = (given: unknown): Json[] => (Array.isArray(given) ? given : [])
const record = (given: unknown): Json | undefined => (isObject(given) ? given : undefined)
