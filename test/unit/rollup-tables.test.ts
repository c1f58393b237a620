import type { OnFailure } from '../../src/domain/plan.ts'
import {
  objectiveStatus,
  type PlannedSlot,
  type PlanSlot,
  plannedState,
  planSlot,
  planStatus,
  progressSlot,
  rootSlot,
  taskSlot,
} from '../../src/domain/rollup.ts'
import type { PlanCounters, PlanEnd, PlannedCounters, PlannedEnd } from '../../src/domain/rows.ts'
import { TASK_STATES, type TaskState } from '../../src/domain/task.ts'
import t from '../tap.ts'
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

const POLICIES: readonly OnFailure[] = ['fail', 'continue', 'ignore']
const PLAN_SLOTS = ['waiting', 'ready', 'running', 'input', 'auth', 'completed', 'failed', 'ignored', 'canceled', 'skipped'] as const // biome-ignore format: one row
const PLANNED_SLOTS = ['waiting', 'ready', 'working', 'blocked', 'completed', 'failed', 'covered', 'canceled', 'skipped'] as const // biome-ignore format: one row

/** All lists of up to so many of the items, in every order. */
function* listsOf<T>(items: readonly T[], length: number): Generator<T[]> {
  yield []
  if (length > 0) for (const rest of listsOf(items, length - 1)) for (const item of items) yield [item, ...rest]
}

/** Of each, how many there are. */
function tally<S extends string>(slots: readonly S[], found: readonly (S | null)[]): Record<S, number> {
  return Object.fromEntries(slots.map((slot) => [slot, found.filter((each) => each === slot).length])) as Record<
    S,
    number
  >
}

/** Every task there can be. */
const TASKS: NaiveTask[] = TASK_STATES.flatMap((state) =>
  [false, true].flatMap((flag) =>
    [false, true].map((optional) => ({
      state,
      optional,
      skipped: state === 'canceled' && flag,
      waits: state === 'submitted' && flag,
      started: state !== 'submitted' && state !== 'canceled',
    })),
  ),
)

function slotOf(task: NaiveTask, policy: OnFailure): PlanSlot {
  return taskSlot({ ...task, unmet: task.waits ? 1 : 0 }, policy)
}

t.test(
  'a task counts in exactly one place of its plan, an optional one that did not complete as skipped',
  async (t) => {
    for (const policy of POLICIES) {
      for (const task of TASKS) {
        const slot = slotOf(task, policy)
        const failed = policy === 'ignore' ? 'ignored' : 'failed'
        if (countsAsSkipped(task)) t.equal(slot, 'skipped')
        else if (failedForGood(task)) t.equal(slot, failed)
        else if (canceledByPerson(task)) t.equal(slot, 'canceled')
        else if (task.state === 'submitted') t.equal(slot, task.waits ? 'waiting' : 'ready')
        else
          t.equal(
            slot,
            { working: 'running', completed: 'completed', 'input-required': 'input', 'auth-required': 'auth' }[
              task.state as never
            ],
          )
      }
    }
  },
)

t.test('every place of a plan is one of progress, or pending', async (t) => {
  const pending = PLAN_SLOTS.filter((slot) => progressSlot(slot) === null)
  t.same(pending, ['waiting', 'ready'])
  t.equal(progressSlot('ignored'), 'failed')
})

const ENDS: readonly (PlanEnd | null)[] = [
  null, 'superseded', 'notNeeded', 'brokenDependency', 'siblingFailed', 'parentEnded', 'budget', 'deadline', 'canceled',
] // biome-ignore format: two rows

t.test('a plan has the status of the first line that fits, for any three tasks, any policy and any end', async (t) => {
  let combinations = 0
  // What counts alike is alike: one task for each place it can count in, and optional ones that failed.
  const kinds = TASKS.filter((task) => !task.optional || (hasEnded(task.state) && task.state !== 'completed'))
  for (const tasks of listsOf(kinds, 3)) {
    for (const policy of POLICIES) {
      const counters: PlanCounters = tally(
        PLAN_SLOTS,
        tasks.map((task) => slotOf(task, policy)),
      )
      const started = tasks.filter((task) => task.started).length
      for (const end of ENDS) {
        if (end !== null && !tasks.every((task) => hasEnded(task.state))) continue
        combinations += 1
        const expected = naivePlanStatus(tasks, end, policy)
        const status = planStatus({ ...counters, started }, end, policy)
        if (status !== expected) t.equal(status, expected, JSON.stringify({ tasks, policy, end }))
      }
    }
  }
  t.ok(combinations > 20_000, `${combinations} combinations`)
})

const PLANS: NaivePlan[] = [
  { status: 'pending', waits: true, started: false, asksInput: false },
  { status: 'pending', waits: false, started: false, asksInput: false },
  { status: 'working', waits: false, started: true, asksInput: false },
  { status: 'working', waits: true, started: true, asksInput: false },
  { status: 'working', waits: false, started: true, asksInput: true },
  { status: 'blocked', waits: false, started: true, asksInput: true },
  { status: 'blocked', waits: false, started: true, asksInput: false },
  ...(['completed', 'failed', 'canceled', 'skipped'] as const).flatMap((status) =>
    [false, true].map((started) => ({ status, waits: false, started, asksInput: false })),
  ),
]
/** For each plan, which one is its alternative; none for -1. */
const CHAINS: readonly (readonly number[])[] = [[-1, -1, -1], [1, -1, -1], [-1, 2, -1], [2, -1, -1], [1, 2, -1]] // biome-ignore format: one row
const PLANNED_ENDS: readonly (PlannedEnd | null)[] = [null, 'canceled', 'planner', 'answered', 'budget', 'deadline']

/** The same plans, each knowing its alternative. Those after it are linked before it. */
function linked(plans: readonly NaivePlan[], chain: readonly number[]): NaivePlan[] {
  const all = plans.map((plan) => ({ ...plan }))
  for (const [i, plan] of all.entries()) {
    const alternative = all[chain[i] ?? -1]
    if (alternative !== undefined) plan.alternative = alternative
  }
  return all
}

function slotOfPlan(plan: NaivePlan): PlannedSlot | null {
  const { status, waits, alternative } = plan
  const one = { ...tally(PLAN_SLOTS, [waits ? 'waiting' : 'ready']), end: null }
  const covered = status === 'failed' && alternative !== undefined && alternative.status !== 'skipped'
  return planSlot({ ...one, status, unmet: waits ? 1 : 0, covered })
}

t.test('a planned task has the state of the first line that fits, for any three plans and alternatives', async (t) => {
  let combinations = 0
  for (const plans of listsOf(PLANS, 3)) {
    for (const chain of plans.length === 3 ? CHAINS : CHAINS.slice(0, 2)) {
      const all = linked(plans, chain)
      const counters: PlannedCounters = tally(PLANNED_SLOTS, all.map(slotOfPlan))
      const started = all.some((plan) => plan.started)
      const input = all.filter((plan) => plan.asksInput).length
      const auth = all.filter((plan) => plan.status === 'blocked' && !plan.asksInput).length
      for (const end of PLANNED_ENDS) {
        combinations += 1
        const expected = naivePlannedState(all, end, started)
        const state = plannedState({ ...counters, started, input, auth }, end)
        if (state !== expected) t.equal(state, expected, JSON.stringify({ all, end }))
      }
    }
  }
  t.ok(combinations > 50_000, `${combinations} combinations`)
})

t.test('a plan without tasks does not count', async (t) => {
  const empty = tally(PLAN_SLOTS, [])
  t.equal(planSlot({ ...empty, status: 'pending', unmet: 0, covered: false, end: null }), null)
  t.equal(planStatus({ ...empty, started: 0 }, null, 'fail'), 'pending')
})

t.test('an objective has the status of the first line that fits, for any three roots', async (t) => {
  const none = tally(PLANNED_SLOTS, [])
  const some = tally(PLANNED_SLOTS, ['waiting'])
  const roots = TASK_STATES.filter((state) => state !== 'rejected').flatMap((state) =>
    [false, true].map((hasPlan) => ({ state, hasPlan })),
  )
  for (const list of listsOf(roots, 3)) {
    const newest = list.at(-1)
    if (newest === undefined) continue
    const slots = list.map(({ state, hasPlan }) => rootSlot(state, hasPlan ? some : none))
    const counters = tally(['rootsWorking', 'rootsPlanning', 'rootsInterrupted', 'rootsSubmitted'], slots)
    const status = objectiveStatus({ ...counters, newestState: newest.state })
    const expected = naiveObjectiveStatus(list)
    if (status !== expected) t.equal(status, expected, JSON.stringify(list))
  }
  t.pass('all agree')
})

t.test('no end of a planned task leaves it open', async (t) => {
  const none = tally(PLANNED_SLOTS, [])
  const at = { ...none, started: false, input: 0, auth: 0 }
  for (const end of PLANNED_ENDS.filter((each) => each !== null)) t.ok(hasEnded(plannedState(at, end) as TaskState))
})
