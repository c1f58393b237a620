import { invalidParams } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import type { Artifact, Message, Part } from '../domain/message.ts'
import type { TaskState } from '../domain/task.ts'
import { roleNamed } from './enum-numbers.ts'
import { checkArtifact, checkFileBytes, checkFileUri, checkMessage, PART_CHECKS } from './params.ts'
import { shown } from './validation.ts'

type Json = Record<string, unknown>

/** `TASK_STATE_INPUT_REQUIRED` and `input-required` are the same state. */
export function readState(word: string): TaskState {
  const state = word.startsWith('TASK_STATE_') ? word.slice('TASK_STATE_'.length).toLowerCase().replace('_', '-') : word
  return state as TaskState
}

/** Takes null and "" off an object's own fields: protobuf's way to say that a field is absent. */
export function withoutBlanks(value: unknown): unknown {
  if (!isObject(value)) return value
  for (const key of Object.keys(value)) {
    const field = value[key]
    if (field === null || field === '') delete value[key]
  }
  return value
}

/**
 * A message in any spelling that the source documents use, as the domain writes it. `beside` is a contextId that stood
 * next to the message. Throws `invalidParams`. (design §8.1)
 */
export function readMessage(given: unknown, at: string, beside?: string): Message {
  const tidy = withoutBlanks(given)
  if (isObject(tidy)) tidy['role'] = roleNamed(tidy['role'])
  const input = checkMessage(tidy, at)
  const message: Message = {
    messageId: input.messageId,
    role: input.role === 'user' || input.role === 'ROLE_USER' ? 'user' : 'agent',
    parts: input.parts.map((part, index) => readPart(part, `${at}.parts[${index}]`)),
  }
  const contextId = sameContext([input.contextId, input.sessionId, beside], at)
  if (contextId !== undefined) message.contextId = contextId
  if (input.taskId !== undefined) message.taskId = input.taskId
  if (input.referenceTaskIds?.length) message.referenceTaskIds = input.referenceTaskIds
  if (input.extensions?.length) message.extensions = input.extensions
  if (input.metadata !== undefined) message.metadata = input.metadata
  return message
}

/** An artifact that a client hands in with `tasks/updateStatus`; it gets an id if it has none. */
export function readArtifact(given: unknown, at: string): Artifact {
  const { artifactId = newId('artifact'), parts, ...rest } = checkArtifact(withoutBlanks(given), at)
  return { ...rest, artifactId, parts: parts.map((part, index) => readPart(part, `${at}.parts[${index}]`)) }
}

/** `sessionId` and `contextId`, in the message or beside it, mean the same, so they must say the same. */
function sameContext(ids: readonly (string | undefined)[], at: string): string | undefined {
  const given = ids.filter((id) => id !== undefined)
  const [first] = given
  const other = given.find((id) => id !== first)
  if (other !== undefined) {
    throw invalidParams(`${at}.contextId`, `was ${shown(first)}; expected the same context as ${shown(other)}`)
  }
  return first
}

/** One part: 1.0's `{text}`, `{raw}`, `{url}`, `{data}`, 0.3's `kind`, the older `type`, or a bare `{file}`. */
export function readPart(value: unknown, at: string): Part {
  if (!isObject(value))
    throw invalidParams(at, `was ${shown(value)}; expected a part: an object with text, raw, url, data or file`)
  const given = withoutNulls(value)
  const kind = given['kind'] || given['type'] || undefined
  switch (kind ?? soleContent(given, at)) {
    case 'text': {
      const part = PART_CHECKS.text(given, at)
      return described({ text: part.text }, part)
    }
    case 'data':
      return readData(given, at, kind !== undefined)
    case 'raw': {
      const part = PART_CHECKS.raw(given, at)
      return described({ raw: part.raw }, part)
    }
    case 'url': {
      const part = PART_CHECKS.url(given, at)
      return described({ url: part.url }, part)
    }
    case 'file':
      return readFile(given, at)
    default:
      throw invalidParams(
        `${at}.${given['kind'] === undefined ? 'type' : 'kind'}`,
        `was ${shown(kind)}; expected text, file or data`,
      )
  }
}

/** Null is as good as absent; but as data it is a value, if there is nothing else. "" may be a text, or an empty file. */
function withoutNulls(given: Json): Json {
  const present = Object.entries(given).filter(([, field]) => field !== null)
  const left = Object.fromEntries(present)
  const dataOnly = given['data'] === null && !CONTENTS.some((name) => left[name] !== undefined)
  return dataOnly ? { ...left, data: null } : left
}

const CONTENTS = ['text', 'raw', 'url', 'data', 'file'] as const

/** 1.0 has a oneof: exactly one of the contents. */
function soleContent(part: Json, at: string): string {
  const present = CONTENTS.filter((name) => part[name] !== undefined)
  const [only] = present
  if (only !== undefined && present.length === 1) return only
  const found = present.length === 0 ? 'none' : present.join(' and ')
  throw invalidParams(at, `had ${found} of text, raw, url, data and file; expected exactly one`)
}

/** Marks a data part whose value is no object, which 0.3 has no other place for. The SDK's clients read it so. */
export const DATA_PART_COMPAT = 'data_part_compat'

function readData(given: Json, at: string, legacy: boolean): Part {
  const part = legacy ? PART_CHECKS.legacyData(given, at) : PART_CHECKS.data(given, at)
  const { metadata } = part
  if (metadata?.[DATA_PART_COMPAT] !== true) return described({ data: part.data }, part)
  const { [DATA_PART_COMPAT]: _, ...rest } = metadata
  const data = isObject(part.data) && 'value' in part.data ? part.data['value'] : part.data
  const bare: Part = { data }
  return Object.keys(rest).length > 0 ? { ...bare, metadata: rest } : bare
}

function readFile(given: Json, at: string): Part {
  // 1.0's raw and url under 0.3's kind need no `file` around them.
  if (given['file'] === undefined && (given['raw'] !== undefined || given['url'] !== undefined)) {
    return readPart({ ...given, kind: undefined, type: undefined }, at)
  }
  const part = PART_CHECKS.file(given, at)
  const { fileWithBytes, fileWithUri, raw, url, ...rest } = withoutNulls(part.file)
  const bytes = rest['bytes'] ?? fileWithBytes ?? raw
  const uri = rest['uri'] ?? fileWithUri ?? url
  if ((bytes === undefined) === (uri === undefined)) {
    throw invalidParams(
      `${at}.file`,
      `had ${bytes === undefined ? 'neither' : 'both'} of bytes and uri; expected exactly one`,
    )
  }
  const file =
    bytes === undefined
      ? checkFileUri({ ...rest, uri }, `${at}.file`)
      : checkFileBytes({ ...rest, bytes }, `${at}.file`)
  const content: Part = 'uri' in file ? { url: file.uri } : { raw: file.bytes }
  const filename = file.name ?? part.filename
  const mediaType = file.mimeType ?? file.mediaType ?? part.mediaType
  return described(content, { metadata: part.metadata, filename, mediaType })
}

interface Described {
  metadata?: Json | undefined
  filename?: string | undefined
  mediaType?: string | undefined
}

function described(part: Part, { metadata, filename, mediaType }: Described): Part {
  if (metadata !== undefined) part.metadata = metadata
  if (filename) part.filename = filename
  if (mediaType) part.mediaType = mediaType
  return part
}

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
