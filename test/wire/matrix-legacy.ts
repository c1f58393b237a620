import { Message, StreamResponse, Task } from '@a2a-js/sdk'
import type { Json } from './matrix-clients.ts'

/** 0.3's JSON for 1.0's, and back: what is compared is in 1.0's, and has gone through the SDK's codec like all the rest. */

export function legacyRequest({ message, configuration }: Json): Json {
  const { returnImmediately, ...more } = configuration as Json
  return { message: legacyMessage(message as Json), configuration: { blocking: !returnImmediately, ...more } }
}

function legacyMessage({ role, parts, ...message }: Json): Json {
  return {
    kind: 'message',
    ...message,
    role: role === 'ROLE_USER' ? 'user' : 'agent',
    parts: (parts as Json[]).map(legacyPart),
  }
}

function legacyPart({ text, data, raw, url, mediaType, filename, ...part }: Json): Json {
  if (text !== undefined) return { kind: 'text', text, ...part }
  if (data !== undefined) return { kind: 'data', data, ...part }
  const file = { ...(raw === undefined ? { uri: url } : { bytes: raw }), mimeType: mediaType, name: filename }
  return { kind: 'file', file, ...part }
}

/** A task or a message, as the answer to a send. */
export function sentOf(result: Json): Json {
  return result['kind'] === 'message' ? { message: messageOf(result) } : { task: taskOf(result) }
}

export function taskOf(result: Json): Json {
  return Task.toJSON(Task.fromJSON(modernTask(result))) as Json
}

function messageOf(result: Json): Json {
  return Message.toJSON(Message.fromJSON(modernMessage(result))) as Json
}

export function frameOf(frame: Json): Json {
  return StreamResponse.toJSON(StreamResponse.fromJSON(modernFrame(frame))) as Json
}

function modernFrame({ kind, final: _, ...frame }: Json): Json {
  switch (kind) {
    case 'message':
      return { message: modernMessage(frame) }
    case 'task':
      return { task: modernTask(frame) }
    case 'status-update':
      return { statusUpdate: { ...frame, status: modernStatus(frame['status'] as Json) } }
    case 'artifact-update':
      return { artifactUpdate: { ...frame, artifact: modernArtifact(frame['artifact'] as Json) } }
    default:
      throw new Error(`no frame of 0.3: ${String(kind)}`)
  }
}

function modernTask({ kind: _, status, history, artifacts, ...task }: Json): Json {
  return {
    ...task,
    status: modernStatus(status as Json),
    history: ((history ?? []) as Json[]).map(modernMessage),
    artifacts: ((artifacts ?? []) as Json[]).map(modernArtifact),
  }
}

function modernStatus({ state, message, ...status }: Json): Json {
  return {
    ...status,
    state: `TASK_STATE_${String(state).toUpperCase().replaceAll('-', '_')}`,
    ...(message !== undefined && { message: modernMessage(message as Json) }),
  }
}

function modernMessage({ kind: _, role, parts, ...message }: Json): Json {
  return { ...message, role: role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT', parts: (parts as Json[]).map(modernPart) }
}

function modernArtifact({ parts, ...artifact }: Json): Json {
  return { ...artifact, parts: (parts as Json[]).map(modernPart) }
}

function modernPart({ kind: _, file, ...part }: Json): Json {
  if (file === undefined) return part
  const { bytes, uri, mimeType, name } = file as Json
  const content = bytes === undefined ? { url: uri } : { raw: bytes }
  return {
    ...part,
    ...content,
    ...(mimeType !== undefined && { mediaType: mimeType }),
    ...(name !== undefined && { filename: name }),
  }
}
