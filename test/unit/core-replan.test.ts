import { cancelTask } from '../../src/domain/commands/cancel.ts'
import { replan } from '../../src/domain/commands/replan.ts'
import { leaveExecution } from '../../src/domain/commands/run.ts'
import t from '../tap.ts'
import { check } from './core-check.ts'
import { type CoreDriver, DEFAULTS, refOf } from './core-moves.ts'
import { carry, plan, planned, task } from './core-plan.ts'

const planOf = (driver: CoreDriver, key: string) => driver.rows.plans.findLast((row) => row.draftKey === key)
const idOf = (driver: CoreDriver, key: string) => planOf(driver, key)?.id as string
const replanned = (driver: CoreDriver) => driver.rows.events.findLast(({ type }) => type === 'objective.replanned')

t.test('what is completed is carried over, and the rest is superseded', async (t) => {
  const driver = planned([plan('p', ['a', task('b', ['a']), 'c']), plan('q', ['d'], { dependencies: ['p'] })])
  const [p, q] = ['p', 'q'].map((key) => idOf(driver, key))
  driver.run('a')
  driver.claim(driver.task('c'))
  driver.replan([plan('p', [carry(driver, 'a'), task('n', ['old-a'])])], { reason: 'shorter' })
  check(driver.memory)
  t.strictSame([driver.state('b'), driver.state('c'), driver.state('d')], ['skipped', 'canceled', 'skipped'])
  const old = { status: 'skipped', end: 'superseded', revision: 1 }
  t.match(driver.rows.plan(p as string), { ...old, completed: 0, skipped: 1, canceled: 1, started: 1 })
  t.match(driver.rows.plan(q as string), old)
  const fresh = planOf(driver, 'p')
  t.match(fresh, { status: 'working', revision: 2, supersedesPlanId: p, completed: 1, ready: 1, started: 1 })
  t.not(driver.task('n').claimableAt, null, 'what it depends on is met')
  t.strictSame(replanned(driver)?.data, {
    taskId: 'root-1',
    actor: 'someone',
    reason: 'shorter',
    running: 'cancel',
    before: { revision: 1, plans: [p, q] },
    after: { revision: 2, plans: [fresh?.id] },
    carried: [driver.task('a').id],
    canceled: [driver.task('c').id],
    skipped: [driver.task('b').id, driver.task('d').id],
  })
  driver.run('n')
  t.equal(driver.rows.objective?.status, 'completed')
  check(driver.memory)
})

t.test('the events of a change tell of it in order', async (t) => {
  const driver = planned([plan('p', ['a', 'b'])])
  driver.run('a')
  const before = driver.rows.events.length
  driver.replan([plan('p', [carry(driver, 'a'), 'n'])])
  const told = driver.rows.events
    .slice(before)
    .map(({ type, data }) => ('status' in data ? `${type} ${data.status}` : type))
  t.strictSame(told, [
    'plan.created pending',
    'task.carried',
    'task.created',
    'objective.replanned',
    'task.status',
    'plan.status skipped',
    'plan.status working',
    'task.status',
  ])
  t.match(driver.rows.events[before + 1], {
    planId: idOf(driver, 'p'),
    data: { fromPlanId: driver.rows.plans[0]?.id, state: 'completed', taskIndex: 0, dependencies: [] },
  })
  t.match(driver.rows.events.at(-1), { taskId: 'root-1', data: { message: { parts: [{ text: '2 of 3 done' }] } } })
})

t.test(
  'an alternative gets nothing that runs: it goes to the first plan that does not wait to be needed',
  async (t) => {
    const driver = planned([plan('p', ['a'])])
    driver.claim(driver.task('a'))
    driver.replan([plan('alt', ['x'], { alternativeTo: 'n' }), plan('n', ['y'])], { running: 'keep' })
    t.equal(driver.task('a').planId, idOf(driver, 'n'))
    check(driver.memory)
  },
)

t.test('one plan after another, the first still counts', async (t) => {
  const driver = planned([plan('p', ['a', 'b'])])
  driver.run('a')
  driver.replan([plan('n', [carry(driver, 'a'), task('x', ['old-a']), 'y'])])
  driver.run('x')
  driver.replan([plan('m', [carry(driver, 'a'), carry(driver, 'x', ['old-a']), task('z', ['old-x'])])])
  check(driver.memory)
  t.match(planOf(driver, 'm'), { revision: 3, completed: 2, ready: 1 })
  t.match(planOf(driver, 'n'), { completed: 0, skipped: 1 })
  driver.addPlans('root-1', [plan('more', ['w'])])
  t.equal(planOf(driver, 'more')?.revision, 3, 'a plan that is added belongs to the revision that it joins')
  t.strictSame(driver.drive(), [])
  check(driver.memory)
})

t.test('a failed plan whose alternative is superseded stays covered', async (t) => {
  const driver = planned([plan('p', ['a']), plan('q', ['b'], { alternativeTo: 'p' })])
  driver.run('a', 'failed')
  driver.replan([plan('n', ['x'])])
  t.match(planOf(driver, 'p'), { status: 'failed', covered: true })
  check(driver.memory)
  driver.run('x')
  t.equal(driver.rows.objective?.status, 'completed')
})

t.test('which plan a new one stands for', async (t) => {
  const two = planned([plan('p', ['a'], { name: 'Go' }), plan('q', ['b'], { name: 'Stay' })])
  const [p, q] = ['p', 'q'].map((key) => idOf(two, key))
  two.replan([
    plan('p', ['1'], { name: 'Stay' }),
    plan('r', ['2'], { name: 'Stay' }),
    plan('s', ['3'], { name: 'Else' }),
    plan(q as string, ['4']),
  ])
  t.strictSame(
    ['p', 'r', 's', q as string].map((key) => planOf(two, key)?.supersedesPlanId),
    [p, q, null, q],
    'by key, by name, by id',
  )
  const one = planned([plan('p', ['a'])])
  const only = idOf(one, 'p')
  one.replan([plan('x', ['1']), plan('y', ['2'])])
  t.strictSame(
    ['x', 'y'].map((key) => planOf(one, key)?.supersedesPlanId),
    [only, only],
    'or the only one there was',
  )
  const none = planned([])
  none.replan([plan('x', ['1'])], { expectedRevision: 0 })
  t.match(planOf(none, 'x'), { supersedesPlanId: null, revision: 1 })
})

t.test('what is decided together with a change', async (t) => {
  const driver = planned([plan('p', ['a', 'b', 'c'])])
  for (const key of ['a', 'b']) driver.claim(driver.task(key))
  const { id } = driver.task('a')
  const limits = { maxPlansPerObjective: 10, maxTasksPerPlan: 10 }
  const change = { plans: [plan('n', ['x'], { onFailure: 'continue' })], running: 'keep' as const, actor: 'someone' }
  const { answers } = driver.memory.apply([
    (w) => replan(w, 'wire', change, { defaults: DEFAULTS, limits }),
    (w) => void leaveExecution(w, refOf(driver.task('a')), null),
    (w) => cancelTask(w, 'root-1'),
  ])
  t.strictSame(
    answers.filter((answer) => answer instanceof Error),
    [],
  )
  t.equal(driver.rows.task(id).state, 'failed', 'it ended in the plan that it was carried into')
  t.strictSame(
    ['x', 'b', 'c', 'root-1'].map((key) => driver.state(key)),
    ['canceled', 'canceled', 'skipped', 'canceled'],
  )
  check(driver.memory)
})

t.test('a change takes as many rounds of loading, whatever it carries over and supersedes', async (t) => {
  const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
  const roundsOf = (size: number) => {
    const inner = (i: number) => ({ plans: [plan(`in${i}`, [`i${i}`])] })
    const first = numbers(size).flatMap((i) => [`a${i}`, task(`b${i}`, [`a${i}`]), task(`x${i}`, [], inner(i))])
    const driver = planned([plan('p', first), plan('q', ['z'], { dependencies: ['p'] })])
    for (const i of numbers(size)) driver.run(`a${i}`)
    for (const i of numbers(size)) driver.claim(driver.task(`b${i}`))
    const drafts = [
      plan(
        'n',
        numbers(size).flatMap((i) => [carry(driver, `a${i}`), task(`y${i}`, [`old-a${i}`])]),
      ),
    ]
    const limits = { maxPlansPerObjective: 10, maxTasksPerPlan: 1_000 }
    const change = { plans: drafts, running: 'cancel' as const, actor: 'someone' }
    return driver.memory.apply([(w) => replan(w, 'wire', change, { defaults: DEFAULTS, limits })]).rounds
  }
  t.equal(roundsOf(40), roundsOf(2))
  t.ok(roundsOf(2) <= 8, `${roundsOf(2)} rounds`)
})

t.test(
  'what a completed plan made for one that is superseded is delivered, once, unless a new plan needs it',
  async (t) => {
    const delivered = (driver: CoreDriver) =>
      driver.rows.artifacts.filter(({ taskId }) => taskId === 'root-1').map(({ name }) => name)
    const started = () => {
      const driver = planned([plan('p', ['a']), plan('q', ['b'], { dependencies: ['p'] })])
      driver.run('a')
      return driver
    }
    const alone = started()
    t.strictSame(delivered(alone), [], 'the other plan is given it')
    alone.replan([plan('r', ['c'])])
    t.strictSame(delivered(alone), ['a'])
    alone.replan([plan('s', ['d'])])
    alone.run('d')
    t.strictSame(delivered(alone), ['a', 'd'])
    check(alone.memory)
    const needed = started()
    needed.replan([plan('r', ['c'], { dependencies: [idOf(needed, 'p')] })])
    needed.run('c')
    t.strictSame(delivered(needed), ['c'])
    check(needed.memory)
  },
)
