import { type Static, Type } from 'typebox'
import type { Authentication, PushConfig, PushConfigView, PushVersion } from '../domain/push.ts'
import { DELIVERY_STATES, type DeliveryState } from '../domain/push.ts'
import { AnyObject, Id, PageSize, words } from './params.ts'
import { check } from './validation.ts'
import { isObject, withoutBlanks } from './wire-in.ts'
import type { Json } from './wire-out.ts'

/** Push notification configurations as both versions write them. (A2A 1.0 §4.3, 0.3 §6.8) */

/** What can stand in a header field. */
const HeaderText = Type.String({
  maxLength: 4_096,
  pattern: '^[\\x21-\\x7E]([\\x20-\\x7E]*[\\x21-\\x7E])?$',
  description: 'printable ASCII, as a header field holds it',
})
const Scheme = Type.String({
  maxLength: 100,
  pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]+$",
  description: 'the name of an HTTP authentication scheme, as in Bearer',
})

/** 1.0 has one scheme, 0.3 a list. */
const AuthenticationInput = Type.Object({
  scheme: Type.Optional(Scheme),
  schemes: Type.Optional(Type.Array(Scheme, { maxItems: 20 })),
  credentials: Type.Optional(HeaderText),
})

const configFields = {
  id: Type.Optional(Id),
  url: Type.String({ minLength: 1, maxLength: 2_048, description: 'an http:// or https:// URL' }),
  token: Type.Optional(HeaderText),
  authentication: Type.Optional(AuthenticationInput),
}
const ConfigInput = Type.Object(configFields)
const checkConfig = check(ConfigInput)

export const CreateTaskConfigSchema = Type.Object({ taskId: Id, ...configFields })
export const SetTaskConfigSchema = Type.Object({ taskId: Id, pushNotificationConfig: ConfigInput })
export const TaskConfigSchema = Type.Object({ taskId: Id, id: Id })
export const TaskConfigsSchema = Type.Object({
  taskId: Id,
  pageSize: Type.Optional(Type.Integer({ minimum: 0 })),
  pageToken: Type.Optional(Type.String({ maxLength: 4_096 })),
})
/** 0.3: without an id of its own, the task's first one. */
export const LegacyConfigSchema = Type.Object({
  id: Id,
  pushNotificationConfigId: Type.Optional(Id),
  metadata: Type.Optional(AnyObject),
})
export const LegacyDeleteSchema = Type.Object({ id: Id, pushNotificationConfigId: Id })
export const SetObjectiveConfigSchema = Type.Object({ id: Id, pushNotificationConfig: ConfigInput })
export const DeliveriesSchema = Type.Object({
  taskId: Type.Optional(Id),
  objectiveId: Type.Optional(Id),
  configId: Type.Optional(Id),
  state: Type.Optional(words<readonly DeliveryState[]>(DELIVERY_STATES)),
  pageSize: Type.Optional(PageSize),
  pageToken: Type.Optional(Type.String({ maxLength: 4_096 })),
})

/** Null and "" count as absent in a configuration and in its authentication, too. */
export function tidyPush(params: unknown): unknown {
  withoutBlanks(params)
  if (!isObject(params)) return params
  const config = isObject(params['pushNotificationConfig']) ? params['pushNotificationConfig'] : params
  withoutBlanks(config)
  withoutBlanks(config['authentication'])
  return params
}

/** A configuration that stands in a send. @throws TrellisError invalidParams */
export function readConfig(given: unknown, at: string, version: PushVersion): PushConfig {
  withoutBlanks(given)
  if (isObject(given)) withoutBlanks(given['authentication'])
  return toConfig(checkConfig(given, at), version)
}

export function toConfig(
  { id, url, token, authentication }: Static<typeof ConfigInput>,
  version: PushVersion,
): PushConfig {
  return {
    ...(id !== undefined && { id }),
    url,
    ...(token !== undefined && { token }),
    ...(authentication && { authentication: toAuthentication(authentication) }),
    version,
  }
}

function toAuthentication({ scheme, schemes, credentials }: Static<typeof AuthenticationInput>): Authentication {
  const named = schemes ?? (scheme === undefined ? [] : [scheme])
  return { schemes: named, ...(credentials !== undefined && { credentials }) }
}

/** A task's configuration: 1.0 has one object, 0.3 two. */
export function writeTaskConfig(view: PushConfigView, version: PushVersion): Json {
  const config = writeConfig(view, version)
  return version === '1.0' ? { taskId: view.of, ...config } : { taskId: view.of, pushNotificationConfig: config }
}

export function writeObjectiveConfig(view: PushConfigView, version: PushVersion): Json {
  return { objectiveId: view.of, pushNotificationConfig: writeConfig(view, version) }
}

function writeConfig({ id, url, token, authentication }: PushConfigView, version: PushVersion): Json {
  const config: Json = { id, url }
  if (token !== undefined) config['token'] = token
  if (authentication !== undefined) {
    const { schemes, credentials } = authentication
    const named = version === '1.0' ? { scheme: schemes[0] ?? '' } : { schemes }
    config['authentication'] = credentials === undefined ? named : { ...named, credentials }
  }
  return config
}
