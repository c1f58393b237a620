import t from '../tap.ts'
import { check } from './core-check.ts'
import { plan, planned, refusal, task } from './core-plan.ts'

/** A draft that carries over the task that a key became. */
const carried = (driver: ReturnType<typeof planned>, key: string, dependencies: string[] = []) =>
  task(`old-${key}`, dependencies, { taskId: driver.task(key).id })

t.test('what is completed is carried over, and the rest is superseded', async (t) => {
  const driver = planned([plan('p', ['a', task('b', ['a']), 'c']), plan('q', ['d'], { dependencies: ['p'] })])
  const [p, q] = driver.rows.plans.map(({ id }) => id)
  driver.run('a')
  driver.claim(driver.task('c'))
  const a = driver.task('a').id
  driver.replan([plan('p', [carried(driver, 'a'), task('n', ['old-a'])])])
  check(driver.memory)
  t.strictSame([driver.state('b'), driver.state('c'), driver.state('d')], ['skipped', 'canceled', 'skipped'])
  t.match(driver.rows.plan(p as string), {
    status: 'skipped',
    end: 'superseded',
    revision: 1,
    completed: 0,
    skipped: 1,
    canceled: 1,
  })
  t.match(driver.rows.plan(q as string), { status: 'skipped', end: 'superseded' })
  const fresh = driver.rows.plans.at(-1)
  t.match(fresh, { status: 'working', revision: 2, supersedesPlanId: p, completed: 1, ready: 1, started: 1 })
  t.not(driver.task('n').claimableAt, null, 'what it depends on is met')
  t.match(driver.rows.events.find(({ type }) => type === 'objective.replanned')?.data, {
    taskId: 'root-1',
    actor: 'someone',
    running: 'cancel',
    before: { revision: 1, plans: [p, q] },
    after: { revision: 2, plans: [fresh?.id] },
    carried: [a],
    canceled: [driver.task('c').id],
    skipped: [driver.task('b').id, driver.task('d').id],
  })
  driver.run('n')
  t.equal(driver.rows.objective?.status, 'completed')
  check(driver.memory)
})

t.test('a change that is refused', async (t) => {
  const driver = planned([plan('p', ['a'])])
  t.match(
    refusal(() => driver.replan([plan('n', ['x'])], { expectedRevision: 2 })),
    { meaning: 'revisionMismatch', details: { revision: '1', expectedRevision: '2' } },
  )
})
