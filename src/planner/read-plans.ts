import { invalidParams } from '../base/errors.ts'
import { schemaCheck } from '../base/schema-check.ts'
import type { DraftPlan } from '../domain/draft.ts'
import { draftPlans, isRecord } from './draft-plans.ts'
import { type PlanInput, PlansSchema } from './plan-schema.ts'
import { schemaProblem } from './schema-problem.ts'

const validate = schemaCheck<PlanInput[]>(PlansSchema, { verbose: true })
/** Deeper than any `maxDepth` may be set; a bound for what recurses before the limits are looked at. */
const MAX_NESTING = 100

/**
 * Plans as a client wrote them, as draft plans: checked by schema, with keys made where absent and every dependency
 * resolved to a key. `path` says where they came from. Throws `invalidParams` naming the path, what was given and what
 * is allowed, or `invalidPlan` for a dependency that is not there. Limits and cycles are `validateDraft`'s. (design §7)
 */
export function readPlans(value: unknown, path: string): DraftPlan[] {
  return draftPlans(checkPlans(value, path))
}

/** As {@link readPlans}, before keys and dependencies: what was written, when the schema holds. */
export function checkPlans(value: unknown, path: string): PlanInput[] {
  const plans = spelledOut(value, path, 1)
  if (validate(plans)) return plans
  const problem = schemaProblem(validate.errors ?? [])
  throw invalidParams(path + problem.path, problem.description)
}

/** As {@link checkPlans}, for one plan. */
export function checkPlan(value: unknown, path: string): PlanInput[] {
  const plans = spelledOut([value], path, 1)
  if (validate(plans)) return plans
  const problem = schemaProblem(validate.errors ?? [])
  throw invalidParams(path + problem.path.replace('[0]', ''), problem.description)
}

/** A plan or task given as text is its name. Nothing that was given is changed. */
function spelledOut(plans: unknown, path: string, depth: number): unknown {
  if (!Array.isArray(plans)) return plans
  if (depth > MAX_NESTING) throw invalidParams(path, `plans are nested over ${MAX_NESTING} deep`)
  return plans.map((plan) => {
    if (!isRecord(plan) || !Array.isArray(plan['tasks'])) return plan
    return { ...plan, tasks: plan['tasks'].map((task) => spelledOutTask(task, path, depth)) }
  })
}

function spelledOutTask(task: unknown, path: string, depth: number): unknown {
  if (typeof task === 'string') return { name: task }
  if (!isRecord(task)) return task
  const parts = Array.isArray(task['parts']) ? { parts: task['parts'].map(withoutKind) } : {}
  const plans = task['plans'] === undefined ? {} : { plans: spelledOut(task['plans'], path, depth + 1) }
  return { ...task, ...parts, ...plans }
}

/** Older spellings of parts say what they are in a member of its own. */
function withoutKind(part: unknown): unknown {
  if (!isRecord(part)) return part
  const { kind: _kind, type: _type, ...rest } = part
  return rest
}
