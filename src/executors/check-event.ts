import { Type } from 'typebox'
import { schemaCheck } from '../base/schema-check.ts'
import { storable } from '../base/storable.ts'
import type { ExecutionEvent } from '../domain/execution.ts'
import { TASK_STATES } from '../domain/task.ts'
import { messageOf } from './a2a-error.ts'
import { ExecutorError } from './executor-error.ts'

/** What is relied upon in an event; the rest of it is kept as it is. */
const Part = Type.Object(
  { text: Type.Optional(Type.String()), raw: Type.Optional(Type.String()), url: Type.Optional(Type.String()) },
  { oneOf: ['text', 'raw', 'url', 'data'].map((key) => ({ required: [key] })) },
)
const Parts = Type.Array(Part)
const Metadata = Type.Optional(Type.Record(Type.String(), Type.Unknown()))
const Name = Type.Optional(Type.String())
const Artifact = Type.Object({
  artifactId: Type.String({ minLength: 1 }),
  name: Name,
  description: Name,
  parts: Parts,
  metadata: Metadata,
})
const Message = Type.Object({ messageId: Type.String({ minLength: 1 }), parts: Parts, metadata: Metadata })
const State = Type.Enum([...TASK_STATES])
const Flag = Type.Optional(Type.Boolean())

const status = { state: State, message: Type.Optional(Message), metadata: Metadata }
export const EventSchema = {
  type: 'object',
  discriminator: { propertyName: 'kind' },
  required: ['kind'],
  oneOf: [
    Type.Object({ kind: Type.Literal('task'), ...status, artifacts: Type.Optional(Type.Array(Artifact)) }),
    Type.Object({ kind: Type.Literal('message'), message: Message }),
    Type.Object({ kind: Type.Literal('status'), ...status }),
    Type.Object({ kind: Type.Literal('artifact'), artifact: Artifact, append: Flag, lastChunk: Flag }),
  ],
}
const isEvent = schemaCheck<ExecutionEvent>(EventSchema, { strict: false, discriminator: true })

/**
 * What an executor published, as it can be stored. (design §5.8)
 *
 * @throws ExecutorError for what is no event: trying again would not help
 */
export function checkEvent(event: unknown): ExecutionEvent {
  if (!isEvent(event)) {
    const [problem] = isEvent.errors ?? []
    throw wrong(`${problem?.instancePath.slice(1).replaceAll('/', '.') || 'it'} ${problem?.message}`)
  }
  try {
    return storable(event)
  } catch (error) {
    throw wrong(messageOf(error))
  }
}

function wrong(why: string): ExecutorError {
  return new ExecutorError(`The agent published what is no event: ${why}`, { retryable: false })
}
