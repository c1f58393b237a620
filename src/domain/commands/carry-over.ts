import { invalidPlan } from '../../base/errors.ts'
import { type DraftPlan, type DraftTask, freeKey } from '../draft.ts'
import { neededToEnd } from '../moves/plan.ts'
import type { Needed } from '../need.ts'
import { planSize } from '../rollup.ts'
import type { PlanRow, TaskRow } from '../rows.ts'
import { isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** What becomes of tasks that have started and that no draft names. */
export type Running = 'keep' | 'cancel'

interface Named {
  draft: DraftTask
  id: string
  plan: DraftPlan
}

/** The tasks that drafts carry over, in order. */
function namedIn(plans: readonly DraftPlan[]): Named[] {
  return plans.flatMap((plan) =>
    plan.tasks.flatMap((draft) => (draft.taskId === undefined ? [] : [{ draft, id: draft.taskId, plan }])),
  )
}

/** What replacing these plans by the drafts reads. */
export function neededToCarry(w: WorkingCopy, open: readonly PlanRow[], plans: readonly DraftPlan[]): Needed[] {
  const named = namedIn(plans).flatMap(({ id }): Needed[] => [
    { kind: 'lineage', id },
    { kind: 'dependents', id },
  ])
  return [...named, ...neededToEnd(w, open.map(({ id }) => id))] // biome-ignore format: one list
}

/**
 * Checks what drafts carry over from a planned task's plans. It is loaded by then.
 *
 * @throws TrellisError invalidPlan naming what cannot be carried over, and why
 */
export function checkCarried(w: WorkingCopy, plannedId: string, plans: readonly DraftPlan[], running: Running): void {
  const named = namedIn(plans)
  const seen = new Set<string>()
  for (const { id, draft, plan } of named) {
    if (seen.has(id)) throw invalidPlan(draft.key, `task ${id} is carried over twice`)
    if (plan.alternativeTo !== undefined) {
      throw invalidPlan(draft.key, `task ${id} has started, and an alternative starts only once it is needed`)
    }
    seen.add(id)
  }
  for (const { id, draft } of named) checkOne(w, plannedId, draft.key, id, running)
}

function checkOne(w: WorkingCopy, plannedId: string, key: string, id: string, running: Running): void {
  const task = w.tasks.get(id)
  const plan = planOf(w, task)
  if (task === undefined || plan?.taskId !== plannedId) {
    throw invalidPlan(key, `task ${id} is in no plan of task ${plannedId}`)
  }
  const why = obstacle(task, plan, running)
  if (why !== null) throw invalidPlan(key, `task ${id} ${why}`)
}

/** The plan of a task of this context. */
function planOf(w: WorkingCopy, task: TaskRow | undefined): PlanRow | undefined {
  if (task === undefined || task.contextKey !== w.context.key || task.planId === null) return undefined
  return w.plan(task.planId)
}

/** Why a task cannot be carried over; null: it can. */
function obstacle({ state }: TaskRow, plan: PlanRow, running: Running): string | null {
  if (plan.status === 'completed') return `is in plan ${plan.id}, which is completed and stays: depend on that plan`
  if (state === 'completed') return null
  if (state === 'submitted') return 'has not started: write what is still to do as a new task'
  if (isTerminal(state)) return `is ${state}: only what is completed or still runs is carried over`
  return running === 'keep' ? null : `is ${state}, and what runs is carried over only with running "keep"`
}

/** The drafts, with what has started in these plans and is not named added to the end of the first that does not wait to be needed. */
export function withStarted(w: WorkingCopy, open: readonly PlanRow[], plans: readonly DraftPlan[]): DraftPlan[] {
  const named = new Set(namedIn(plans).map(({ id }) => id))
  const started = open
    .filter((plan) => planSize(plan) > 0)
    .flatMap(({ id }) => w.unfinishedTasks(id))
    .filter(({ id, state }) => state !== 'submitted' && !isTerminal(state) && !named.has(id))
    .sort((a, b) => a.id.localeCompare(b.id))
  const first = plans.find(({ alternativeTo }) => alternativeTo === undefined)
  const taken = new Set(plans.flatMap(({ key, tasks }) => [key, ...tasks.map((task) => task.key)]))
  const added = started.map(({ id, name }) => ({ key: freeKey(id, taken), taskId: id, name, dependencies: [] }))
  return plans.map((plan) => (plan === first ? { ...plan, tasks: [...plan.tasks, ...added] } : plan))
}
