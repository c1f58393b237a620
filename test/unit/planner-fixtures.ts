import type { Decision, DraftPlan, DraftTask } from '../../src/domain/draft.ts'
import type { DraftLimits } from '../../src/domain/graph.ts'
import type { Metadata, Part } from '../../src/domain/message.ts'
import type { PlanRequest } from '../../src/planner/planner.ts'

export const limits: DraftLimits = {
  maxPlansPerObjective: 100,
  maxTasksPerPlan: 1_000,
  maxDepth: 5,
  maxTextLength: 20_000,
}

export interface Given {
  parts?: Part[]
  /** The message's metadata, and the request's. */
  metadata?: Metadata
  beside?: Metadata
  planRequired?: boolean
}

/** A request with this text, and no more than is said. */
export function request(text: string, given: Given = {}): PlanRequest {
  const parts = given.parts ?? [{ text }]
  return {
    message: { messageId: 'm1', role: 'user', parts, ...(given.metadata && { metadata: given.metadata }) },
    metadata: given.beside ?? {},
    history: [],
    artifacts: [],
    planRequired: given.planRequired ?? false,
    server: { name: 'Trellis', description: 'It runs tasks.', skills: [{ name: 'Write', description: 'writes' }] },
  }
}

/** A decision as the documentation writes it: plans, and their tasks numbered through, with what each waits for. */
export function shape(decision: Decision | null): string {
  if (decision === null) return 'declined'
  if (decision.kind === 'answer')
    return `answer: ${decision.parts.map((part) => ('text' in part ? part.text : '')).join('')}`
  if (decision.kind === 'task') return `one task: ${decision.task.name}`
  const names = new Map(decision.objective.plans.map((plan) => [plan.key, plan.name]))
  const numbers = new Map(
    decision.objective.plans.flatMap((plan) => plan.tasks).map((task, index) => [task.key, index + 1]),
  )
  return decision.objective.plans.map((plan) => planShape(plan, names, numbers)).join('\n')
}

function planShape(plan: DraftPlan, names: Map<string, string>, numbers: Map<string, number>): string {
  const tasks = plan.tasks.map((task: DraftTask) => {
    const waits = task.dependencies.map((key) => String(numbers.get(key)))
    return `  ${numbers.get(task.key)}. ${task.name}${after(waits)}`
  })
  return [plan.name + after(plan.dependencies.map((key) => names.get(key) ?? key)), ...tasks].join('\n')
}

function after(waits: string[]): string {
  return waits.length === 0 ? '' : ` (after ${waits.join(', ')})`
}
