import { invalidParams } from '../base/errors.ts'
import type { ObjectiveDraft } from '../domain/draft.ts'
import { textOf } from '../domain/message.ts'
import { draftPlans, givenMetadata, isRecord } from './draft-plans.ts'
import type { PlanInput } from './plan-schema.ts'
import type { Planner, PlanRequest } from './planner.ts'
import { checkPlan, checkPlans } from './read-plans.ts'
import { member } from './schema-problem.ts'

/** Something that may hold plans, and where it is in the request. */
interface Source {
  holder: Record<string, unknown>
  path: string
  isPart: boolean
}

const OBJECTIVE = 'opt/v1/objective'
const PLANS = 'opt/v1/plans'
const PLAN = 'opt/v1/plan'

/**
 * Takes the plans that the client wrote itself: `opt/v1/objective` with plans, `opt/v1/plan` or `opt/v1/plans`, in the
 * message's metadata, the request's metadata, or a data part; the first of these that has any. A data part may also be
 * an objective itself, or, in a message without text, a plan.
 *
 * Declines where there are none: an objective without plans is a hint. Throws `invalidParams` naming the path, and
 * `invalidPlan` naming the key. (design §7)
 */
export const explicitPlanner: Planner = {
  name: 'explicit',
  io: false,
  plan: async (request) => {
    const hasText = textOf(request.message).trim() !== ''
    for (const source of sourcesOf(request)) {
      const objective = keyedDraft(source) ?? (source.isPart ? bareDraft(source, hasText) : null)
      if (objective) return { kind: 'objective', objective }
    }
    return null
  },
}

function sourcesOf({ message, metadata }: PlanRequest): Source[] {
  const sources: Source[] = [
    { holder: message.metadata ?? {}, path: 'message.metadata', isPart: false },
    { holder: metadata, path: 'metadata', isPart: false },
  ]
  for (const [index, part] of message.parts.entries()) {
    if (!('data' in part) || !isRecord(part.data)) continue
    sources.push({ holder: part.data, path: `message.parts[${index}].data`, isPart: true })
  }
  return sources
}

/** What stands under the extension's keys. It can mean nothing else, so whatever is wrong there is an error. */
function keyedDraft({ holder, path }: Source): ObjectiveDraft | null {
  const at = (key: string) => path + member(key)
  const objective = isRecord(holder[OBJECTIVE]) ? holder[OBJECTIVE] : {}
  const plans: PlanInput[] = []
  if (isGiven(objective['plans'])) plans.push(...checkPlans(objective['plans'], `${at(OBJECTIVE)}.plans`))
  if (isGiven(holder[PLANS])) plans.push(...checkPlans(holder[PLANS], at(PLANS)))
  if (isGiven(holder[PLAN])) plans.push(...checkPlan(holder[PLAN], at(PLAN)))
  return plans.length === 0 ? null : draftOf(objective, at(OBJECTIVE), plans)
}

/** A data part that is an objective or a plan itself. Other data may have plans as well: these have lists of tasks. */
function bareDraft({ holder, path }: Source, hasText: boolean): ObjectiveDraft | null {
  const nested = isRecord(holder['objective'])
  const objective = nested ? (holder['objective'] as Record<string, unknown>) : holder
  const at = nested ? `${path}.objective` : path
  const { plans } = objective
  if (Array.isArray(plans) && plans.length > 0 && plans.every(hasTasks)) {
    return draftOf(objective, at, checkPlans(plans, `${at}.plans`))
  }
  return !hasText && hasTasks(holder) ? { plans: draftPlans(checkPlan(holder, path)) } : null
}

function draftOf(objective: Record<string, unknown>, path: string, plans: PlanInput[]): ObjectiveDraft {
  const { name, description, metadata, onPlanFailure } = objective
  if (onPlanFailure !== undefined && onPlanFailure !== 'fail' && onPlanFailure !== 'continue') {
    throw invalidParams(`${path}.onPlanFailure`, `was ${JSON.stringify(onPlanFailure)}; must be one of fail, continue`)
  }
  return {
    // The rest are hints wherever they stand, and hints of the wrong type are passed over.
    ...(typeof name === 'string' && name.trim() !== '' && { name }),
    ...(typeof description === 'string' && { description }),
    ...givenMetadata(metadata),
    ...(onPlanFailure !== undefined && { onPlanFailure }),
    plans: draftPlans(plans),
  }
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)
}

function hasTasks(value: unknown): boolean {
  return isRecord(value) && Array.isArray(value['tasks'])
}
