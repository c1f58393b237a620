import { type Static, type TSchema, Type } from 'typebox'
import type { DraftPlan, DraftTask } from '../domain/draft.ts'
import { OBJECTIVE_STATUSES } from '../domain/objective.ts'
import { AnyObject, Id, Name, PageSize, STATE_WORDS } from './params.ts'

/** The params of the OPT extension's methods. (design §3.5, §8.2) */

const words = <const T extends readonly string[]>(values: T) =>
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

const TaskInput = Type.Object({
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
type TaskInput = Static<typeof TaskInput>

const planFields = {
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
type PlanInput = Static<typeof PlanInput>

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

/** `task-2` is the second task of the list, unless a task has that as its key or id. */
const POSITION = /^task-([1-9]\d*)$/

/**
 * Tasks as a draft: each gets a key, and each dependency becomes the key of what it means. What it cannot mean is left
 * as it is, for the draft's own check to name. `manual`: tasks that name neither agent nor skill wait for the client.
 */
export function readTasks(tasks: readonly TaskInput[], prefix: string, manual: boolean): DraftTask[] {
  const keys = tasks.map((task, index) => task.key ?? task.id ?? `${prefix}task-${index + 1}`)
  const known = new Map(tasks.flatMap(({ key, id }, index) => [key, id].map((name) => [name, keys[index]] as const)))
  const meant = (name: string) => known.get(name) ?? keys[Number(POSITION.exec(name)?.[1]) - 1] ?? name
  return tasks.map(({ key: _, id: __, dependencies = [], ...task }, index) => ({
    ...task,
    key: keys[index] as string,
    dependencies: dependencies.map(meant),
    ...(manual && task.agent === undefined && task.skill === undefined && { manual: true }),
  }))
}

/** Plans as a draft: dependencies and alternatives name other plans by key, id, name or `plan-N`. */
export function readPlans(plans: readonly PlanInput[]): DraftPlan[] {
  const keys = plans.map((plan, index) => plan.key ?? plan.id ?? `plan-${index + 1}`)
  const byName = new Map(plans.map((plan, index) => [plan.name, keys[index]]))
  const meant = (name: string) => (keys.includes(name) ? name : (byName.get(name) ?? name))
  return plans.map(({ key: _, id: __, run = false, tasks = [], dependencies = [], alternativeTo, ...plan }, index) => ({
    ...plan,
    key: keys[index] as string,
    dependencies: dependencies.map(meant),
    ...(alternativeTo !== undefined && { alternativeTo: meant(alternativeTo) }),
    tasks: readTasks(tasks, plans.length > 1 ? `${keys[index]}/` : '', !run),
  }))
}
