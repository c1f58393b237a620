import { type Static, type TSchema, Type } from 'typebox'
import { type DraftPlan, type DraftTask, freeKey } from '../domain/draft.ts'
import { OBJECTIVE_STATUSES } from '../domain/objective.ts'
import { AnyObject, Id, Name, PageSize, STATE_WORDS } from './params.ts'

/** The params of the OPT extension's methods. (design §3.5, §8.2) */

export const words = <const T extends readonly string[]>(values: T) =>
  Type.Unsafe<T[number]>({ type: 'string', enum: values } as TSchema)

const Description = Type.Optional(Type.String({ maxLength: 1_000_000 }))
const Metadata = Type.Optional(AnyObject)
const Dependencies = Type.Optional(Type.Array(Id, { maxItems: 10_000 }))
const Seconds = Type.Number({ exclusiveMinimum: 0, maximum: 31_536_000, description: 'a number of seconds above 0' })

const Retry = Type.Object({
  maxAttempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
  backoffSeconds: Type.Optional(Type.Number({ minimum: 0, maximum: 31_536_000 })),
  maxBackoffSeconds: Type.Optional(Type.Number({ minimum: 0, maximum: 31_536_000 })),
})

export const TaskInput = Type.Object({
  key: Type.Optional(Id),
  id: Type.Optional(Id),
  name: Name,
  description: Description,
  agent: Type.Optional(Id),
  skill: Type.Optional(Id),
  dependencies: Dependencies,
  optional: Type.Optional(Type.Boolean()),
  retry: Type.Optional(Retry),
  timeoutSeconds: Type.Optional(Seconds),
  priority: Type.Optional(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 })),
  metadata: Metadata,
})
export type TaskInput = Static<typeof TaskInput>

export const planFields = {
  name: Name,
  description: Description,
  dependencies: Dependencies,
  onFailure: Type.Optional(words(['fail', 'continue', 'ignore'] as const)),
  alternativeTo: Type.Optional(Id),
  metadata: Metadata,
  /** Tasks without agent or skill run too, instead of waiting for `tasks/updateStatus`. */
  run: Type.Optional(Type.Boolean()),
  tasks: Type.Optional(Type.Array(TaskInput, { maxItems: 100_000 })),
}
const PlanInput = Type.Object({ key: Type.Optional(Id), id: Type.Optional(Id), ...planFields })
export type PlanInput = Static<typeof PlanInput>

export const CreatePlanSchema = Type.Object({ objectiveId: Id, ...planFields })
export const CreateObjectiveSchema = Type.Object({
  id: Type.Optional(Id),
  name: Name,
  description: Description,
  metadata: Metadata,
  plans: Type.Optional(Type.Array(PlanInput, { maxItems: 100_000 })),
})
export const GetObjectiveSchema = Type.Object({
  id: Id,
  includePlans: Type.Optional(Type.Boolean()),
  includeTasks: Type.Optional(Type.Boolean()),
})
export const ListObjectivesSchema = Type.Object({
  status: Type.Optional(words(OBJECTIVE_STATUSES)),
  pageSize: Type.Optional(PageSize),
  pageToken: Type.Optional(Type.String({ maxLength: 4_096 })),
})
export const UpdateObjectiveSchema = Type.Object({
  id: Id,
  name: Type.Optional(Name),
  description: Description,
  metadata: Metadata,
  status: Type.Optional(words(OBJECTIVE_STATUSES)),
})
export const IdSchema = Type.Object({ id: Id })
export const FollowObjectiveSchema = Type.Object({
  id: Id,
  afterSeq: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
})
export const UpdateStatusSchema = Type.Object({
  taskId: Id,
  state: words(STATE_WORDS),
  message: Type.Optional(AnyObject),
  artifacts: Type.Optional(Type.Array(Type.Unknown(), { maxItems: 1_000 })),
  metadata: Metadata,
})

export interface Listed {
  key?: string | undefined
  id?: string | undefined
  name: string
}

/** What the members of a list are called. */
export interface Names {
  /** One for each member: its key, else its id, else one that nobody has. */
  keys: string[]
  /** The key of the member that a name means; the name itself, where it means none. */
  meant(name: string): string
}

/**
 * A member goes by its key, its id, its position (`task-2` is the second task), and its name where no other has that; in
 * this order, if two of them say the same.
 */
export function namesOf(listed: readonly Listed[], word: 'task' | 'plan', prefix = ''): Names {
  const taken = new Set(listed.flatMap(({ key, id }) => [key, id]))
  const keys = listed.map(({ key, id }, index) => key ?? id ?? freeKey(`${prefix}${word}-${index + 1}`, taken))
  const known = new Map<string, string>()
  const twice = new Set<string>()
  for (const [index, { name }] of listed.entries()) {
    if (known.has(name)) twice.add(name)
    known.set(name, keys[index] as string)
  }
  for (const name of twice) known.delete(name)
  for (const [index, key] of keys.entries()) known.set(`${word}-${index + 1}`, key)
  for (const [index, { id }] of listed.entries()) if (id !== undefined) known.set(id, keys[index] as string)
  for (const key of keys) known.set(key, key)
  return { keys, meant: (name) => known.get(name) ?? name }
}

/**
 * Tasks as a draft: each gets a key, and each dependency becomes the key of what it means. What it cannot mean is left
 * as it is, for the draft's own check to name. `manual`: tasks that name neither agent nor skill wait for the client.
 */
export function readTasks(tasks: readonly TaskInput[], prefix: string, manual: boolean): DraftTask[] {
  const names = namesOf(tasks, 'task', prefix)
  return tasks.map((task, index) => readTask(task, index, names, manual))
}

/** What a task says of itself, beside its names and dependencies. Other fields are not read. */
export const TASK_FIELDS = [
  'name',
  'description',
  'agent',
  'skill',
  'optional',
  'retry',
  'timeoutSeconds',
  'priority',
  'metadata',
] as const satisfies readonly (keyof TaskInput)[]

export function readTask(task: TaskInput, index: number, { keys, meant }: Names, manual: boolean): DraftTask {
  const { name, agent, skill, dependencies = [] } = task
  const said = TASK_FIELDS.flatMap((field) => (task[field] === undefined ? [] : [[field, task[field]] as const]))
  return {
    ...Object.fromEntries(said),
    name,
    key: keys[index] as string,
    dependencies: dependencies.map(meant),
    ...(manual && agent === undefined && skill === undefined && { manual: true }),
  }
}

type ReadTasks<T> = (tasks: readonly T[], prefix: string, manual: boolean, plan: number) => DraftTask[]

/** Plans as a draft: dependencies and alternatives name other plans as tasks do others. */
export function readPlans(plans: readonly PlanInput[]): DraftPlan[] {
  return readPlansWith(plans, readTasks)
}

/** The same, of plans whose tasks are read otherwise. */
export function readPlansWith<T>(
  plans: readonly (Omit<PlanInput, 'tasks'> & { tasks?: T[] })[],
  read: ReadTasks<T>,
): DraftPlan[] {
  const { keys, meant } = namesOf(plans, 'plan')
  return plans.map(({ key: _, id: __, run = false, tasks = [], dependencies = [], alternativeTo, ...plan }, index) => ({
    ...plan,
    key: keys[index] as string,
    dependencies: dependencies.map(meant),
    ...(alternativeTo !== undefined && { alternativeTo: meant(alternativeTo) }),
    tasks: read(tasks, plans.length > 1 ? `${keys[index]}/` : '', !run, index),
  }))
}
