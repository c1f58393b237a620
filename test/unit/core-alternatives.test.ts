import t from '../tap.ts'
import { check } from './core-check.ts'
import { plan, planned, refusal, task } from './core-plan.ts'

t.test('an alternative is not needed where the plan completes', async (t) => {
  const driver = planned([plan('p', ['a']), plan('q', ['b'], { alternativeTo: 'p' })])
  t.equal(driver.task('b').claimableAt, null, 'it waits')
  driver.run('a')
  t.equal(driver.status('q'), 'skipped')
  t.equal(driver.rows.plans.find((row) => row.draftKey === 'q')?.end, 'notNeeded')
  t.equal(driver.state('root-1'), 'completed')
})

t.test('an alternative runs when the plan fails, and stands for it', async (t) => {
  const driver = planned([plan('p', ['a']), plan('q', ['b'], { alternativeTo: 'p' }), plan('r', ['c'])])
  driver.run('a', 'failed')
  t.not(driver.task('b').claimableAt, null)
  t.equal(driver.status('r'), 'pending', 'its siblings go on')
  driver.run('b')
  driver.run('c')
  t.equal(driver.rows.objective?.status, 'completed')
  check(driver.memory)
})

t.test('what depends on a failed plan waits for its alternative, and is met when that completes', async (t) => {
  const plans = [plan('p', ['a']), plan('q', ['b'], { alternativeTo: 'p' }), plan('r', ['c'], { dependencies: ['p'] })]
  const driver = planned(plans)
  driver.run('a', 'failed')
  t.equal(driver.task('c').claimableAt, null)
  driver.run('b')
  t.not(driver.task('c').claimableAt, null)
})

t.test('what depends on a failed plan is skipped when its alternative fails too', async (t) => {
  const plans = [plan('p', ['a']), plan('q', ['b'], { alternativeTo: 'p' }), plan('r', ['c'], { dependencies: ['p'] })]
  const driver = planned(plans)
  driver.run('a', 'failed')
  driver.run('b', 'failed')
  t.equal(driver.state('c'), 'skipped')
  t.equal(driver.state('root-1'), 'failed')
})

t.test('alternatives go on down a chain', async (t) => {
  const driver = planned([
    plan('p', ['a']),
    plan('q', ['b'], { alternativeTo: 'p' }),
    plan('r', ['c'], { alternativeTo: 'q' }),
    plan('s', ['d'], { dependencies: ['p'] }),
  ])
  driver.run('a', 'failed')
  driver.run('b', 'failed')
  driver.run('c')
  driver.run('d')
  t.equal(driver.state('root-1'), 'completed')
  check(driver.memory)
})

t.test('an alternative that was skipped covers nothing: the objective failed', async (t) => {
  const plans = [
    plan('p', ['a']),
    plan('needed', ['n']),
    plan('q', ['b'], { alternativeTo: 'p', dependencies: ['needed'] }),
    plan('r', ['c']),
  ]
  const driver = planned(plans, { onPlanFailure: 'continue' })
  driver.run('a', 'failed')
  driver.cancel(driver.task('n'))
  t.equal(driver.status('q'), 'skipped', 'what it needs was canceled')
  driver.run('c')
  t.equal(driver.rows.objective?.status, 'failed')
  check(driver.memory)
})

t.test('an alternative that ended before it was needed covers nothing', async (t) => {
  const plans = [plan('p', ['a']), plan('q', ['b'], { alternativeTo: 'p' }), plan('r', ['c'])]
  const driver = planned(plans, { onPlanFailure: 'continue' })
  driver.cancel(driver.task('b'))
  driver.run('a', 'failed')
  driver.run('c')
  t.equal(driver.rows.objective?.status, 'failed')
})

t.test('an alternative without tasks covers nothing', async (t) => {
  const driver = planned([plan('p', ['a']), plan('q', [], { alternativeTo: 'p' }), plan('r', ['b'])])
  driver.run('a', 'failed')
  t.equal(driver.state('b'), 'skipped')
  t.equal(driver.rows.objective?.status, 'failed')
})

t.test('a plan may depend on one that failed, as long as its alternative may complete', async (t) => {
  const plans = [plan('p', ['a']), plan('q', ['b'], { alternativeTo: 'p' }), plan('hold', ['h'])]
  const driver = planned(plans)
  driver.run('a', 'failed')
  const p = driver.rows.plans[0]?.id as string
  driver.addPlans('root-1', [plan('r', ['c'], { dependencies: [p] })])
  t.equal(driver.task('c').claimableAt, null)
  driver.run('b')
  t.not(driver.task('c').claimableAt, null)
  driver.addPlans('root-1', [plan('s', ['d'], { dependencies: [p] })])
  t.not(driver.task('d').claimableAt, null, 'one that comes later is met at once')
})

t.test('plans that could never run are refused', async (t) => {
  const driver = planned([plan('p', ['a']), plan('q', ['b'], { dependencies: ['p'] }), plan('empty', [])])
  const id = (key: string) => driver.rows.plans.find((row) => row.draftKey === key)?.id as string
  const refuses = (draft: Parameters<typeof plan>[2], why: RegExp) =>
    t.match(
      refusal(() => driver.addPlans('root-1', [plan('new', ['n'], draft)])),
      { meaning: 'invalidPlan', details: { why } },
    )
  refuses({ dependencies: [id('empty')] }, /has no tasks/)
  refuses({ alternativeTo: id('empty') }, /has no tasks and never fails/)
  refuses({ dependencies: ['nobody'] }, /no plan of the same task/)
  refuses({ alternativeTo: id('p'), dependencies: [id('p')] }, /new → new/)
  refuses({ alternativeTo: id('p'), dependencies: [id('q')] }, /waits for itself/)
  driver.run('a', 'failed')
  t.match(
    refusal(() => driver.addPlans('root-1', [plan('late', ['l'])])),
    { meaning: 'invalidState' },
  )
  const nested = plan('p', [task('x', [], { plans: [plan('q', [])] })])
  t.match(
    refusal(() => planned([nested])),
    { meaning: 'invalidPlan', details: { key: 'x' } },
  )
})
