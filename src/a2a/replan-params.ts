import { type Static, Type } from 'typebox'
import { invalidParams } from '../base/errors.ts'
import type { DraftPlan, DraftTask } from '../domain/draft.ts'
import {
  type Listed,
  type Names,
  namesOf,
  planFields,
  readPlansWith,
  readTask,
  TASK_FIELDS,
  TaskInput,
  words,
} from './opt-params.ts'
import { Id, Name } from './params.ts'

/** The params of `objectives/replan`. (design §3.8) */

/** A new task, which has a name; or one that is there and is carried over, by its id. */
const ReplanTask = Type.Object(
  { ...TaskInput.properties, name: Type.Optional(Name), taskId: Type.Optional(Id) },
  { description: 'a new task, by its name, or one to carry over, by its taskId' },
)
type ReplanTask = Static<typeof ReplanTask>

const ReplanPlan = Type.Object({
  key: Type.Optional(Id),
  id: Type.Optional(Id),
  ...planFields,
  tasks: Type.Optional(Type.Array(ReplanTask, { maxItems: 100_000 })),
})

export const ReplanSchema = Type.Object({
  id: Id,
  plans: Type.Array(ReplanPlan, { minItems: 1, maxItems: 100_000 }),
  taskId: Type.Optional(Id),
  running: Type.Optional(words(['keep', 'cancel'] as const)),
  reason: Type.Optional(Type.String({ maxLength: 10_000 })),
  expectedRevision: Type.Optional(Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })),
})

/**
 * Plans as a draft, as `objectives/create` reads them. A task that is carried over goes by its key, its taskId or its
 * position.
 *
 * @throws TrellisError invalidParams for a task that is neither new nor carried over, or both
 */
export function readReplan(plans: readonly Static<typeof ReplanPlan>[]): DraftPlan[] {
  return readPlansWith<ReplanTask>(plans, (tasks, prefix, manual, plan) => {
    for (const [index, task] of tasks.entries()) checkTask(task, `plans[${plan}].tasks[${index}]`)
    const names = namesOf(tasks.map(listed), 'task', prefix)
    return tasks.map((task, index) =>
      task.taskId === undefined
        ? readTask({ ...task, name: task.name as string }, index, names, manual)
        : carried(task.taskId, task, index, names),
    )
  })
}

function checkTask(task: ReplanTask, at: string): void {
  if (task.taskId === undefined) {
    if (task.name !== undefined) return
    throw invalidParams(`${at}.name`, 'is missing; expected a name, or the taskId of a task to carry over')
  }
  const given = TASK_FIELDS.find((field) => task[field] !== undefined)
  if (given === undefined) return
  throw invalidParams(`${at}.${given}`, 'was given beside taskId; a task that is carried over stays as it is')
}

function listed({ key, id, taskId, name }: ReplanTask): Listed {
  if (taskId === undefined) return { key, id, name: name as string }
  return { key: key ?? id, id: taskId, name: taskId }
}

function carried(taskId: string, { dependencies = [] }: ReplanTask, index: number, { keys, meant }: Names): DraftTask {
  return { key: keys[index] as string, name: taskId, taskId, dependencies: dependencies.map(meant) }
}
