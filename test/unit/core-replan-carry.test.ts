import t from '../tap.ts'
import { check } from './core-check.ts'
import type { CoreDriver } from './core-moves.ts'
import { carry, plan, planned, task } from './core-plan.ts'

const planOf = (driver: CoreDriver, key: string) => driver.rows.plans.findLast((row) => row.draftKey === key)
const idOf = (driver: CoreDriver, key: string) => planOf(driver, key)?.id as string
const replanned = (driver: CoreDriver) => driver.rows.events.findLast(({ type }) => type === 'objective.replanned')

t.test('what runs is kept where that is asked for, wherever it was', async (t) => {
  const driver = planned([plan('p', ['a', 'b', 'c']), plan('q', ['d', 'e'])])
  for (const key of ['a', 'b', 'd']) driver.claim(driver.task(key))
  driver.finish(driver.task('d'), 'input-required')
  driver.replan([plan('n', ['x', carry(driver, 'b'), task('y', ['old-b'])]), plan('m', ['z'])], { running: 'keep' })
  check(driver.memory)
  t.strictSame(
    ['a', 'b', 'c', 'd', 'e'].map((key) => driver.state(key)),
    ['working', 'working', 'skipped', 'input-required', 'skipped'],
  )
  const places = driver.rows.planTasks.filter(({ planId }) => planId === idOf(driver, 'n'))
  t.strictSame(
    places.map(({ taskId, taskIndex }) => [driver.rows.task(taskId).name, taskIndex]),
    [
      ['x', 0],
      ['b', 1],
      ['y', 2],
      ['a', 3],
      ['d', 4],
    ],
    'those that no draft names go to the end of the first new plan',
  )
  t.match(planOf(driver, 'n'), { running: 2, input: 1, ready: 1, waiting: 1, started: 3 })
  t.equal(driver.task('y').claimableAt, null)
  driver.finish(driver.task('b'), 'completed')
  t.not(driver.task('y').claimableAt, null, 'what waits for it is met when it is done')
  t.strictSame(driver.drive(), [])
  t.equal(driver.rows.objective?.status, 'completed')
  check(driver.memory)
})

t.test('what was carried into a plan that waits goes on, and what is new there waits', async (t) => {
  const driver = planned([plan('p', ['a', 'b', 'c'])])
  driver.run('a')
  driver.claim(driver.task('b'))
  const later = plan('later', [carry(driver, 'a'), carry(driver, 'b'), task('x', ['old-a']), task('y', ['old-b'])])
  driver.replan([plan('first', ['n']), { ...later, dependencies: ['first'] }], { running: 'keep' })
  check(driver.memory)
  t.strictSame([driver.task('x').claimableAt, driver.task('y').claimableAt], [null, null])
  driver.finish(driver.task('b'), 'completed')
  t.equal(driver.task('y').claimableAt, null, 'its plan has not opened')
  check(driver.memory)
  driver.claim(driver.task('n'))
  driver.finish(driver.task('n'), 'input-required')
  t.equal(driver.state('root-1'), 'input-required', 'nothing moves without an answer')
  check(driver.memory)
  driver.answer(driver.task('n').id)
  t.strictSame(driver.drive(), [])
  t.equal(driver.rows.objective?.status, 'completed')
})

t.test('what was carried into a plan that waits still runs when the plan opens', async (t) => {
  const driver = planned([plan('p', ['a'])])
  driver.claim(driver.task('a'))
  driver.replan([plan('first', ['n']), plan('later', [carry(driver, 'a'), 'x'], { dependencies: ['first'] })], {
    running: 'keep',
  })
  driver.run('n')
  check(driver.memory)
  t.not(driver.task('x').claimableAt, null)
  t.strictSame(driver.drive(), [])
})

t.test('a carried task that fails is judged by the plan that it is in', async (t) => {
  const driver = planned([plan('p', ['a', 'b'], { onFailure: 'ignore' })])
  driver.claim(driver.task('a'))
  driver.replan([plan('n', ['x'])], { running: 'keep' })
  driver.fail(driver.task('a'), false)
  check(driver.memory)
  t.strictSame([driver.status('n'), driver.state('x'), driver.state('root-1')], ['failed', 'skipped', 'failed'])
})

t.test('a plan of nothing but completed tasks is completed with the change', async (t) => {
  const driver = planned([plan('p', ['a', task('b', ['a'])])])
  driver.run('a')
  driver.replan([plan('n', [carry(driver, 'a')])])
  check(driver.memory)
  t.strictSame([driver.status('n'), driver.state('root-1')], ['completed', 'completed'])
  const given = driver.rows.artifacts.filter(({ taskId }) => taskId === 'root-1')
  t.strictSame(
    given.map(({ name }) => name),
    ['a'],
    'and gives out what was waited for only in the plan it was in',
  )
})

t.test('plans that depend on a plan are given what was carried into it', async (t) => {
  const driver = planned([plan('p', ['a', 'b'])])
  driver.run('a')
  driver.replan([plan('n', [carry(driver, 'a')]), plan('m', ['x'], { dependencies: ['n'] })])
  check(driver.memory)
  t.not(driver.task('x').claimableAt, null)
})

t.test('a planned task is carried over with all below it', async (t) => {
  const inner = [plan('in', ['i1', task('i2', ['i1'])])]
  const driver = planned([plan('p', [task('x', [], { plans: inner }), 'a'])])
  driver.run('i1')
  driver.replan([plan('n', [carry(driver, 'x'), task('y', ['old-x'])])], { running: 'keep' })
  check(driver.memory)
  driver.run('i2')
  check(driver.memory)
  driver.run('y')
  t.equal(driver.state('root-1'), 'completed')
  check(driver.memory)
})

t.test('the plans of a nested planned task are replaced by themselves', async (t) => {
  const inner = [plan('in', ['i1', 'i2'])]
  const driver = planned([plan('p', ['a', task('x', ['a'], { plans: inner }), task('z', ['x'])])])
  const x = driver.task('x').id
  driver.replan([plan('waits', ['w'])], { taskId: x })
  check(driver.memory)
  t.equal(driver.task('w').claimableAt, null, 'it waits with its planned task')
  driver.run('a')
  driver.run('w')
  t.strictSame([driver.state('x'), driver.status('p')], ['completed', 'working'])
  t.not(driver.task('z').claimableAt, null)
  t.match(replanned(driver), { taskId: x, planId: idOf(driver, 'p') })
  check(driver.memory)
})
