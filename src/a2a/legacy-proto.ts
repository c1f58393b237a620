import { invalidParams } from '../base/errors.ts'
import { shown } from './validation.ts'
import { isObject } from './wire-in.ts'

type Json = Record<string, unknown>

/**
 * 0.3's HTTP+JSON writes its Protocol Buffers as JSON, where its JSON-RPC has a JSON of its own: parts stand in `content`
 * and have no `kind`, enums have their long names, data is wrapped. Here the one becomes the other. (0.3 §3.2.3, a2a.proto)
 */

/**
 * A request's body in JSON-RPC's spelling. A body that is written so already stays as it is. `query` has what the request's
 * message has beside its body: a new push configuration's id. (a2a.proto, CreateTaskPushNotificationConfigRequest)
 */
export function readLegacyBody(body: Json, query: Json = {}): Json {
  const { request, message = request, configuration, pushNotificationConfig: config, ...rest } = body
  const id = query['configId'] ?? query['config_id']
  return {
    ...rest,
    ...(message !== undefined && { message: readMessage(message) }),
    ...(configuration !== undefined && { configuration: readConfiguration(configuration) }),
    ...(config !== undefined && { pushNotificationConfig: withId(config, id) }),
  }
}

/** @throws TrellisError invalidParams where the two say different ids */
function withId(config: unknown, id: unknown): unknown {
  if (!isObject(config) || id === undefined || id === '') return config
  const said = config['id']
  if (said === undefined || said === null || said === '' || said === id) return { ...config, id }
  throw invalidParams('pushNotificationConfig.id', `was ${shown(said)}; config_id says ${shown(id)}`)
}

function readMessage(message: unknown): unknown {
  if (!isObject(message)) return message
  const { content, ...rest } = message
  return Array.isArray(content) ? { ...rest, parts: content.map(readPart) } : message
}

function readPart(part: unknown): unknown {
  if (!isObject(part) || !isObject(part['data'])) return part
  const { data, ...rest } = part
  return { kind: 'data', ...rest, data: isObject(data) && isObject(data['data']) ? data['data'] : data }
}

/** Protocol Buffers leave `false` out: a configuration that does not say `blocking` says not to. */
function readConfiguration(configuration: unknown): unknown {
  if (!isObject(configuration)) return configuration
  const { pushNotification, ...rest } = configuration
  return {
    blocking: false,
    ...(pushNotification !== undefined && { pushNotificationConfig: pushNotification }),
    ...rest,
  }
}

/** What an operation answered, as its REST method does. */
export function writeLegacyResult(method: string, result: unknown): unknown {
  if (method === 'message/send') return writeLegacyFrame(result)
  if (!isObject(result) && !Array.isArray(result)) return result
  if (method === 'tasks/pushNotificationConfig/list') {
    return { configs: (Array.isArray(result) ? result : []).map(writeConfig), nextPageToken: '' }
  }
  if (method.startsWith('tasks/pushNotificationConfig/')) return writeConfig(result)
  return isObject(result) && result['kind'] === 'task' ? writeTask(result) : result
}

/** One frame of a stream, or the answer to a send: which of the four it is. */
export function writeLegacyFrame(result: unknown): unknown {
  if (!isObject(result)) return result
  const { kind, ...rest } = result
  switch (kind) {
    case 'task':
      return { task: writeTask(result) }
    case 'message':
      return { message: writeMessage(result) }
    case 'status-update':
      return { statusUpdate: { ...rest, status: writeStatus(rest['status']) } }
    case 'artifact-update':
      return { artifactUpdate: { ...rest, artifact: writeArtifact(rest['artifact']) } }
    default:
      return result
  }
}

function writeTask({ kind: _, status, artifacts, history, ...rest }: Json): Json {
  return {
    ...rest,
    status: writeStatus(status),
    ...(Array.isArray(artifacts) && { artifacts: artifacts.map(writeArtifact) }),
    ...(Array.isArray(history) && { history: history.map(writeMessage) }),
  }
}

function writeStatus(status: unknown): unknown {
  if (!isObject(status)) return status
  const { state, message, ...rest } = status
  return { state: stateName(String(state)), ...(message !== undefined && { message: writeMessage(message) }), ...rest }
}

/** 0.3's Protocol Buffers spell it with two L. */
function stateName(state: string): string {
  return state === 'canceled' ? 'TASK_STATE_CANCELLED' : `TASK_STATE_${state.toUpperCase().replace('-', '_')}`
}

function writeMessage(message: unknown): unknown {
  if (!isObject(message)) return message
  const { kind: _, role, parts, ...rest } = message
  return {
    ...rest,
    role: role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT',
    content: Array.isArray(parts) ? parts.map(writePart) : [],
  }
}

function writeArtifact(artifact: unknown): unknown {
  if (!isObject(artifact) || !Array.isArray(artifact['parts'])) return artifact
  return { ...artifact, parts: artifact['parts'].map(writePart) }
}

function writePart(part: unknown): unknown {
  if (!isObject(part)) return part
  const { kind, file, data, ...rest } = part
  if (kind === 'data') return { ...rest, data: { data } }
  if (kind !== 'file' || !isObject(file)) return rest
  const { bytes, uri, ...described } = file
  const content = uri === undefined ? { fileWithBytes: bytes } : { fileWithUri: uri }
  return { ...rest, file: { ...content, ...described } }
}

function writeConfig(given: unknown): unknown {
  if (!isObject(given)) return given
  const { taskId, pushNotificationConfig } = given
  const id = isObject(pushNotificationConfig) ? pushNotificationConfig['id'] : ''
  return { name: `tasks/${taskId}/pushNotificationConfigs/${id}`, pushNotificationConfig }
}
