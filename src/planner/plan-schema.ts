import { type Static, Type } from 'typebox'
import type { Part } from '../domain/message.ts'

const closed = { additionalProperties: false }
const Text = (description: string) => Type.String({ minLength: 1, description })
const Seconds = Type.Number({ exclusiveMinimum: 0, maximum: 31_536_000 })
const Wait = Type.Number({ minimum: 0, maximum: 31_536_000 })
const MetadataSchema = Type.Record(Type.String(), Type.Unknown(), { description: 'an object' })
const OnPlanFailure = Type.Unsafe<'fail' | 'continue'>({ type: 'string', enum: ['fail', 'continue'] })
const References = Type.Array(Text('a key, a name, or a number such as task-1'))

/** What the tree of an objective prints beside what makes a plan or task: taken, so that a tree can be sent back, and not read. */
const Printed = Object.fromEntries(
  [
    'status',
    'state',
    'objectiveId',
    'planId',
    'taskId',
    'taskIndex',
    'progress',
    'revision',
    'supersedesPlanId',
    'carriedTo',
    'createdAt',
    'updatedAt',
  ].map((name) => [name, Type.Optional(Type.Unknown())]),
)

const PartSchema = Type.Object(
  {
    text: Type.Optional(Type.String()),
    raw: Type.Optional(Type.String()),
    url: Type.Optional(Type.String()),
    data: Type.Optional(Type.Unknown()),
    filename: Type.Optional(Type.String()),
    mediaType: Type.Optional(Type.String()),
    metadata: Type.Optional(MetadataSchema),
  },
  {
    ...closed,
    description: 'a part with exactly one of text, raw, url and data',
    oneOf: ['text', 'raw', 'url', 'data'].map((content) => ({ required: [content] })),
  },
)

const Retry = Type.Object(
  {
    maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 100 })),
    backoffSeconds: Type.Optional(Wait),
    maxBackoffSeconds: Type.Optional(Wait),
  },
  closed,
)

const taskMembers = {
  key: Type.Optional(Text('text that is unique in the objective')),
  id: Type.Optional(Text('text; taken as the key')),
  name: Text('text'),
  description: Type.Optional(Type.String()),
  parts: Type.Optional(Type.Array(Type.Unsafe<Part>(PartSchema))),
  dependencies: Type.Optional(References),
  agent: Type.Optional(Text('the name of an agent')),
  skill: Type.Optional(Text('the name of a skill')),
  manual: Type.Optional(Type.Boolean()),
  optional: Type.Optional(Type.Boolean()),
  retry: Type.Optional(Retry),
  timeoutSeconds: Type.Optional(Seconds),
  priority: Type.Optional(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 })),
  metadata: Type.Optional(MetadataSchema),
  onPlanFailure: Type.Optional(OnPlanFailure),
}

const planMembers = {
  key: Type.Optional(Text('text that is unique in the objective')),
  id: Type.Optional(Text('text; taken as the key')),
  name: Type.Optional(Text('text')),
  description: Type.Optional(Type.String()),
  dependencies: Type.Optional(References),
  onFailure: Type.Optional(
    Type.Unsafe<'fail' | 'continue' | 'ignore'>({ type: 'string', enum: ['fail', 'continue', 'ignore'] }),
  ),
  alternativeTo: Type.Optional(Text('a key, a name, or a number such as plan-1')),
  metadata: Type.Optional(MetadataSchema),
}

const TaskMembers = Type.Object(taskMembers)
const PlanMembers = Type.Object(planMembers)

/** A task as a client or a playbook writes it: a name is enough. `dependencies` by key, `task-N` from 1, or name. */
export type TaskInput = Static<typeof TaskMembers> & { plans?: PlanInput[]; carriedTo?: unknown }

/** A plan as a client or a playbook writes it. `dependencies` and `alternativeTo` by key, `plan-N` from 1, or name. */
export type PlanInput = Static<typeof PlanMembers> & { tasks: TaskInput[] }

const TaskSchema = Type.Object(
  { ...taskMembers, ...Printed, plans: Type.Optional(Type.Array(Type.Unsafe<PlanInput>({ $ref: '#/$defs/plan' }))) },
  { ...closed, description: 'a task: an object with a name, or the name' },
)
const PlanObject = Type.Object(
  { ...planMembers, ...Printed, tasks: Type.Array(Type.Unsafe<TaskInput>({ $ref: '#/$defs/task' })) },
  { ...closed, description: 'a plan: an object with tasks' },
)

/** Plans and tasks refer to each other, so they are checked within one schema. */
export const PlansSchema = {
  $id: 'trellis:plans',
  type: 'array',
  description: 'a list of plans',
  items: { $ref: '#/$defs/plan' },
  $defs: { plan: PlanObject, task: TaskSchema },
}
