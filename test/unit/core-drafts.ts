import fc from 'fast-check'
import type { DraftPlan, DraftTask } from '../../src/domain/draft.ts'

/** Random drafts: their shapes as numbers, so that they shrink, and what they come to. */

interface TaskShape {
  after: number[]
  optional: boolean
  kind: 'executed' | 'manual' | 'planned'
  attempts: number
  inner: PlanShape[]
  continues: boolean
}

interface PlanShape {
  after: number[]
  /** How far before it the plan is that it is the alternative to; 0: it is none. */
  standsFor: number
  onFailure: 'fail' | 'continue' | 'ignore'
  tasks: TaskShape[]
}

const someBefore = fc.array(fc.nat(3), { maxLength: 2 })

function taskShapes(depth: number): fc.Arbitrary<TaskShape> {
  const kinds = fc.oneof(
    { weight: 6, arbitrary: fc.constant('executed' as const) },
    { weight: 2, arbitrary: fc.constant('manual' as const) },
    { weight: depth > 0 ? 2 : 0, arbitrary: fc.constant('planned' as const) },
  )
  return fc.record({
    after: someBefore,
    optional: fc.nat(3).map((n) => n === 3),
    kind: kinds,
    attempts: fc.integer({ min: 1, max: 3 }),
    inner: depth > 0 ? fc.array(planShapes(depth - 1), { minLength: 1, maxLength: 2 }) : fc.constant<PlanShape[]>([]),
    continues: fc.boolean(),
  })
}

function planShapes(depth: number): fc.Arbitrary<PlanShape> {
  return fc.record({
    after: fc.oneof({ weight: 2, arbitrary: fc.constant<number[]>([]) }, { weight: 1, arbitrary: someBefore }),
    standsFor: fc.oneof(
      { weight: 2, arbitrary: fc.constant(0) },
      { weight: 1, arbitrary: fc.integer({ min: 1, max: 2 }) },
    ),
    onFailure: fc.constantFrom('fail', 'continue', 'ignore'),
    tasks: fc.array(taskShapes(depth), { maxLength: 3 }),
  })
}

/**
 * Plans for one planned task, with what createPlans accepts: acyclic, nothing waits for a plan without tasks, and one of
 * a nested task's plans has some.
 */
export const drafts = (maxPlans: number): fc.Arbitrary<DraftPlan[]> =>
  fc.array(planShapes(1), { minLength: 1, maxLength: maxPlans }).map((shapes) => plansOf(shapes, 'p'))

function plansOf(shapes: readonly PlanShape[], prefix: string): DraftPlan[] {
  const plans: DraftPlan[] = []
  for (const [i, shape] of shapes.entries()) {
    const key = `${prefix}${i}`
    const filled = plans.filter((plan) => plan.tasks.length > 0)
    const dependencies = before(filled, shape.after)
    const original = shape.standsFor === 0 ? undefined : filled.at(-shape.standsFor)?.key
    const taken = plans.some((plan) => plan.alternativeTo === original)
    const draft: DraftPlan = {
      key,
      name: key,
      dependencies,
      onFailure: shape.onFailure,
      tasks: tasksOf(shape.tasks, key),
    }
    const alternativeTo =
      original === undefined || taken || waitsFor(plans, dependencies, original) ? undefined : original
    plans.push({ ...draft, ...(alternativeTo && { alternativeTo }) })
  }
  return plans
}

/** Whether anything that an alternative would depend on waits for what it stands for, or for what that stands for. */
function waitsFor(plans: readonly DraftPlan[], keys: readonly string[], original: string): boolean {
  const chain = originals(plans, original)
  const seen = new Set(keys)
  for (const key of seen) {
    const plan = plans.find((each) => each.key === key)
    for (const next of [...(plan?.dependencies ?? []), ...originals(plans, key).slice(1, 2)]) seen.add(next)
    for (const other of plans) if (other.alternativeTo === key) seen.add(other.key)
  }
  return chain.some((key) => seen.has(key))
}

/** The plan, what it is an alternative to, what that is an alternative to. */
function originals(plans: readonly DraftPlan[], key: string): string[] {
  const next = plans.find((plan) => plan.key === key)?.alternativeTo
  return next === undefined ? [key] : [key, ...originals(plans, next)]
}

function tasksOf(shapes: readonly TaskShape[], prefix: string): DraftTask[] {
  const tasks: DraftTask[] = []
  for (const [i, shape] of shapes.entries()) {
    const key = `${prefix}.${i}`
    const inner = plansOf(shape.inner, `${key}/`)
    tasks.push({
      key,
      name: key,
      dependencies: before(tasks, shape.after),
      optional: shape.optional,
      retry: { maxAttempts: shape.attempts },
      ...(shape.kind === 'manual' && { manual: true }),
      ...(shape.kind === 'planned' &&
        inner.some((plan) => plan.tasks.length > 0) && {
          plans: inner,
          onPlanFailure: shape.continues ? 'continue' : 'fail',
        }),
    })
  }
  return tasks
}

function before(nodes: readonly { key: string }[], distances: readonly number[]): string[] {
  return [...new Set(distances.flatMap((distance) => nodes.at(-1 - distance)?.key ?? []))]
}
