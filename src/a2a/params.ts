import { type Static, type TSchema, Type } from 'typebox'
import { TASK_STATES } from '../domain/task.ts'
import { check } from './validation.ts'

/**
 * The params of A2A's own methods, as both versions write them. Fields that are not named here are ignored, as protobuf
 * does; null and "" are as good as absent. (A2A 1.0 §3, §5.5)
 */

export const words = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values } as TSchema)

/** Bounds keep ids and names inside an index row of the database. */
export const Id = Type.String({ minLength: 1, maxLength: 512 })
const OptionalId = Type.Optional(Id)
export const Name = Type.String({ minLength: 1, maxLength: 20_000 })
/** Any object: metadata, and the like. */
export const AnyObject = Type.Unsafe<Record<string, unknown>>({ type: 'object' } as TSchema)

const HistoryLength = Type.Optional(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }))
export const PageSize = Type.Integer({ minimum: 1, maximum: 100 })
const PageToken = Type.String({ maxLength: 4_096 })

export const ROLES = ['user', 'agent', 'ROLE_USER', 'ROLE_AGENT'] as const
export const STATE_WORDS = [
  ...TASK_STATES,
  ...TASK_STATES.map((state) => `TASK_STATE_${state.toUpperCase().replace('-', '_')}`),
]

/** Parts are checked one by one, by the spelling that each is written in. */
const Parts = Type.Array(Type.Unknown(), { minItems: 1, maxItems: 10_000 })

export const MessageSchema = Type.Object({
  messageId: Id,
  role: words(ROLES),
  parts: Parts,
  contextId: OptionalId,
  sessionId: OptionalId,
  taskId: OptionalId,
  referenceTaskIds: Type.Optional(Type.Array(Id, { maxItems: 1_000 })),
  extensions: Type.Optional(Type.Array(Type.String({ maxLength: 2_048 }), { maxItems: 100 })),
  metadata: Type.Optional(AnyObject),
})
export type MessageInput = Static<typeof MessageSchema>

export const ArtifactSchema = Type.Object({
  artifactId: OptionalId,
  name: Type.Optional(Type.String({ maxLength: 20_000 })),
  description: Type.Optional(Type.String({ maxLength: 1_000_000 })),
  parts: Parts,
  extensions: Type.Optional(Type.Array(Type.String({ maxLength: 2_048 }), { maxItems: 100 })),
  metadata: Type.Optional(AnyObject),
})

const Configuration = Type.Object({
  acceptedOutputModes: Type.Optional(Type.Array(Type.String({ maxLength: 255 }), { maxItems: 100 })),
  historyLength: HistoryLength,
  /** 0.3 */
  blocking: Type.Optional(Type.Boolean()),
  /** 1.0 */
  returnImmediately: Type.Optional(Type.Boolean()),
  pushNotificationConfig: Type.Optional(AnyObject),
  taskPushNotificationConfig: Type.Optional(AnyObject),
})

export const SendSchema = Type.Object({
  message: AnyObject,
  contextId: OptionalId,
  sessionId: OptionalId,
  configuration: Type.Optional(Configuration),
  metadata: Type.Optional(AnyObject),
})

export type SendInput = Static<typeof SendSchema>

export const GetTaskSchema = Type.Object({ id: Id, historyLength: HistoryLength })
export const CancelTaskSchema = Type.Object({ id: Id, metadata: Type.Optional(AnyObject) })
export const FollowTaskSchema = Type.Object({ id: Id, afterSeq: Type.Optional(Type.Integer({ minimum: 0 })) })
export const ListTasksSchema = Type.Object({
  contextId: OptionalId,
  status: Type.Optional(words([...STATE_WORDS, 'TASK_STATE_UNSPECIFIED'])),
  pageSize: Type.Optional(PageSize),
  pageToken: Type.Optional(PageToken),
  historyLength: HistoryLength,
  statusTimestampAfter: Type.Optional(Type.String({ format: 'date-time' })),
  includeArtifacts: Type.Optional(Type.Boolean()),
})
/** Params of methods that are answered without a look at them. */
export const AnySchema = Type.Object({})

export const checkMessage = check(MessageSchema)
export const checkArtifact = check(ArtifactSchema)

/** The parts, by the spelling that they are written in. (design §8.1, "tolerated") */
const common = { metadata: Type.Optional(AnyObject) }
const described = {
  ...common,
  filename: Type.Optional(Type.String({ maxLength: 4_096 })),
  mediaType: Type.Optional(Type.String({ maxLength: 255 })),
}
/** Standard or URL-safe base64. */
const Base64 = Type.String({ pattern: '^[A-Za-z0-9+/_-]*={0,2}$', description: 'base64' })
const Url = Type.String({ minLength: 1, maxLength: 65_536 })
const FileCommon = {
  name: Type.Optional(Type.String({ maxLength: 4_096 })),
  mimeType: Type.Optional(Type.String({ maxLength: 255 })),
  mediaType: Type.Optional(Type.String({ maxLength: 255 })),
}

export const PART_CHECKS = {
  text: check(Type.Object({ text: Type.String(), ...described })),
  raw: check(Type.Object({ raw: Base64, ...described })),
  url: check(Type.Object({ url: Url, ...described })),
  data: check(Type.Object({ data: Type.Unknown(), ...described })),
  legacyData: check(Type.Object({ data: AnyObject, ...described })),
  file: check(Type.Object({ file: AnyObject, ...described })),
}
export const checkFileBytes = check(Type.Object({ bytes: Base64, ...FileCommon }))
export const checkFileUri = check(Type.Object({ uri: Url, ...FileCommon }))
