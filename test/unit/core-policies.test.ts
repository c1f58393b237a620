import t from '../tap.ts'
import { check } from './core-check.ts'
import type { CoreDriver } from './core-moves.ts'
import { plan, planned, task } from './core-plan.ts'

/** What the tasks are at. */
const states = (driver: CoreDriver, ...keys: string[]) => keys.map((key) => driver.state(key))
const statuses = (driver: CoreDriver, ...keys: string[]) => keys.map((key) => driver.status(key))

t.test('a failure skips what waits for it, directly or not, and nothing else', async (t) => {
  const driver = planned([
    plan('p', [task('a'), task('b', ['a']), task('c', ['b']), task('d'), task('e', ['d'])], { onFailure: 'continue' }),
  ])
  driver.run('a', 'failed')
  t.same(states(driver, 'a', 'b', 'c', 'd', 'e'), ['failed', 'skipped', 'skipped', 'submitted', 'submitted'])
  driver.run('d')
  driver.run('e')
  t.equal(driver.status('p'), 'failed')
  check(driver.memory)
})

t.test('what waits for several tasks is skipped when one of them breaks', async (t) => {
  const driver = planned([plan('p', [task('a'), task('b'), task('c', ['a', 'b'])], { onFailure: 'continue' })])
  driver.run('a')
  t.equal(driver.task('c').unmet, 1)
  driver.run('b', 'rejected')
  t.equal(driver.state('c'), 'skipped')
})

t.test('a task that a person cancels breaks what waits for it', async (t) => {
  const driver = planned([plan('p', [task('a'), task('b', ['a'])]), plan('q', ['c'])])
  driver.cancel(driver.task('a'))
  t.same(states(driver, 'a', 'b'), ['canceled', 'skipped'])
  t.same(statuses(driver, 'p', 'q'), ['canceled', 'pending'], 'and is no failure')
})

t.test('a cascade takes planned tasks along, with all below them', async (t) => {
  const inner = plan('q', [task('q1'), task('q2', ['q1'])])
  const driver = planned([plan('p', [task('a'), task('b', ['a'], { plans: [inner] })], { onFailure: 'continue' })])
  driver.run('a', 'failed')
  t.same(states(driver, 'b', 'q1', 'q2'), ['skipped', 'skipped', 'skipped'])
  t.equal(driver.status('q'), 'skipped')
  t.equal(driver.state('root-1'), 'failed')
  check(driver.memory)
})

t.test('onFailure fail ends the plan at once: what runs is canceled, what never started is skipped', async (t) => {
  const driver = planned([plan('p', [task('a'), task('b'), task('c')])])
  driver.claim(driver.task('b'))
  driver.run('a', 'failed')
  t.same(states(driver, 'a', 'b', 'c'), ['failed', 'canceled', 'skipped'])
  t.equal(driver.status('p'), 'failed')
  t.equal(driver.state('root-1'), 'failed')
})

t.test(
  'a planned task that had started is canceled with its plan; what never started below it is skipped',
  async (t) => {
    const inner = plan('q', [task('q1'), task('q2', ['q1'])])
    const driver = planned([plan('p', [task('a'), task('b', [], { plans: [inner] })])])
    driver.claim(driver.task('q1'))
    driver.run('a', 'failed')
    t.same(states(driver, 'b', 'q1', 'q2'), ['canceled', 'canceled', 'skipped'])
  },
)

t.test('onFailure continue lets the others go on, and fails the plan in the end', async (t) => {
  const driver = planned([plan('p', ['a', 'b'], { onFailure: 'continue' })])
  driver.run('a', 'failed')
  t.equal(driver.status('p'), 'working')
  driver.run('b')
  t.equal(driver.status('p'), 'failed')
})

t.test('onFailure ignore meets what waits for a failure, and completes the plan', async (t) => {
  const driver = planned([plan('p', [task('a'), task('b', ['a'])], { onFailure: 'ignore' })])
  driver.run('a', 'failed')
  t.equal(driver.state('b'), 'submitted')
  driver.run('b', 'rejected')
  t.same(statuses(driver, 'p'), ['completed'])
  t.equal(driver.rows.objective?.failed, 2, 'the failures are still counted')
})

t.test('an optional task that fails counts as skipped, and what waits for it goes on', async (t) => {
  const driver = planned([plan('p', [task('a', [], { optional: true }), task('b', ['a'])])])
  driver.run('a', 'failed')
  t.equal(driver.state('b'), 'submitted')
  driver.run('b')
  t.equal(driver.status('p'), 'completed')
  t.match(driver.rows.objective, { status: 'completed', completed: 1, failed: 0, skipped: 1 })
})

t.test('an optional task that a person cancels is no failure, but what waits for it cannot run', async (t) => {
  const driver = planned([plan('p', [task('a', [], { optional: true }), task('b', ['a']), task('c')])])
  driver.cancel(driver.task('a'))
  t.equal(driver.state('b'), 'skipped')
  driver.run('c')
  t.equal(driver.status('p'), 'completed')
})

t.test('a planned task whose plans were all skipped counts as skipped, not as canceled by a person', async (t) => {
  const inner = plan('q', [task('q1', [], { optional: true })])
  const driver = planned([plan('p', [task('a'), task('b', [], { plans: [inner] })])])
  driver.run('q1', 'failed')
  t.equal(driver.state('b'), 'skipped')
  driver.run('a')
  t.equal(driver.status('p'), 'completed')
})

t.test('onPlanFailure fail ends the unfinished siblings of a plan that fails', async (t) => {
  const driver = planned([plan('p', ['a']), plan('q', ['b', 'c']), plan('r', ['d'], { dependencies: ['q'] })])
  driver.claim(driver.task('b'))
  driver.run('a', 'failed')
  t.same(statuses(driver, 'p', 'q', 'r'), ['failed', 'skipped', 'skipped'])
  t.same(states(driver, 'b', 'c', 'd'), ['canceled', 'skipped', 'skipped'])
  t.equal(driver.rows.objective?.status, 'failed')
})

t.test('onPlanFailure continue lets siblings go on, but not what depends on the plan', async (t) => {
  const plans = [plan('p', ['a']), plan('q', ['b']), plan('r', ['c'], { dependencies: ['p'] })]
  const driver = planned(plans, { onPlanFailure: 'continue' })
  driver.run('a', 'failed')
  t.same(statuses(driver, 'p', 'q', 'r'), ['failed', 'pending', 'skipped'])
  driver.run('b')
  t.equal(driver.state('root-1'), 'failed')
})

t.test('onPlanFailure acts once: plans added after it are left alone by the next failure', async (t) => {
  const driver = planned([plan('p', ['a']), plan('q', ['b']), plan('r', ['c'], { alternativeTo: 'q' })])
  driver.run('b', 'failed')
  driver.run('a', 'failed')
  t.equal(driver.status('r'), 'pending', 'an alternative goes on')
  driver.addPlans('root-1', [plan('s', ['d']), plan('u', ['e'])])
  driver.run('d', 'failed')
  t.equal(driver.status('u'), 'pending')
})

t.test('a plan without tasks holds nothing open, and ends with its task', async (t) => {
  const driver = planned([plan('p', ['a']), plan('empty', [])])
  driver.run('a')
  t.equal(driver.rows.objective?.status, 'completed')
  t.equal(driver.status('empty'), 'skipped')
})

t.test('a planned task that fails says which tasks failed, and why', async (t) => {
  const said = (driver: CoreDriver) => driver.task('root-1').statusMessage?.parts
  const inner = plan('q', ['q1'])
  const deep = planned([plan('p', [task('a'), task('b', [], { plans: [inner] })])])
  deep.run('q1', 'rejected')
  t.same(said(deep), [{ text: 'Task "b" failed: Task "q1" was rejected: q1?' }])
  const late = planned([plan('p', ['a', 'b'], { onFailure: 'continue' })])
  late.run('a', 'failed')
  late.run('b')
  t.same(said(late), [{ text: 'Plan "p" failed: 1 of its tasks did.' }], 'what was said then stands at the task')
})
