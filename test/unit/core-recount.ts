import type { PlanCounters, PlannedCounters, PlannedRow, PlanRow, TaskRow } from '../../src/domain/rows.ts'
import type { CoreRows } from './core-rows.ts'
import {
  canceledByPerson,
  countsAsSkipped,
  failedForGood,
  hasEnded,
  type NaivePlan,
  type NaiveTask,
  naiveObjectiveStatus,
  naivePlannedState,
  naivePlanStatus,
} from './core-tables.ts'

/** What plans, planned tasks and the objective should be, from the tasks, edges and ends alone. (design §3) */
export class Recount {
  private readonly rows: CoreRows
  private readonly tasksById: ReadonlyMap<string, TaskRow>
  private readonly plansById: ReadonlyMap<string, PlanRow>
  /** When each plan ended, by the log. */
  private readonly endedAt = new Map<string, number>()

  constructor(rows: CoreRows) {
    this.rows = rows
    this.tasksById = new Map(rows.tasks.map((task) => [task.id, task]))
    this.plansById = new Map(rows.plans.map((plan) => [plan.id, plan]))
    for (const { type, planId, seq, data } of rows.events) {
      const isEnd = type === 'plan.status' && 'status' in data && /completed|failed|canceled|skipped/.test(data.status)
      if (isEnd && planId !== null) this.endedAt.set(planId, seq)
    }
  }

  tasksOf(planId: string): TaskRow[] {
    return this.rows.tasks.filter((task) => task.planId === planId)
  }

  plansOf(taskId: string): PlanRow[] {
    return this.rows.plans.filter((plan) => plan.taskId === taskId)
  }

  private filledPlansOf(taskId: string): PlanRow[] {
    return this.plansOf(taskId).filter((plan) => this.tasksOf(plan.id).length > 0)
  }

  private planById(id: string): PlanRow {
    return this.plansById.get(id) as PlanRow
  }

  /** Tasks, plans and gates that a task waits for; what is broken counts as a mistake. (§3.1) */
  unmetOfTask(task: TaskRow): number {
    const before = this.rows.edges.filter((edge) => edge.taskId === task.id)
    const unmet = before.filter((edge) => {
      const on = this.tasksById.get(edge.dependsOnId) as TaskRow
      if (edge.reference) return !hasEnded(on.state)
      if (!hasEnded(on.state)) return true
      if (!this.isMet(on)) throw new Error(`${task.id} waits for ${on.id}, which is ${on.state}`)
      return false
    })
    const isEntry = task.planId !== null && before.every((edge) => edge.reference || this.wasCarried(edge.dependsOnId))
    if (this.wasCarried(task.id)) return unmet.length
    return unmet.length + (isEntry && this.unmetOfPlan(this.planById(task.planId as string)) > 0 ? 1 : 0)
  }

  /** It was in another plan before. What waits for it alone waits for its plan as well. (§3.8) */
  private wasCarried(taskId: string): boolean {
    return this.rows.planTasks.filter((place) => place.taskId === taskId).length > 1
  }

  private isMet(task: TaskRow): boolean {
    if (task.state === 'completed') return true
    if (task.state !== 'failed' && task.state !== 'rejected') return false
    return task.optional || (task.planId !== null && this.planById(task.planId).onFailure === 'ignore')
  }

  /** Plans it waits for, one more for an alternative not yet needed, one more while its planned task waits. */
  unmetOfPlan(plan: PlanRow): number {
    const before = this.rows.planEdges.filter((edge) => edge.planId === plan.id)
    const unmet = before.filter((edge) => !this.isPlanMet(this.planById(edge.dependsOnId), plan))
    const original = plan.alternativeTo === null ? null : this.planById(plan.alternativeTo)
    const task = this.tasksById.get(plan.taskId) as TaskRow
    const gate = this.unmetOfTask(task) > 0 ? 1 : 0
    return unmet.length + (original !== null && original.status !== 'failed' ? 1 : 0) + gate
  }

  private isPlanMet(on: PlanRow, by: PlanRow): boolean {
    if (on.status === 'completed') return true
    if (!this.endedAt.has(on.id)) return false
    const alternative = on.status === 'failed' ? this.alternativeOf(on) : undefined
    if (alternative === undefined) throw new Error(`plan ${by.id} waits for ${on.id}, which is ${on.status}`)
    return this.isPlanMet(alternative, by)
  }

  /** The alternative that was called when the plan failed by itself: one that has tasks, and had not ended by then. */
  private alternativeOf(plan: PlanRow): PlanRow | undefined {
    if (plan.end !== null && plan.end !== 'taskFailed') return undefined
    if (plan.alternativeBy === null || !this.hadTasks(plan.alternativeBy)) return undefined
    const ended = this.endedAt.get(plan.alternativeBy) ?? Number.POSITIVE_INFINITY
    if (ended < (this.endedAt.get(plan.id) ?? 0)) return undefined
    return this.planById(plan.alternativeBy)
  }

  /** Some may have been carried out of it. */
  private hadTasks(planId: string): boolean {
    return this.rows.planTasks.some((place) => place.planId === planId)
  }

  private naiveTask(task: TaskRow): NaiveTask {
    const { state, skipped, optional, startedAt } = task
    return {
      state,
      skipped,
      optional,
      waits: !hasEnded(state) && this.unmetOfTask(task) > 0,
      started: startedAt !== null,
    }
  }

  plan(plan: PlanRow): PlanCounters & { started: number; status: string; covered: boolean } {
    const tasks = this.tasksOf(plan.id).map((task) => this.naiveTask(task))
    const count = (fits: (task: NaiveTask) => boolean) => tasks.filter(fits).length
    const alternative = plan.status === 'failed' ? this.alternativeOf(plan) : undefined
    const ignores = plan.onFailure === 'ignore'
    return {
      waiting: count((task) => task.state === 'submitted' && task.waits),
      ready: count((task) => task.state === 'submitted' && !task.waits),
      running: count((task) => task.state === 'working'),
      input: count((task) => task.state === 'input-required'),
      auth: count((task) => task.state === 'auth-required'),
      completed: count((task) => task.state === 'completed'),
      failed: count((task) => failedForGood(task) && !ignores),
      ignored: count((task) => failedForGood(task) && ignores),
      canceled: count(canceledByPerson),
      skipped: count(countsAsSkipped),
      started: count((task) => task.started),
      status: naivePlanStatus(tasks, plan.end, plan.onFailure),
      covered: alternative !== undefined && (alternative.status !== 'skipped' || alternative.end === 'superseded'),
    }
  }

  private naivePlan(plan: PlanRow): NaivePlan {
    const tasks = this.tasksOf(plan.id)
    const alternative = this.alternativeOf(plan)
    return {
      status: plan.status,
      waits: this.waits(plan),
      superseded: plan.end === 'superseded',
      started: tasks.some((task) => task.startedAt !== null),
      asksInput: tasks.some((task) => task.state === 'input-required'),
      ...(alternative && { alternative: this.naivePlan(alternative) }),
    }
  }

  /** One that was carried into may be working: it waits once nothing in it moves. (§3.8) */
  private waits(plan: PlanRow): boolean {
    if (plan.status !== 'pending' && plan.status !== 'working') return false
    const { ready, running } = this.plan(plan)
    return this.unmetOfPlan(plan) > 0 && (plan.status === 'pending' || ready + running === 0)
  }

  planned(
    row: PlannedRow,
  ): PlannedCounters & { state: string; input: number; auth: number; total: number; done: number } {
    const plans = this.filledPlansOf(row.taskId)
    const count = (status: string, fits: (plan: PlanRow) => boolean = () => true) =>
      plans.filter((plan) => plan.status === status && fits(plan)).length
    const tasks = plans.flatMap((plan) => this.tasksOf(plan.id))
    const isCovered = (plan: PlanRow) => this.plan(plan).covered
    const below = this.below(row.taskId)
    const naive = plans.map((plan) => this.naivePlan(plan))
    return {
      waiting: plans.filter((plan) => this.waits(plan)).length,
      ready: count('pending', (plan) => !this.waits(plan)),
      working: count('working', (plan) => !this.waits(plan)),
      blocked: count('blocked'),
      completed: count('completed'),
      failed: count('failed', (plan) => !isCovered(plan)),
      covered: count('failed', isCovered),
      canceled: count('canceled'),
      skipped: count('skipped'),
      input: tasks.filter((task) => task.state === 'input-required').length,
      auth: tasks.filter((task) => task.state === 'auth-required').length,
      total: below.length,
      done: below.filter((task) => hasEnded(task.state)).length,
      state: naivePlannedState(
        naive,
        row.end,
        naive.some((plan) => plan.started),
      ),
    }
  }

  private below(taskId: string): TaskRow[] {
    const tasks = this.plansOf(taskId).flatMap((plan) => this.tasksOf(plan.id))
    return tasks.flatMap((task) => [task, ...this.below(task.id)])
  }

  objective() {
    const roots = this.rows.tasks.filter((task) => task.id === task.rootId && task.kind === 'planned')
    const naiveRoots = roots.map(({ id, state }) => ({ state, hasPlan: this.filledPlansOf(id).length > 0 }))
    const tasks = this.rows.tasks.filter((task) => task.planId !== null)
    const naive = tasks.map((task) => this.naiveTask(task))
    const count = (fits: (task: NaiveTask) => boolean) => naive.filter(fits).length
    const slots = naiveRoots.map(({ state, hasPlan }) => {
      if (state === 'submitted') return hasPlan ? 'rootsSubmitted' : 'rootsPlanning'
      if (state === 'working') return 'rootsWorking'
      return hasEnded(state) ? null : 'rootsInterrupted'
    })
    const rootsIn = (slot: string) => slots.filter((each) => each === slot).length
    return {
      slots: new Map(roots.map((root, i) => [root.id, slots[i]])),
      row: {
        status: naiveObjectiveStatus(naiveRoots),
        newestRootId: roots.at(-1)?.id,
        newestState: roots.at(-1)?.state,
        rootsWorking: rootsIn('rootsWorking'),
        rootsPlanning: rootsIn('rootsPlanning'),
        rootsInterrupted: rootsIn('rootsInterrupted'),
        rootsSubmitted: rootsIn('rootsSubmitted'),
        total: tasks.length,
        completed: count((task) => task.state === 'completed'),
        failed: count(failedForGood),
        canceled: count(canceledByPerson),
        skipped: count(countsAsSkipped),
        working: count((task) => task.state === 'working'),
        blocked: count((task) => task.state === 'input-required' || task.state === 'auth-required'),
      },
    }
  }
}
