import { schemaCheck } from '../base/schema-check.ts'
import type { DraftPlan, ObjectiveDraft } from '../domain/draft.ts'
import { validateDraft } from '../domain/graph.ts'
import { textOf } from '../domain/message.ts'
import { attachmentsOf, withAttachments } from './attachments.ts'
import { draftPlans, isRecord } from './draft-plans.ts'
import { readHints } from './hints.ts'
import { createMatchRule, type MatchRule } from './match-rule.ts'
import type { Planner } from './planner.ts'
import { type PlanTemplate, type PlaybookFile, PlaybookSchema } from './playbook-schema.ts'
import { checkPlans } from './read-plans.ts'
import { schemaProblem } from './schema-problem.ts'
import { fillAll, type Groups, placesIn } from './template.ts'

/** A playbook that has passed every check that can be made without a message. */
export interface Playbook {
  name: string
  /** The draft for a text that fits, or null. */
  draftFor(text: string): ObjectiveDraft | null
}

const validate = schemaCheck<PlaybookFile>(PlaybookSchema, { verbose: true, allowUnionTypes: true })
const UNBOUNDED = { maxPlansPerObjective: Infinity, maxTasksPerPlan: Infinity, maxDepth: 100, maxTextLength: Infinity }

/**
 * Plans a message by the first playbook whose rule fits its whole text, and declines where none does, or where the
 * client would rather have one task. (design §7)
 */
export function createPlaybooksPlanner(playbooks: readonly Playbook[]): Planner {
  return {
    name: 'playbooks',
    io: false,
    plan: async (request) => {
      if (readHints(request).preferObjective === false && !request.planRequired) return null
      const text = textOf(request.message).trim()
      for (const playbook of playbooks) {
        const objective = playbook.draftFor(text)
        if (objective) return { kind: 'objective', objective: withAttachments(objective, attachmentsOf(request)) }
      }
      return null
    },
  }
}

/**
 * A playbook from its parsed YAML. Throws an Error naming the playbook, the path, what was given and what is allowed:
 * the schema, the rule, groups that the rule does not have, dependencies that are not there, and cycles.
 */
export function parsePlaybook(name: string, value: unknown): Playbook {
  try {
    if (!validate(value)) throw new Error(problemText())
    const rule = createMatchRule(value.match)
    checkGroups(value, rule)
    const plans = draftPlans(checkPlans(value.plans.map(withoutWhen), 'plans'))
    validateDraft({ plans }, UNBOUNDED)
    return { name, draftFor: (text) => draftFrom(value, plans, rule.match(text)) }
  } catch (error) {
    throw new Error(`Playbook ${name}: ${(error as Error).message}`, { cause: error })
  }
}

function problemText(): string {
  const { path, description } = schemaProblem(validate.errors ?? [])
  return `${path.replace(/^\./, '') || 'the file'}: ${description}`
}

function checkGroups(file: PlaybookFile, { groups }: MatchRule): void {
  const conditions = file.plans.flatMap((plan) => [plan.when, ...plan.tasks.map((task) => task.when)])
  const asked = [...placesIn([file.name, file.plans]), ...conditions.filter((when) => when !== undefined)]
  const unknown = asked.find((group) => !groups.has(group))
  if (unknown === undefined) return
  throw new Error(`the group "${unknown}" is not in its rule; allowed are ${[...groups].join(', ')}`)
}

function withoutWhen({ when: _when, ...plan }: PlanTemplate): unknown {
  const tasks = plan.tasks.map((task) => {
    if (!isRecord(task)) return task // the name alone
    const { when: _condition, ...rest } = task
    return rest
  })
  return { ...plan, tasks }
}

function draftFrom(file: PlaybookFile, plans: readonly DraftPlan[], groups: Groups | null): ObjectiveDraft | null {
  if (groups === null) return null
  const applies = (when: string | undefined) => when === undefined || Boolean(groups[when]?.trim())
  const withTasks = plans.map((plan, index) => {
    const template = file.plans[index]
    return { ...plan, tasks: keep(plan.tasks, (at) => applies(template?.tasks[at]?.when)) }
  })
  const kept = keep(withTasks, (at) => applies(file.plans[at]?.when) && (withTasks[at]?.tasks.length ?? 0) > 0)
  return {
    ...(file.name !== undefined && { name: fillAll(file.name, groups) }),
    ...(file.onPlanFailure && { onPlanFailure: file.onPlanFailure }),
    plans: fillAll(kept, groups),
  }
}

/** Those that stay; what waited for one that does not waits for what that one waited for. */
function keep<T extends { key: string; dependencies: string[] }>(
  all: readonly T[],
  stays: (at: number) => boolean,
): T[] {
  const kept = new Set(all.filter((_, at) => stays(at)).map(({ key }) => key))
  const waitsFor = new Map(all.map(({ key, dependencies }) => [key, dependencies]))
  const through = (keys: readonly string[]): string[] =>
    keys.flatMap((key) => (kept.has(key) ? [key] : through(waitsFor.get(key) ?? [])))
  return all
    .filter(({ key }) => kept.has(key))
    .map((one) => ({ ...one, dependencies: [...new Set(through(one.dependencies))] }))
}
