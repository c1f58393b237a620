import type { Artifact, Message, Metadata, Part } from '../domain/message.ts'

/**
 * Metadata key of a part that comes from an artifact of another task: `{artifactId, taskId, artifactName?}`. On the
 * note about what was left out it is `{leftOut: [{artifactId, taskId, artifactName?, bytes}]}`.
 */
export const FROM_KEY = 'opt/v1/from'

/** Where a given part comes from. */
export interface PartOrigin {
  artifactId: string
  taskId: string
  artifactName?: string
}

/** What a message to an agent is made of. */
export interface ComposeInput {
  messageId: string
  task: { name: string; description?: string; parts?: readonly Part[] }
  /** The tasks that this one depends on or refers to, in the order in which their artifacts are to be given. */
  from: readonly { id: string; artifacts: readonly Artifact[] }[]
  contextId?: string
  taskId?: string
  referenceTaskIds?: readonly string[]
  metadata?: Metadata
}

/** Bounds of what is given from other tasks; the task's own parts are never cut. */
export interface ComposeLimits {
  maxBytes: number
  maxParts: number
}

export const DEFAULT_COMPOSE_LIMITS: ComposeLimits = { maxBytes: 1_048_576, maxParts: 200 }

interface Given {
  part: Part
  origin: PartOrigin
  bytes: number
}

/**
 * The message an agent gets for a task: the task's own text, its own parts, then the parts of the artifacts of what it
 * depends on, each with its origin under {@link FROM_KEY}. Beyond the limits the largest parts give way first, and a
 * last part says what was cut or left out. (design §6, "Routing")
 */
export function composeMessage(input: ComposeInput, limits: ComposeLimits = DEFAULT_COMPOSE_LIMITS): Message {
  const own: Part[] = [{ text: taskText(input.task) }, ...(input.task.parts ?? [])]
  return {
    messageId: input.messageId,
    role: 'user',
    parts: [...own, ...givenParts(input.from, limits)],
    ...(input.contextId !== undefined && { contextId: input.contextId }),
    ...(input.taskId !== undefined && { taskId: input.taskId }),
    ...(input.referenceTaskIds?.length && { referenceTaskIds: [...input.referenceTaskIds] }),
    ...(input.metadata && { metadata: input.metadata }),
  }
}

/** Name and description; the name alone where the description already begins with it, or is not there. */
export function taskText(task: { name: string; description?: string }): string {
  const name = task.name.trim()
  const description = task.description?.trim() ?? ''
  if (description === '' || description === name) return name
  return description.startsWith(name) ? description : `${name}\n\n${description}`
}

/** The origin of a part that was given from another task, or undefined for the task's own parts. */
export function originOf(part: Part): PartOrigin | undefined {
  const from = part.metadata?.[FROM_KEY] as Partial<PartOrigin> | undefined
  return typeof from?.artifactId === 'string' && typeof from.taskId === 'string' ? (from as PartOrigin) : undefined
}

/** Bytes of a part's content as it travels in JSON, near enough for a bound. */
export function partBytes(part: Part): number {
  if ('text' in part) return Buffer.byteLength(part.text)
  if ('raw' in part) return part.raw.length
  if ('url' in part) return Buffer.byteLength(part.url)
  return Buffer.byteLength(JSON.stringify(part.data) ?? '')
}

function givenParts(from: ComposeInput['from'], limits: ComposeLimits): Part[] {
  const all = from.flatMap((task) => task.artifacts.flatMap((artifact) => givenOf(task.id, artifact)))
  const kept = all.slice(0, limits.maxParts)
  const share = fairShare(
    kept.map((given) => given.bytes),
    limits.maxBytes,
  )
  const parts: Part[] = []
  const leftOut: Given[] = all.slice(limits.maxParts)
  for (const given of kept) {
    const fitted = fit(given, share)
    if (fitted) parts.push(fitted)
    if (!fitted || given.bytes > share) leftOut.push(given)
  }
  return leftOut.length === 0 ? parts : [...parts, note(leftOut, limits)]
}

function givenOf(taskId: string, artifact: Artifact): Given[] {
  const name = artifact.name === undefined ? {} : { artifactName: artifact.name }
  const origin = { artifactId: artifact.artifactId, taskId, ...name }
  return artifact.parts.map((part) => ({ part, origin, bytes: partBytes(part) }))
}

/** The largest size that each part may have so that all together fit: small ones stay whole, large ones share the rest. */
function fairShare(sizes: readonly number[], total: number): number {
  let left = total
  const ascending = [...sizes].sort((a, b) => a - b)
  for (const [index, size] of ascending.entries()) {
    const share = Math.floor(left / (ascending.length - index))
    if (size > share) return share
    left -= size
  }
  return Number.POSITIVE_INFINITY
}

/** The part with its origin; text is cut to its share, anything else is whole or not there. */
function fit({ part, origin, bytes }: Given, share: number): Part | undefined {
  const metadata = { ...part.metadata, [FROM_KEY]: origin }
  if (bytes <= share) return { ...part, metadata }
  if (!('text' in part) || share === 0) return undefined
  return { ...part, text: cutText(part.text, share), metadata }
}

/** The longest beginning of a text that fits in so many bytes and does not end inside a character. */
export function cutText(text: string, bytes: number): string {
  const buffer = Buffer.from(text)
  if (buffer.length <= bytes) return text
  let end = bytes
  // 10xxxxxx continues a character: step back to where it begins.
  while (end > 0 && ((buffer[end] ?? 0) & 0xc0) === 0x80) end -= 1
  return buffer.subarray(0, end).toString()
}

const NAMED_IN_NOTE = 20

function note(leftOut: readonly Given[], limits: ComposeLimits): Part {
  const lines = leftOut.slice(0, NAMED_IN_NOTE).map(({ part, origin, bytes }) => {
    const what = 'text' in part ? 'cut or left out' : 'left out'
    return `- ${origin.artifactName ?? origin.artifactId} of ${origin.taskId}: ${bytes} bytes, ${what}`
  })
  if (leftOut.length > NAMED_IN_NOTE) lines.push(`- and ${leftOut.length - NAMED_IN_NOTE} more`)
  const limit = `${limits.maxBytes} bytes and ${limits.maxParts} parts`
  return {
    text: `Note: what the tasks before this one produced is more than the limit of ${limit}:\n${lines.join('\n')}`,
    metadata: {
      [FROM_KEY]: { leftOut: leftOut.slice(0, NAMED_IN_NOTE).map(({ origin, bytes }) => ({ ...origin, bytes })) },
    },
  }
}
