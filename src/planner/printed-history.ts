import type { PlanInput, TaskInput } from './plan-schema.ts'

/**
 * Plans of a printed tree without what is only history there: a task that a replan carried into another plan stands in
 * both, and would be done twice. What waited for it where it was does so no more. (design §3.8)
 */
export function withoutHistory(plans: readonly PlanInput[]): PlanInput[] {
  const left = plans.filter(({ tasks }) => tasks.length === 0 || tasks.some(isHere))
  const gone = new Set(plans.filter((plan) => !left.includes(plan)).map(({ id }) => id))
  return left.map((plan) => ({ ...plan, ...waitsFor(plan, gone), tasks: tasksHere(plan.tasks) }))
}

function tasksHere(tasks: readonly TaskInput[]): TaskInput[] {
  const gone = new Set(tasks.filter((task) => !isHere(task)).map(({ id }) => id))
  return tasks.filter(isHere).map((task) => ({
    ...task,
    ...waitsFor(task, gone),
    ...(task.plans && { plans: withoutHistory(task.plans) }),
  }))
}

function isHere({ carriedTo }: TaskInput): boolean {
  return carriedTo === undefined
}

function waitsFor({ dependencies }: { dependencies?: string[] }, gone: ReadonlySet<string | undefined>) {
  return dependencies === undefined ? {} : { dependencies: dependencies.filter((id) => !gone.has(id)) }
}
