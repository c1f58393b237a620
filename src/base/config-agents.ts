import { type Static, Type } from 'typebox'

const Skill = Type.Object(
  {
    id: Type.String({ minLength: 1 }),
    name: Type.String({ minLength: 1 }),
    description: Type.Optional(Type.String()),
    tags: Type.Optional(Type.Array(Type.String())),
    examples: Type.Optional(Type.Array(Type.String())),
    outputModes: Type.Optional(Type.Array(Type.String())),
  },
  { additionalProperties: false },
)

const common = {
  /** What tasks and logs call it. */
  name: Type.String({
    pattern: '^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$',
    description: 'up to 64 letters, digits, dots, dashes and underscores, beginning with a letter or digit',
  }),
  description: Type.Optional(Type.String()),
  /** Absent: an a2a agent's are read from its card. */
  skills: Type.Optional(Type.Array(Skill)),
  /** Media types. Absent: anything goes. */
  inputModes: Type.Optional(Type.Array(Type.String())),
  outputModes: Type.Optional(Type.Array(Type.String())),
  /** How many of its tasks may run at once on the whole cluster; absent: any number. */
  maxConcurrent: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000 })),
  /** Per attempt; defaults.timeoutSeconds when absent. */
  timeoutSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 31_536_000 })),
}
const closed = { additionalProperties: false }

/** A remote agent. `url` is its card's address, or the base address that the card is found under. */
const A2aAgent = Type.Object(
  {
    kind: Type.Literal('a2a'),
    ...common,
    url: Type.String({ format: 'uri', pattern: '^https?://', description: 'an http:// or https:// URL' }),
    /** Sent to the agent with every request. */
    headers: Type.Optional(Type.Record(Type.String(), Type.String())),
    /** Absent: the newest that the card offers. */
    protocolVersion: Type.Optional(Type.Enum(['1.0', '0.3'])),
    /** Absent: the one that the card prefers. */
    transport: Type.Optional(Type.Enum(['JSONRPC', 'HTTP+JSON', 'GRPC'])),
    /** The first pause before a task that does not stream is looked at again; each further one doubles it, to 30 s. 1 when absent. */
    checkSeconds: Type.Optional(Type.Number({ minimum: 0.05, maximum: 30 })),
    /** Other hosts that the card may send requests to. */
    hosts: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
  },
  closed,
)
const ManualAgent = Type.Object({ kind: Type.Literal('manual'), ...common }, closed)
const EchoAgent = Type.Object({ kind: Type.Literal('echo'), ...common }, closed)

/** An executor of one's own: `path` names a module whose default export is an AgentExecutor or a function that makes one. */
const ModuleAgent = Type.Object(
  { kind: Type.Literal('module'), ...common, path: Type.String({ minLength: 1 }) },
  closed,
)

const variants = [A2aAgent, ManualAgent, EchoAgent, ModuleAgent] as const
export const AGENT_KINDS = ['a2a', 'manual', 'echo', 'module'] as const

export type AgentConfig = Static<(typeof variants)[number]>
export type A2aAgentConfig = Static<typeof A2aAgent>
export type ModuleAgentConfig = Static<typeof ModuleAgent>
export type SkillConfig = Static<typeof Skill>

/** Ajv takes the variant that `kind` names, so that an error speaks of that variant alone. */
export const AgentSchema = Type.Unsafe<AgentConfig>({
  type: 'object',
  discriminator: { propertyName: 'kind' },
  required: ['kind'],
  oneOf: [...variants],
})

/** Takes every task when no agent is configured, and says so in its artifact. */
export const BUILT_IN_ECHO: AgentConfig = {
  kind: 'echo',
  name: 'echo',
  description: 'Repeats what it was asked and given. Built in, for a server without agents.',
}
