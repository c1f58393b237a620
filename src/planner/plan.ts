import { invalidPlan, type TrellisError } from '../base/errors.ts'
import type { Decision, ObjectiveDraft } from '../domain/draft.ts'
import { type DraftLimits, validateDraft } from '../domain/graph.ts'
import { textOf } from '../domain/message.ts'
import { type Hints, readHints } from './hints.ts'
import type { Planner, PlanRequest } from './planner.ts'
import { nameOf, planAround, singleTask } from './single-task.ts'

/** Longest objective name, in characters: made from the request's text, and as a client may suggest it. */
const OBJECTIVE_NAME_LENGTH = 250
const GIVEN_NAME_LENGTH = 1_000

/** A planner whose decision was not used, and why. For the log. */
export interface Declined {
  planner: string
  error: unknown
}

export interface Planned {
  decision: Decision
  /** The name of the planner that decided; `fallback` when none did. */
  planner: string
  declined: readonly Declined[]
}

/** Asks the planners in turn. (design §7) */
export interface PlannerChain {
  /** Whether a planner in it waits on anything outside the process. */
  readonly io: boolean
  plan(request: PlanRequest, signal: AbortSignal): Promise<Planned>
}

/**
 * A chain that takes the first decision that is not declined, checks it against the limits, and applies the hints.
 *
 * What the client wrote as plans itself (the planner named `explicit`) fails the request when it is wrong: throws
 * `invalidParams` or `invalidPlan`. Any other planner only reads the request in its own way, so where it fails or its
 * draft does not hold, the next one is asked, and after the last the request is one task. An abort is passed on.
 */
export function createPlanner(planners: readonly Planner[], limits: DraftLimits): PlannerChain {
  return {
    io: planners.some((planner) => planner.io),
    plan: async (request, signal) => {
      const declined: Declined[] = []
      for (const planner of planners) {
        const decision = await ask(planner, request, signal, limits, declined)
        if (decision) return { decision, planner: planner.name, declined }
      }
      const task: Decision = { kind: 'task', task: singleTask(request, limits.maxTextLength) }
      return { decision: finished(task, request, limits), planner: 'fallback', declined }
    },
  }
}

async function ask(
  planner: Planner,
  request: PlanRequest,
  signal: AbortSignal,
  limits: DraftLimits,
  declined: Declined[],
): Promise<Decision | null> {
  signal.throwIfAborted()
  try {
    const decision = await planner.plan(request, signal)
    return decision && finished(decision, request, limits)
  } catch (error) {
    signal.throwIfAborted()
    if (planner.name === 'explicit') throw error
    declined.push({ planner: planner.name, error })
    return null
  }
}

/** The decision as it will be carried out: wrapped where plans are wanted, named, and checked. */
function finished(decision: Decision, request: PlanRequest, limits: DraftLimits): Decision {
  const hints = readHints(request)
  const wrapped = wrap(decision, request, hints, limits)
  if (wrapped.kind === 'answer') return wrapped
  if (wrapped.kind === 'task') {
    validateDraft({ plans: [planAround(wrapped.task)] }, limits)
    return wrapped
  }
  const objective = named(wrapped.objective, request, hints, limits)
  validateDraft(objective, limits)
  if (!objective.plans.some((plan) => plan.tasks.length > 0)) throw withoutTasks(objective)
  return { kind: 'objective', objective }
}

/** `planRequired` makes plans of anything; the hint makes them of a task, while an answer stays one. */
function wrap(decision: Decision, request: PlanRequest, hints: Hints, limits: DraftLimits): Decision {
  if (decision.kind === 'objective') return decision
  const wanted = request.planRequired || (hints.preferObjective === true && decision.kind === 'task')
  if (!wanted) return decision
  const task = decision.kind === 'task' ? decision.task : singleTask(request, limits.maxTextLength)
  return { kind: 'objective', objective: { plans: [planAround(task)] } }
}

/** The name: what the client calls it, else what the planner does, else the request's text. (design §2, §8.2) */
function named(draft: ObjectiveDraft, request: PlanRequest, hints: Hints, limits: DraftLimits): ObjectiveDraft {
  const name = hints.name ?? hints.suggestedName ?? draft.name ?? nameOf(textOf(request.message), OBJECTIVE_NAME_LENGTH)
  const description = draft.description ?? hints.description?.slice(0, limits.maxTextLength)
  const metadata = hints.metadata && { ...hints.metadata, ...draft.metadata }
  return {
    ...draft,
    name: nameOf(
      name || draft.plans.map((plan) => plan.name).join(', '),
      Math.min(limits.maxTextLength, GIVEN_NAME_LENGTH),
    ),
    ...(description !== undefined && { description }),
    ...(metadata && { metadata }),
  }
}

function withoutTasks(objective: ObjectiveDraft): TrellisError {
  return invalidPlan(objective.plans[0]?.key ?? 'objective', 'there is no task in any plan, so nothing would be done')
}
