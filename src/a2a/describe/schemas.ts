import { type TSchema, Type } from 'typebox'
import { OBJECTIVE_STATUSES } from '../../domain/objective.ts'
import { PLAN_STATUSES } from '../../domain/plan.ts'
import { TASK_STATES } from '../../domain/task.ts'

/** What operations answer, as A2A 1.0 writes it: for the documents that describe them, and for tests to hold answers against. */

const ref = (name: string) => Type.Unsafe({ $ref: `#/components/schemas/${name}` } as TSchema)
const words = (values: readonly string[]) => Type.Unsafe({ type: 'string', enum: [...values] } as TSchema)
const optional = Type.Optional
const Metadata = optional(Type.Unsafe({ type: 'object', description: 'Any JSON.' } as TSchema))
const Text = Type.String()
const Time = Type.String({ format: 'date-time' })
const Count = Type.Integer({ minimum: 0 })
const Index = Type.Integer({ minimum: 0 })
const Texts = Type.Array(Text)
const Page = {
  nextPageToken: Type.String({ description: 'Empty on the last page.' }),
  pageSize: Count,
  totalSize: Count,
}
const Seq = Type.Integer({ minimum: 0, description: "The number of an event in its context's log." })

const Part = Type.Object(
  {
    text: optional(Text),
    raw: optional(Type.String({ description: 'Base64.' })),
    url: optional(Text),
    data: optional(Type.Unknown()),
    filename: optional(Text),
    mediaType: optional(Text),
    metadata: Metadata,
  },
  { description: 'Exactly one of text, raw, url and data.' },
)

const Message = Type.Object({
  messageId: Text,
  role: words(['ROLE_USER', 'ROLE_AGENT']),
  parts: Type.Array(ref('Part'), { minItems: 1 }),
  contextId: optional(Text),
  taskId: optional(Text),
  referenceTaskIds: optional(Texts),
  extensions: optional(Texts),
  metadata: Metadata,
})

const TaskState = words(TASK_STATES.map((state) => `TASK_STATE_${state.toUpperCase().replace('-', '_')}`))
const TaskStatus = Type.Object({ state: ref('TaskState'), timestamp: Time, message: optional(ref('Message')) })

const Artifact = Type.Object({
  artifactId: Text,
  name: optional(Text),
  description: optional(Text),
  parts: Type.Array(ref('Part')),
  extensions: optional(Texts),
  metadata: Metadata,
})

const Task = Type.Object({
  id: Text,
  contextId: Text,
  status: ref('TaskStatus'),
  artifacts: optional(Type.Array(ref('Artifact'))),
  history: optional(Type.Array(ref('Message'))),
  metadata: Metadata,
})

const TaskStatusUpdateEvent = Type.Object({
  taskId: Text,
  contextId: Text,
  status: ref('TaskStatus'),
  metadata: Metadata,
})
const TaskArtifactUpdateEvent = Type.Object({
  taskId: Text,
  contextId: Text,
  artifact: ref('Artifact'),
  append: Type.Boolean(),
  lastChunk: Type.Boolean(),
  metadata: Metadata,
})

const oneOf = (members: Record<string, TSchema>) =>
  Type.Object(Object.fromEntries(Object.entries(members).map(([name, schema]) => [name, optional(schema)])), {
    minProperties: 1,
    maxProperties: 1,
    additionalProperties: false,
  })

const counts = ['total', 'completed', 'failed', 'canceled', 'skipped', 'working', 'blocked', 'pending']
const Progress = Type.Object(Object.fromEntries(counts.map((name) => [name, Count])))

const TreeTask = Type.Object({
  id: Text,
  planId: Text,
  objectiveId: Text,
  name: Text,
  description: optional(Text),
  taskIndex: Index,
  status: words(['pending', 'skipped', ...TASK_STATES]),
  state: words(TASK_STATES),
  dependencies: Texts,
  agent: optional(Text),
  metadata: Metadata,
  carriedTo: optional(Type.String({ description: 'The plan that a replan carried it into: here it is history.' })),
  plans: optional(Type.Array(ref('Plan'), { description: 'Where the task was planned in its turn.' })),
})

const Plan = Type.Object({
  id: Text,
  objectiveId: Text,
  taskId: Text,
  name: Text,
  description: optional(Text),
  status: words(PLAN_STATUSES),
  dependencies: Texts,
  onFailure: words(['fail', 'continue', 'ignore']),
  alternativeTo: optional(Text),
  revision: Count,
  supersedesPlanId: optional(
    Type.String({ description: 'The plan that a replan ended, and that this one stands for.' }),
  ),
  progress: ref('Progress'),
  metadata: Metadata,
  createdAt: Time,
  updatedAt: Time,
  tasks: optional(Type.Array(ref('TreeTask'))),
})

const Objective = Type.Object({
  id: Type.String({ description: 'The contextId.' }),
  name: Text,
  description: optional(Text),
  status: words(OBJECTIVE_STATUSES),
  progress: ref('Progress'),
  metadata: Metadata,
  createdAt: Time,
  updatedAt: Time,
  plans: optional(Type.Array(ref('Plan'))),
})

const Event = Type.Object({
  seq: Seq,
  time: Time,
  type: Text,
  planId: optional(Text),
  taskId: optional(Text),
  data: Type.Unknown(),
})

export const SCHEMAS = {
  Part,
  Message,
  TaskState,
  TaskStatus,
  Artifact,
  Task,
  TaskStatusUpdateEvent,
  TaskArtifactUpdateEvent,
  SendMessageResponse: oneOf({ task: ref('Task'), message: ref('Message') }),
  StreamResponse: oneOf({
    task: ref('Task'),
    message: ref('Message'),
    statusUpdate: ref('TaskStatusUpdateEvent'),
    artifactUpdate: ref('TaskArtifactUpdateEvent'),
  }),
  ListTasksResponse: Type.Object({ tasks: Type.Array(ref('Task')), ...Page }),
  Progress,
  TreeTask,
  Plan,
  Objective,
  ObjectiveResult: Type.Object({ objective: ref('Objective') }),
  ListObjectivesResult: Type.Object({ objectives: Type.Array(ref('Objective')), ...Page }),
  ObjectiveFrame: oneOf({ snapshot: Type.Object({ seq: Seq, objective: ref('Objective') }), event: Event }),
  PlanResult: Type.Object({ plan: ref('Plan') }),
  TaskResult: Type.Object({ task: ref('Task') }),
  /** Described where it is defined: by the protocol, or as an object of no fixed shape. */
  Object: Type.Unsafe({ type: 'object' } as TSchema),
} as const

export type ResultName = keyof typeof SCHEMAS
