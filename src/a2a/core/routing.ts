import type { Decision, DraftPlan, DraftTask } from '../../domain/draft.ts'
import type { AgentRegistry } from '../../executors/registry.ts'

/** Tasks that name a manual agent, or a skill that one has, are manual: nobody runs them, their client moves them. */
export function asManual(agents: AgentRegistry, decision: Decision): Decision {
  if (decision.kind === 'answer') return decision
  if (decision.kind === 'task') return { ...decision, task: manualTask(agents, decision.task) }
  return { ...decision, objective: { ...decision.objective, plans: manualPlans(agents, decision.objective.plans) } }
}

export function manualPlans(agents: AgentRegistry, plans: readonly DraftPlan[]): DraftPlan[] {
  return plans.map((plan) => ({ ...plan, tasks: plan.tasks.map((task) => manualTask(agents, task)) }))
}

function manualTask<T extends Omit<DraftTask, 'key' | 'dependencies'>>(agents: AgentRegistry, task: T): T {
  if (task.plans !== undefined) return { ...task, plans: manualPlans(agents, task.plans) }
  if (task.manual === true || (task.agent === undefined && task.skill === undefined)) return task
  const route = agents.route({
    text: task.description ?? task.name,
    ...(task.agent !== undefined && { agent: task.agent }),
    ...(task.skill !== undefined && { skill: task.skill }),
  })
  return 'agent' in route && agents.agent(route.agent)?.kind === 'manual' ? { ...task, manual: true } : task
}
