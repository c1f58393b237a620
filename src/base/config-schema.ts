import { type Static, type TSchema, Type } from 'typebox'
import { AgentSchema } from './config-agents.ts'
import { AuthSchema } from './config-auth.ts'
import { PushSchema } from './config-push.ts'
import { LONGEST_SECONDS } from './timers.ts'

const closed = { additionalProperties: false, default: {} }

/** A setting with a default; the default's presence makes the type non-optional. */
const seconds = (value: number) => Type.Number({ default: value, exclusiveMinimum: 0, maximum: 31_536_000 })
/** One that a timer is set to. */
const timer = (value: number) => Type.Number({ default: value, exclusiveMinimum: 0, maximum: LONGEST_SECONDS })
const count = (value: number, maximum = 1_000_000) => Type.Integer({ default: value, minimum: 1, maximum })
const choice = <const T extends readonly string[]>(values: T, value: T[number]) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values, default: value } as TSchema)

const Server = Type.Object(
  {
    /** Local only unless told otherwise; a container sets HOST=0.0.0.0. */
    host: Type.String({ default: '127.0.0.1', minLength: 1 }),
    /** 0 takes any free port. */
    port: Type.Integer({ default: 8080, minimum: 0, maximum: 65_535 }),
    /** Where clients reach the server, when that is not http://localhost:port. */
    publicUrl: Type.Optional(
      Type.String({ format: 'uri', pattern: '^https?://', description: 'an http:// or https:// URL' }),
    ),
    /** More names that requests may be sent to, for what checks them; `*` is any. */
    allowedHosts: Type.Array(Type.String({ minLength: 1 }), { default: [] }),
    /** Origins of web pages that may call, beside our own. */
    allowedOrigins: Type.Array(
      Type.String({ pattern: '^[a-z][a-z0-9+.-]*://[^/]+$', description: 'an origin, as in https://app.example.com' }),
      { default: [] },
    ),
    /** Addresses of proxies that say truly whom they speak for. */
    trustedProxies: Type.Array(Type.String({ minLength: 1 }), { default: [] }),
  },
  closed,
)

const Data = Type.Object(
  {
    /** The embedded database's folder; unused with a databaseUrl. */
    dir: Type.String({ default: './data', minLength: 1 }),
    databaseUrl: Type.Optional(Type.String({ pattern: '^postgres(ql)?://', description: 'a postgres:// URL' })),
    poolSize: count(10, 1_000),
  },
  closed,
)

const LOG_LEVELS = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const
const Log = Type.Object({ level: choice(LOG_LEVELS, 'info') }, closed)

const Limits = Type.Object(
  {
    bodyBytes: count(10 * 1024 * 1024, 1024 * 1024 * 1024),
    /** Ends a wait with the task as it is then; absent: waits end with the task. */
    blockingSeconds: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: 31_536_000 })),
    firstEventSeconds: timer(2),
    streamBufferBytes: count(1024 * 1024, 1024 * 1024 * 1024),
    heartbeatSeconds: timer(15),
    maxPlansPerObjective: count(100),
    maxTasksPerPlan: count(1_000),
    maxDepth: count(5, 100),
    maxTextLength: count(20_000, 10_000_000),
    concurrentTasksPerObjective: count(20),
    /** Of one principal, or of one address where nobody has to say who calls. Absent: any number. */
    requestsPerMinute: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000_000 })),
    streamsPerPrincipal: count(10_000),
    subscribersPerTask: count(1_000),
  },
  closed,
)

const Planning = Type.Object(
  {
    inlineSeconds: timer(2),
    playbooks: Type.String({ default: './config/playbooks', minLength: 1 }),
    /** Planners of one's own, asked after the playbooks and before the words are read. */
    modules: Type.Array(Type.String({ minLength: 1 }), { default: [] }),
  },
  closed,
)

const Defaults = Type.Object(
  {
    /** One try unless told otherwise: what an agent does may not be harmless to do twice. */
    retry: Type.Object(
      { maxAttempts: count(1, 1_000), backoffSeconds: seconds(1), maxBackoffSeconds: seconds(60) },
      closed,
    ),
    timeoutSeconds: seconds(3_600),
    onFailure: choice(['fail', 'continue', 'ignore'] as const, 'fail'),
    onPlanFailure: choice(['fail', 'continue'] as const, 'fail'),
  },
  closed,
)

const Runner = Type.Object(
  {
    capacity: count(100, 100_000),
    beatSeconds: timer(5),
    lostSeconds: timer(20),
    sweepSeconds: timer(10),
    pollSeconds: timer(5),
  },
  closed,
)

const GroupCommit = Type.Object({ maxMembers: count(100, 10_000), lanes: count(2, 100) }, closed)

/** Off without a port. */
const Grpc = Type.Object(
  {
    /** server.host when absent. */
    host: Type.Optional(Type.String({ minLength: 1 })),
    /** 0 takes any free port. */
    port: Type.Optional(Type.Integer({ minimum: 0, maximum: 65_535 })),
    /** As the card names it, when that is not the public URL's host and this port. */
    address: Type.Optional(Type.String({ minLength: 1 })),
    /** Files in PEM. Absent: without TLS. */
    tls: Type.Optional(
      Type.Object(
        { cert: Type.String({ minLength: 1 }), key: Type.String({ minLength: 1 }) },
        { additionalProperties: false },
      ),
    ),
  },
  closed,
)

const SIGNING_ALGORITHMS = ['ES256', 'ES384', 'ES512', 'EdDSA', 'RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512']

const MediaRange = Type.String({
  pattern: '^[^\\s/,]+/[^\\s/,]+$',
  description: 'a media type, as text/plain or image/*',
})

const Card = Type.Object(
  {
    name: Type.String({ default: 'Trellis', minLength: 1 }),
    description: Type.String({
      default: 'Orchestrates agents: one message becomes a finished objective of plans and tasks.',
      minLength: 1,
    }),
    provider: Type.Optional(
      Type.Object(
        { organization: Type.String({ minLength: 1 }), url: Type.String({ format: 'uri', description: 'a URL' }) },
        { additionalProperties: false },
      ),
    ),
    documentationUrl: Type.Optional(Type.String({ format: 'uri', description: 'a URL' })),
    iconUrl: Type.Optional(Type.String({ format: 'uri', description: 'a URL' })),
    /** 1.0's members only: older clients then cannot read it. */
    strict: Type.Boolean({ default: false }),
    /** Callers that may read get a card that also names the agents. */
    extended: Type.Boolean({ default: false }),
    /** False: methods that stream are refused. */
    streaming: Type.Boolean({ default: true }),
    /** Whether the WebSocket is named. */
    websocket: Type.Boolean({ default: true }),
    /** Media types that messages may have; others are refused. */
    inputModes: Type.Array(MediaRange, { default: ['text/plain', 'application/json', '*/*'], minItems: 1 }),
    /** Media types of what comes out. */
    outputModes: Type.Array(MediaRange, { default: ['text/plain', 'application/json', '*/*'], minItems: 1 }),
    /** Extensions that a client has to activate. */
    requiredExtensions: Type.Array(Type.String({ format: 'uri', description: 'a URI' }), { default: [] }),
    signing: Type.Optional(
      Type.Object(
        {
          keyFile: Type.String({ minLength: 1 }),
          kid: Type.Optional(Type.String({ minLength: 1 })),
          alg: Type.Optional(Type.Enum(SIGNING_ALGORITHMS)),
        },
        { additionalProperties: false },
      ),
    ),
  },
  closed,
)

/** Every setting, with its bounds and default. docs/configuration.md says what each is for. */
export const ConfigSchema = Type.Object(
  {
    server: Server,
    auth: AuthSchema,
    data: Data,
    log: Log,
    limits: Limits,
    /** `off`: a repeated message is taken as a new one. */
    idempotency: choice(['on', 'off'] as const, 'on'),
    planner: Planning,
    agents: Type.Array(AgentSchema, { default: [] }),
    /** Takes a task that fits no agent; the first one listed, when absent. */
    defaultAgent: Type.Optional(Type.String({ minLength: 1 })),
    defaults: Defaults,
    runner: Runner,
    groupCommit: GroupCommit,
    push: PushSchema,
    grpc: Grpc,
    card: Card,
  },
  { additionalProperties: false },
)

export type ConfigInput = Static<typeof ConfigSchema>
