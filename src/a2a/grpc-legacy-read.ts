import type { LegacyA2AService as codecs } from '@a2a-js/sdk/compat/v0_3/server/grpc'
import { invalidParams } from '../base/errors.ts'
import { shown } from './validation.ts'

/** 0.3's Protocol Buffers to the JSON of its JSON-RPC. (0.3 §3.2.2, a2a.proto) */

type Request<M extends keyof typeof codecs> = ReturnType<(typeof codecs)[M]['requestDeserialize']>
type Json = Record<string, unknown>
type Message = NonNullable<Request<'sendMessage'>['request']>
type Part = Message['content'][number]
type Configuration = NonNullable<Request<'sendMessage'>['configuration']>
type PushConfig = NonNullable<Configuration['pushNotification']>

export function readSend({ request, configuration, metadata }: Request<'sendMessage'>): Json {
  return {
    message: request && readMessage(request),
    configuration: configuration && readConfiguration(configuration),
    metadata,
  }
}

/** Nothing is what Protocol Buffers leave out: zero messages of history means all of it. */
export function readGet({ name, historyLength }: Request<'getTask'>): Json {
  return { id: taskIn(name, 'name'), ...(historyLength !== 0 && { historyLength }) }
}

export function readTaskName({ name }: Request<'cancelTask'>): Json {
  return { id: taskIn(name, 'name') }
}

export function readParent({ parent }: Request<'listTaskPushNotificationConfig'>): Json {
  return { id: taskIn(parent, 'parent') }
}

export function readConfigName({ name }: Request<'getTaskPushNotificationConfig'>): Json {
  const match = /^tasks\/([^/]+)\/pushNotificationConfigs\/([^/]*)$/.exec(name)
  if (!match) throw invalidParams('name', `was ${shown(name)}; expected tasks/<id>/pushNotificationConfigs/<id>`)
  const [, id, pushNotificationConfigId] = match
  return { id, ...(pushNotificationConfigId && { pushNotificationConfigId }) }
}

export function readCreateConfig(request: Request<'createTaskPushNotificationConfig'>): Json {
  const { parent, config, configId } = request
  const given = config?.pushNotificationConfig
  const pushNotificationConfig = given && readPushConfig({ ...given, id: given.id || configId })
  return { taskId: taskIn(parent, 'parent'), pushNotificationConfig }
}

function taskIn(name: string, field: string): string {
  const id = /^tasks\/([^/]+)$/.exec(name)?.[1]
  if (id === undefined) throw invalidParams(field, `was ${shown(name)}; expected tasks/<id>`)
  return id
}

const ROLES: Readonly<Record<number, string>> = { 1: 'user', 2: 'agent' }

function readMessage({ content, role, metadata, extensions, ...ids }: Message): Json {
  return {
    kind: 'message',
    ...ids,
    role: ROLES[role],
    parts: content.map(readPart),
    metadata,
    ...(extensions.length > 0 && { extensions }),
  }
}

function readPart({ part }: Part): Json {
  switch (part?.$case) {
    case 'text':
      return { kind: 'text', text: part.value }
    case 'data':
      return { kind: 'data', data: part.value.data }
    case 'file': {
      const { file, mimeType } = part.value
      const content = file?.$case === 'fileWithUri' ? { uri: file.value } : { bytes: file?.value.toString('base64') }
      return { kind: 'file', file: { ...content, ...(mimeType && { mimeType }) } }
    }
    default:
      return {}
  }
}

function readConfiguration(given: Configuration): Json {
  const { acceptedOutputModes, historyLength, blocking, pushNotification } = given
  return {
    blocking,
    ...(acceptedOutputModes.length > 0 && { acceptedOutputModes }),
    ...(historyLength !== 0 && { historyLength }),
    ...(pushNotification && { pushNotificationConfig: readPushConfig(pushNotification) }),
  }
}

function readPushConfig({ id, url, token, authentication }: PushConfig): Json {
  return {
    url,
    ...(id && { id }),
    ...(token && { token }),
    ...(authentication && {
      authentication: {
        schemes: authentication.schemes,
        ...(authentication.credentials && { credentials: authentication.credentials }),
      },
    }),
  }
}
