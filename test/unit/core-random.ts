import fc from 'fast-check'
import { TrellisError } from '../../src/base/errors.ts'
import type { DraftPlan } from '../../src/domain/draft.ts'
import { isPlanTerminal } from '../../src/domain/plan.ts'
import type { TaskRow } from '../../src/domain/rows.ts'
import { isTerminal } from '../../src/domain/task.ts'
import { drafts } from './core-drafts.ts'
import type { CoreDriver } from './core-moves.ts'

/** A random move: what is done, and to which of the tasks that it can be done to. */
export interface Step {
  kind: keyof typeof MOVES
  at: number
  plans: DraftPlan[]
}

interface Move {
  /** How often it is chosen. */
  weight: number
  /** Does it to one of the candidates; false: there is none. */
  act(driver: CoreDriver, step: Step): boolean
}

type Fits = (task: TaskRow) => boolean
const isInterrupted: Fits = ({ state }) => state === 'input-required' || state === 'auth-required'
const isHeld: Fits = (task) => task.runner !== null
const isManual: Fits = (task) => task.kind === 'manual' && task.unmet === 0

/** A move of one open task that fits. */
function move(weight: number, fits: Fits, act: (driver: CoreDriver, task: TaskRow) => void): Move {
  return {
    weight,
    act: (driver, { at }) => {
      const open = driver.rows.tasks.filter((task) => !isTerminal(task.state) && fits(task))
      const task = open[at % Math.max(1, open.length)]
      if (task !== undefined) act(driver, task)
      return task !== undefined
    },
  }
}

const openRoots = (driver: CoreDriver) =>
  driver.rows.tasks.filter((task) => task.id === task.rootId && task.kind === 'planned' && !isTerminal(task.state))

const MOVES = {
  claim: move(
    14,
    (task) => task.claimableAt !== null,
    (driver, task) => {
      driver.memory.advance(120)
      driver.claim(task, `r${task.lease % 3}`)
    },
  ),
  complete: move(12, isHeld, (driver, task) => {
    driver.publish(task, { kind: 'artifact', artifact: { artifactId: 'a', parts: [{ text: task.name }] } })
    driver.finish(task, 'completed')
  }),
  failFinally: move(5, isHeld, (driver, task) => driver.fail(task, false)),
  failForNow: move(3, isHeld, (driver, task) => driver.fail(task, true)),
  reject: move(2, isHeld, (driver, task) => driver.finish(task, 'rejected')),
  askInput: move(4, isHeld, (driver, task) => driver.finish(task, 'input-required')),
  askAuth: move(2, isHeld, (driver, task) => driver.finish(task, 'auth-required')),
  askAndHold: move(2, isHeld, (driver, task) => driver.publish(task, { kind: 'status', state: 'auth-required' })),
  goOn: move(1, isHeld, (driver, task) => driver.publish(task, { kind: 'status', state: 'working' })),
  park: move(
    2,
    (task) => isHeld(task) && task.state === 'working',
    (driver, task) => driver.park(task),
  ),
  release: move(2, isHeld, (driver, task) => driver.release(task)),
  takeOver: move(3, isHeld, (driver, task) => driver.takeOver(task)),
  answer: move(6, isInterrupted, (driver, task) => driver.answer(task.id)),
  completeManual: move(4, isManual, (driver, task) => driver.update(task, 'completed')),
  failManual: move(2, isManual, (driver, task) => driver.update(task, 'failed')),
  workManual: move(2, isManual, (driver, task) => driver.update(task, 'working')),
  askManual: move(2, isManual, (driver, task) => driver.update(task, 'input-required')),
  cancelTask: move(
    2,
    (task) => task.id !== task.rootId,
    (driver, task) => driver.cancel(task),
  ),
  cancelRoot: move(
    1,
    (task) => task.id === task.rootId,
    (driver, task) => driver.cancel(task),
  ),
  cancelObjective: { weight: 1, act: (driver) => openRoots(driver).length > 0 && driver.cancelObjective() },
  addPlan: { weight: 2, act: addPlan },
  replan: { weight: 6, act: changePlans },
  followUp: {
    weight: 2,
    act: (driver, { at, plans }) => {
      if (driver.rows.tasks.length > 60) return false
      const { tasks } = driver.rows
      const references = [...new Set([at, at + 3].flatMap((n) => tasks[n % (tasks.length + 2)]?.id ?? []))]
      if (at % 3 === 0) driver.start(references)
      else driver.plan(plans, { references, onPlanFailure: at % 2 === 0 ? 'fail' : 'continue' })
      return true
    },
  },
} satisfies Record<string, Move>

/** A plan for a live root, maybe after one of its plans, maybe an alternative to one. */
function addPlan(driver: CoreDriver, { at, plans: [draft] }: Step): boolean {
  const roots = openRoots(driver)
  const root = roots[at % Math.max(1, roots.length)]
  if (root === undefined || draft === undefined || driver.rows.tasks.length > 60) return false
  const size = (id: string) => driver.rows.tasks.filter((task) => task.planId === id).length
  const plans = driver.rows.plans.filter(({ id, taskId }) => taskId === root.id && size(id) > 0)
  const other = plans[at % Math.max(1, plans.length)]
  const mayFollow = other !== undefined && (!isPlanTerminal(other.status) || other.status === 'completed')
  const dependencies = mayFollow && at % 2 === 0 ? [other.id] : []
  const open = plans.filter((plan) => plan.alternativeBy === null && !isPlanTerminal(plan.status))
  const original = at % 5 === 1 ? open[at % Math.max(1, open.length)] : undefined
  try {
    driver.addPlans(root.id, [{ ...draft, dependencies, ...(original && { alternativeTo: original.id }) }])
    return true
  } catch (error) {
    // An alternative that would wait for itself.
    if (error instanceof TrellisError && error.meaning === 'invalidPlan') return false
    throw error
  }
}

/** New plans for a planned task, nested or not: some carry tasks over, and wait for some of them, or for a completed plan. */
function changePlans(driver: CoreDriver, { at, plans }: Step): boolean {
  const open = driver.rows.tasks.filter((task) => task.kind === 'planned' && !isTerminal(task.state))
  const target = open[at % Math.max(1, open.length)]
  if (target === undefined || driver.rows.tasks.length > 80) return false
  const running = at % 2 === 0 ? 'keep' : 'cancel'
  const drafts = withCarried(driver, target.id, plans, { at, running })
  if (drafts.every(({ tasks }) => tasks.length === 0)) return false
  driver.replan(drafts, { taskId: target.id, running })
  return true
}

function withCarried(
  driver: CoreDriver,
  taskId: string,
  plans: readonly DraftPlan[],
  { at, running }: { at: number; running: 'keep' | 'cancel' },
): DraftPlan[] {
  const own = driver.rows.plans.filter((plan) => plan.taskId === taskId)
  const standing = own.filter(({ status }) => status === 'completed').map(({ id }) => id)
  const from = new Set(own.filter(({ status }) => status !== 'completed').map(({ id }) => id))
  const mayGo = driver.rows.tasks.filter(
    ({ planId, state }) =>
      planId !== null &&
      from.has(planId) &&
      (state === 'completed' || (running === 'keep' && state !== 'submitted' && !isTerminal(state))),
  )
  const places = plans.map((plan, i) => (plan.alternativeTo === undefined ? i : null)).filter((i) => i !== null)
  // Each fourth of them is left where it is, or goes on by itself.
  const carried = mayGo.flatMap(({ id, name }, i) =>
    (i + at) % 4 === 0
      ? []
      : [{ plan: places[(i + at) % places.length], task: { key: id, name, taskId: id, dependencies: [] } }],
  )
  return plans.map((plan, i) => {
    const before = carried.filter((each) => each.plan === i).map(({ task }) => task)
    const tasks = plan.tasks.map((task, n) => {
      const other = before[(n + at) % (before.length + 1)]
      return other === undefined ? task : { ...task, dependencies: [...task.dependencies, other.key] }
    })
    const dependencies = i === 0 && at % 3 === 0 ? [...plan.dependencies, ...standing.slice(0, 1)] : plan.dependencies
    return { ...plan, dependencies, tasks: [...before, ...tasks] }
  })
}

const kinds = Object.entries(MOVES).map(([kind, { weight }]) => ({
  weight,
  arbitrary: fc.constant(kind as keyof typeof MOVES),
}))

export const steps = (maxLength: number): fc.Arbitrary<Step[]> =>
  fc.array(fc.record({ kind: fc.oneof(...kinds), at: fc.nat(30), plans: drafts(2) }), { maxLength, size: 'max' })

export function take(driver: CoreDriver, step: Step): boolean {
  return MOVES[step.kind].act(driver, step)
}
