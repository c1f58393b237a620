/** What clients and agents exchange. The shapes are A2A 1.0's JSON; other versions are translated at the edge (a2a/). */

export type Metadata = Record<string, unknown>

interface PartCommon {
  metadata?: Metadata
  filename?: string
  mediaType?: string
}

/** One piece of content. Exactly one of text, raw (base64), url and data is there. (A2A 1.0 §4.1.6) */
export type Part = PartCommon & ({ text: string } | { raw: string } | { url: string } | { data: unknown })

/** (A2A 1.0 §4.1.4) */
export interface Message {
  messageId: string
  role: 'user' | 'agent'
  parts: Part[]
  contextId?: string
  taskId?: string
  referenceTaskIds?: string[]
  extensions?: string[]
  metadata?: Metadata
}

/** (A2A 1.0 §4.1.7) */
export interface Artifact {
  artifactId: string
  name?: string
  description?: string
  parts: Part[]
  extensions?: string[]
  metadata?: Metadata
}

/** The text parts of a message, joined. */
export function textOf(message: { parts: readonly Part[] }, delimiter = '\n'): string {
  return message.parts.flatMap((part) => ('text' in part ? [part.text] : [])).join(delimiter)
}

/** An artifact of a task. */
export interface ArtifactReference {
  artifactId: string
  taskId: string
}

/** The artifacts that a message's parts name under `metadata.referenceArtifacts`: just these are meant. (design §2) */
export function referencedArtifacts(message: { parts: readonly Part[] }): ArtifactReference[] {
  return message.parts.flatMap((part) => {
    const named = part.metadata?.['referenceArtifacts']
    return Array.isArray(named) ? named.filter(isArtifactReference) : []
  })
}

function isArtifactReference(value: unknown): value is ArtifactReference {
  const { artifactId, taskId } = (value ?? {}) as Partial<ArtifactReference>
  return typeof artifactId === 'string' && typeof taskId === 'string'
}
