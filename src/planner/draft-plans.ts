import { invalidPlan } from '../base/errors.ts'
import type { DraftPlan, DraftTask } from '../domain/draft.ts'
import type { Metadata } from '../domain/message.ts'
import type { PlanInput, TaskInput } from './plan-schema.ts'
import { withoutHistory } from './printed-history.ts'

/** Keys of the whole objective: those that were given, then those that are made around them. */
type Taken = Set<string>

/**
 * Draft plans of what was written. Keys are made where absent (`plan-1`, `plan-1/task-2`), and dependencies resolved: a
 * key first, then `task-N` or `plan-N` counted from 1, then a name. A task without agent or skill goes to routing.
 * Throws `invalidPlan` for a dependency that is not there, or is a name that several have.
 */
export function draftPlans(plans: readonly PlanInput[]): DraftPlan[] {
  const taken: Taken = new Set()
  const live = withoutHistory(plans)
  collectKeys(live, taken)
  return convertPlans(live, '', taken)
}

function collectKeys(plans: readonly PlanInput[], taken: Taken): void {
  for (const plan of plans) {
    addGiven(plan, taken)
    for (const task of plan.tasks) {
      addGiven(task, taken)
      collectKeys(task.plans ?? [], taken)
    }
  }
}

function addGiven(thing: { key?: string; id?: string }, taken: Taken): void {
  const key = thing.key ?? thing.id
  if (key !== undefined) taken.add(key)
}

function convertPlans(plans: readonly PlanInput[], prefix: string, taken: Taken): DraftPlan[] {
  const names = plans.map((plan, index) => plan.name ?? `Plan ${index + 1}`)
  const keys = plans.map((plan, index) => plan.key ?? plan.id ?? makeKey(`${prefix}plan-${index + 1}`, taken))
  const resolve = resolver('plan', keys, names)
  return plans.map((plan, index) => {
    const key = keys[index] ?? ''
    const alternativeTo = plan.alternativeTo === undefined ? undefined : resolve(key, plan.alternativeTo)
    return {
      key,
      name: names[index] ?? '',
      dependencies: unique((plan.dependencies ?? []).map((reference) => resolve(key, reference))),
      tasks: convertTasks(plan.tasks, key, taken),
      ...pick(plan, ['description', 'onFailure']),
      ...givenMetadata(plan.metadata),
      ...(alternativeTo !== undefined && { alternativeTo }),
    }
  })
}

function convertTasks(tasks: readonly TaskInput[], planKey: string, taken: Taken): DraftTask[] {
  const keys = tasks.map((task, index) => task.key ?? task.id ?? makeKey(`${planKey}/task-${index + 1}`, taken))
  const names = tasks.map((task) => task.name)
  const resolve = resolver('task', keys, names)
  return tasks.map((task, index) => {
    const key = keys[index] ?? ''
    return {
      key,
      dependencies: unique((task.dependencies ?? []).map((reference) => resolve(key, reference))),
      ...pick(task, TASK_MEMBERS),
      name: task.name,
      ...givenMetadata(task.metadata),
      ...(task.plans && { plans: convertPlans(task.plans, `${key}/`, taken) }),
    }
  })
}

const TASK_MEMBERS = [
  'description',
  'parts',
  'agent',
  'skill',
  'manual',
  'optional',
  'retry',
  'timeoutSeconds',
  'priority',
  'onPlanFailure',
] as const

/** The key that a reference means, among siblings. */
function resolver(what: 'plan' | 'task', keys: readonly string[], names: readonly string[]) {
  const known = new Set(keys)
  const numbered = new RegExp(`^${what}[-_ ]?(\\d{1,7})$`, 'i')
  const named = new Map<string, string[]>()
  for (const [index, name] of names.entries()) {
    const folded = fold(name)
    named.set(folded, [...(named.get(folded) ?? []), keys[index] ?? ''])
  }
  return (from: string, reference: string): string => {
    if (known.has(reference)) return reference
    const number = numbered.exec(reference)?.[1]
    const byNumber = number === undefined ? undefined : keys[Number(number) - 1]
    if (byNumber !== undefined) return byNumber
    const byName = named.get(fold(reference)) ?? []
    if (byName.length === 1 && byName[0] !== undefined) return byName[0]
    throw invalidPlan(from, unresolved(what, reference, keys.length, byName.length))
  }
}

function unresolved(what: 'plan' | 'task', reference: string, count: number, named: number): string {
  const range = count === 1 ? `${what}-1` : `${what}-1 to ${what}-${count}`
  const where = what === 'task' ? 'tasks of the same plan' : 'plans beside it'
  if (named > 1) return `it refers to "${reference}", a name that ${named} of the ${where} have; use a key or ${range}`
  return `it refers to "${reference}", which is no key or name among the ${where}, and not ${range}`
}

/** What a client may say in metadata: not what the server says there itself, as in a tree that is sent back. */
export function givenMetadata(metadata: unknown): { metadata?: Metadata } {
  if (!isRecord(metadata)) return {}
  const own = Object.entries(metadata).filter(([key]) => !key.startsWith('opt/v1/'))
  return own.length === 0 ? {} : { metadata: Object.fromEntries(own) }
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function makeKey(wanted: string, taken: Taken): string {
  let key = wanted
  for (let again = 2; taken.has(key); again += 1) key = `${wanted}-${again}`
  taken.add(key)
  return key
}

function fold(name: string): string {
  return name.trim().toLowerCase()
}

function unique(keys: readonly string[]): string[] {
  return [...new Set(keys)]
}

/** The members among those named that are there. */
function pick<T extends object, K extends keyof T>(from: T, members: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    members.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]),
  ) as Pick<T, K>
}
