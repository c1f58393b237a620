import { createHash } from 'node:crypto'
import type { Message as SdkMessage, Task as SdkTask, StreamResponse } from '@a2a-js/sdk'
import { Type } from 'typebox'
import { type SchemaCheck, schemaCheck } from '../base/schema-check.ts'
import type { Artifact, Message, Metadata } from '../domain/message.ts'
import type { TaskState } from '../domain/task.ts'
import { brief, RemoteAgentError, type RemoteName } from './a2a-error.ts'
import type { A2aOptions } from './a2a-options.ts'
import { partBytes } from './compose-message.ts'
import { artifactFromSdk, messageFromSdk, stateFromSdk } from './sdk-codec.ts'

/** A remote task's status. No state: the agent said nothing that is known, which changes nothing. */
export interface RemoteStatus {
  taskId: string
  contextId?: string
  state?: TaskState
  message?: Message
  timestamp?: string
}

export interface RemoteTask extends RemoteStatus {
  artifacts: Artifact[]
  history: Message[]
}

/** What a remote agent sent, checked: safe to publish as it is. */
export type RemoteEvent =
  | { kind: 'message'; message: Message }
  | { kind: 'task'; task: RemoteTask }
  | { kind: 'status'; status: RemoteStatus }
  | { kind: 'artifact'; taskId: string; contextId?: string; artifact: Artifact; append: boolean; lastChunk: boolean }

const Id = Type.String({ minLength: 1, maxLength: 512 })
const Name = Type.Optional(Type.String({ maxLength: 10_000 }))
const Extensions = Type.Optional(Type.Array(Type.String({ maxLength: 2_000 }), { maxItems: 100 }))
const Free = Type.Optional(Type.Record(Type.String(), Type.Unknown()))
/** Exactly one kind of content. (A2A 1.0 §4.1.6) */
const PartShape = Type.Object(
  {
    text: Type.Optional(Type.String()),
    raw: Type.Optional(Type.String()),
    url: Type.Optional(Type.String({ maxLength: 100_000 })),
    data: Type.Optional(Type.Unknown()),
    filename: Name,
    mediaType: Name,
    metadata: Free,
  },
  { oneOf: ['text', 'raw', 'url', 'data'].map((key) => ({ required: [key] })) },
)
const Parts = Type.Array(PartShape)
export const ArtifactShape = Type.Object({
  artifactId: Id,
  name: Name,
  description: Name,
  parts: Parts,
  extensions: Extensions,
  metadata: Free,
})
export const MessageShape = Type.Object({
  messageId: Type.Optional(Type.String({ maxLength: 512 })),
  parts: Parts,
  extensions: Extensions,
  metadata: Free,
})
const isArtifact = schemaCheck(ArtifactShape, { strict: false })
const isMessage = schemaCheck(MessageShape, { strict: false })
const isId = schemaCheck<string>(Id, { strict: false })

/** Checks and bounds whatever one remote agent sends. Each method throws a RemoteAgentError for what cannot be used. */
export class RemoteBounds {
  readonly #agent: RemoteName
  readonly #options: A2aOptions

  constructor(agent: RemoteName, options: A2aOptions) {
    this.#agent = agent
    this.#options = options
  }

  event({ payload }: StreamResponse): RemoteEvent {
    switch (payload?.$case) {
      case 'message':
        return { kind: 'message', message: this.message(payload.value) }
      case 'task':
        return { kind: 'task', task: this.task(payload.value) }
      case 'statusUpdate':
        return {
          kind: 'status',
          status: this.#status(payload.value.taskId, payload.value.contextId, payload.value.status),
        }
      case 'artifactUpdate': {
        const { taskId, contextId, artifact, append, lastChunk } = payload.value
        if (!artifact) throw this.#nonsense('an artifact update without an artifact')
        const ids = {
          taskId: this.#id(taskId, 'task'),
          ...(contextId && { contextId: this.#id(contextId, 'context') }),
        }
        return { kind: 'artifact', ...ids, artifact: this.artifact(artifactFromSdk(artifact)), append, lastChunk }
      }
      default:
        throw this.#nonsense('an event of no known kind')
    }
  }

  /** The answer to a send that is no stream. */
  answer(result: SdkMessage | SdkTask): RemoteEvent {
    if ('messageId' in result) return { kind: 'message', message: this.message(result) }
    return { kind: 'task', task: this.task(result) }
  }

  task(task: SdkTask): RemoteTask {
    const { maxArtifacts } = this.#options
    const { artifacts = [], history = [] } = task
    if (artifacts.length > maxArtifacts) throw this.#tooLarge(`more than ${maxArtifacts} artifacts`)
    return {
      ...this.#status(task.id, task.contextId, task.status),
      artifacts: artifacts.map((artifact) => this.artifact(artifactFromSdk(artifact))),
      history: history.map((message) => this.message(message)),
    }
  }

  message(sdk: SdkMessage): Message {
    const message = messageFromSdk(sdk)
    this.#check(isMessage, message, 'message')
    this.#bound(message.parts, 'message')
    const { parts, extensions, metadata } = message
    return {
      messageId: message.messageId || `message-${digest(parts)}`,
      role: 'agent',
      parts: this.#partsOf(parts),
      ...(extensions && { extensions }),
      ...this.#metadata(metadata),
      // Ours to read, not to publish: whose message it is decides whether an answer of ours was received.
      ...(message.role === 'user' && { role: 'user' as const }),
    }
  }

  artifact(artifact: Artifact): Artifact {
    this.#check(isArtifact, artifact, 'artifact')
    this.#bound(artifact.parts, `artifact "${brief(artifact.name ?? artifact.artifactId)}"`)
    const { artifactId, name, description, parts, extensions, metadata } = artifact
    return {
      artifactId,
      ...(name && { name }),
      ...(description && { description }),
      parts: this.#partsOf(parts),
      ...(extensions && { extensions }),
      ...this.#metadata(metadata),
    }
  }

  #status(taskId: string, contextId: string, status: SdkTask['status']): RemoteStatus {
    const state = stateFromSdk(status?.state)
    return {
      taskId: this.#id(taskId, 'task'),
      ...(contextId && { contextId: this.#id(contextId, 'context') }),
      ...(state && { state }),
      ...(status?.message && { message: this.message(status.message) }),
      ...(status?.timestamp && { timestamp: String(status.timestamp).slice(0, 100) }),
    }
  }

  #partsOf(parts: Artifact['parts']): Artifact['parts'] {
    return parts.map(({ metadata, ...part }) => ({ ...part, ...this.#metadata(metadata) }))
  }

  /** Keys of our own extension would mean something here; from outside they are dropped. */
  #metadata(metadata: Metadata | undefined): { metadata?: Metadata } {
    if (!metadata) return {}
    const { maxMetadataBytes } = this.#options
    if (JSON.stringify(metadata).length > maxMetadataBytes)
      throw this.#tooLarge(`more than ${maxMetadataBytes} bytes of metadata`)
    const kept = withoutOwnKeys(metadata)
    return Object.keys(kept).length === 0 ? {} : { metadata: kept }
  }

  #bound(parts: Artifact['parts'], what: string): void {
    const { maxParts, maxArtifactBytes } = this.#options
    if (parts.length > maxParts) throw this.#tooLarge(`more than ${maxParts} parts in one ${what}`)
    const bytes = parts.reduce((sum, part) => sum + partBytes(part), 0)
    if (bytes > maxArtifactBytes) throw this.#tooLarge(`more than ${maxArtifactBytes} bytes in one ${what}`)
  }

  #check(valid: SchemaCheck<unknown>, value: unknown, what: string): void {
    if (valid(value)) return
    const [first] = valid.errors ?? []
    throw this.#nonsense(`a wrong ${what}: ${first?.instancePath ?? ''} ${first?.message ?? ''}`)
  }

  #id(id: unknown, of: string): string {
    if (isId(id)) return id
    throw this.#nonsense(`no usable ${of} id`)
  }

  #nonsense(what: string): RemoteAgentError {
    return new RemoteAgentError('nonsense', this.#agent, `answered nonsense: ${brief(what)}`)
  }

  #tooLarge(what: string): RemoteAgentError {
    return new RemoteAgentError('tooLarge', this.#agent, `sent ${what}`)
  }
}

/** Metadata without the keys of the OPT extension, which mean something to this server and its clients. */
export function withoutOwnKeys(metadata: Metadata): Metadata {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !key.startsWith('opt/')))
}

/** A short fingerprint of a JSON value that does not depend on the order of keys, which databases do not keep. */
export function digest(value: unknown): string {
  return createHash('sha256').update(canonical(value)).digest('base64url').slice(0, 22)
}

function canonical(value: unknown): string {
  return (
    JSON.stringify(value, (_key, one) =>
      typeof one === 'object' && one !== null && !Array.isArray(one)
        ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1)))
        : one,
    ) ?? ''
  )
}
