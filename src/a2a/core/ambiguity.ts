import { newId } from '../../base/ids.ts'
import { type Artifact, type Message, referencedArtifacts, textOf } from '../../domain/message.ts'

/** An artifact that a follow-up may mean. */
export interface Candidate {
  taskId: string
  artifact: Artifact
}

const ONE = /\b(it|its|this|that)\b/i
const MANY = /\b(them|these|those|all|both|every\w*|each)\b/i
/** Words shorter than this, like "of" or "the", say nothing about an artifact. */
const TELLING_LENGTH = 4

/**
 * The question a follow-up has to ask: it speaks of one thing, there are several it may mean, and it names none of them.
 * Undefined: nothing to ask. (design §2)
 */
export function whichArtifact(message: Message, candidates: readonly Candidate[]): Message | undefined {
  const names = new Set(candidates.map(({ artifact }) => artifact.name ?? artifact.artifactId))
  if (names.size < 2 || referencedArtifacts(message).length > 0) return undefined
  const text = textOf(message).slice(0, 10_000)
  if (!ONE.test(text) || MANY.test(text)) return undefined
  if (candidates.some(({ artifact }) => isNamed(text.toLowerCase(), artifact))) return undefined
  return question(candidates)
}

/** Whether the text has the artifact's name, or a telling word of it: "sailboat" of `sailboat_image.png`. */
function isNamed(text: string, { name, artifactId }: Artifact): boolean {
  if (text.includes(artifactId.toLowerCase())) return true
  const words = (name ?? '').toLowerCase().split(/[^\p{L}\p{N}]+/u)
  return words.some((word) => word.length >= TELLING_LENGTH && text.includes(word))
}

function question(candidates: readonly Candidate[]): Message {
  const artifacts = candidates.map(({ taskId, artifact }) => ({
    taskId,
    artifactId: artifact.artifactId,
    ...(artifact.name !== undefined && { name: artifact.name }),
  }))
  const lines = artifacts.map(
    ({ artifactId, name }) => `- ${name ?? artifactId}${name === undefined ? '' : ` (${artifactId})`}`,
  )
  const how = 'Name it, or give {artifactId, taskId} in the metadata of a part under referenceArtifacts.'
  return {
    messageId: newId('message'),
    role: 'agent',
    parts: [{ text: `Which of these do you mean?\n${lines.join('\n')}\n${how}` }, { data: { artifacts } }],
  }
}
