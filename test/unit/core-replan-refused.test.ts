import t from '../tap.ts'
import { check } from './core-check.ts'
import type { CoreDriver } from './core-moves.ts'
import { plan, planned, refusal, task } from './core-plan.ts'

/** A change of plans that is refused leaves everything as it was. */
function refused(driver: CoreDriver, ...given: Parameters<CoreDriver['replan']>): unknown {
  const before = driver.rows.events.length
  const error = refusal(() => driver.replan(...given))
  if (driver.rows.events.length !== before) throw new Error('it was not refused')
  check(driver.memory)
  return error
}

const carry = (id: string, dependencies: string[] = []) => task('t', dependencies, { taskId: id })

t.test('what cannot be carried over is named, and why', async (t) => {
  const driver = planned(
    [
      plan('p', ['done', 'runs', 'waits']),
      plan('q', ['over']),
      plan('bad', ['failed', 'halted', 'kept'], { onFailure: 'continue' }),
    ],
    { onPlanFailure: 'continue' },
  )
  for (const key of ['done', 'over', 'kept']) driver.run(key)
  driver.run('failed', 'failed')
  driver.cancel(driver.task('halted'))
  driver.claim(driver.task('runs'))
  const elsewhere = driver.start()
  const ids = Object.fromEntries(driver.rows.tasks.map(({ name, id }) => [name, id]))
  const cases: [id: string, why: RegExp][] = [
    [ids['runs'] as string, /is working, and .*running "keep"/],
    [ids['waits'] as string, /has not started/],
    [ids['failed'] as string, /is failed/],
    [ids['halted'] as string, /is canceled/],
    [ids['over'] as string, /which is completed and stays: depend on that plan/],
    [elsewhere, /is in no plan of task root-1/],
    ['root-1', /is in no plan of task root-1/],
    ['nowhere', /is in no plan of task root-1/],
  ]
  for (const [id, why] of cases) {
    t.match(refused(driver, [plan('n', [carry(id)])]), { meaning: 'invalidPlan', details: { key: 't', why } }, id)
    t.match(refused(driver, [plan('n', [carry(id)])]), { message: new RegExp(id) })
  }
  const done = ids['done'] as string
  const twice = [plan('n', [carry(done)]), plan('m', [task('again', [], { taskId: done })])]
  t.match(refused(driver, twice), { details: { key: 'again', why: /twice/ } })
  const waiting = [plan('n', ['x', carry(done, ['x'])])]
  t.match(refused(driver, waiting), { details: { key: 't', why: /cannot wait for "x"/ } })
  const alternative = [plan('n', ['x']), plan('m', [carry(done)], { alternativeTo: 'n' })]
  t.match(refused(driver, alternative), { details: { key: 't', why: /alternative/ } })
  driver.replan([plan('n', [carry(done), task('k', ['t'], { taskId: ids['kept'] as string }), 'x'])])
  check(driver.memory)
  t.ok(driver.rows.edges.some(({ taskId, dependsOnId }) => taskId === ids['kept'] && dependsOnId === done))
})

t.test('plans may depend on plans that have completed, and on no other that was there before', async (t) => {
  const driver = planned([plan('p', ['a']), plan('q', ['b']), plan('r', ['c'], { alternativeTo: 'q' })])
  const id = (key: string) => driver.rows.plans.find((row) => row.draftKey === key)?.id as string
  driver.run('a')
  const depends = (on: string) => [plan('n', ['x'], { dependencies: [on] })]
  t.match(refused(driver, depends(id('q'))), { meaning: 'invalidPlan', details: { key: 'n', why: /superseded/ } })
  driver.run('b', 'failed')
  t.match(refused(driver, depends(id('q'))), { details: { why: /superseded/ } }, 'its alternative is')
  t.match(refused(driver, depends('plan-none')), { details: { why: /no plan of the same task/ } })
  driver.replan(depends(id('p')))
  t.not(driver.task('x').claimableAt, null)
  t.match(refused(driver, depends(id('r'))), { details: { why: /superseded/ } }, 'one of an earlier change')
  check(driver.memory)
})

t.test('what has ended, and what has no plans, is not changed', async (t) => {
  const driver = planned([plan('p', [task('x', [], { plans: [plan('in', ['i'])] }), 'a'])])
  const next = [plan('n', ['y'])]
  t.match(refused(driver, next, { taskId: driver.task('a').id }), {
    meaning: 'invalidParams',
    message: /^taskId: was "task-/,
  })
  t.match(refused(driver, next, { taskId: 'nobody' }), { meaning: 'taskNotFound' })
  driver.run('i')
  t.match(refused(driver, next, { taskId: driver.task('x').id }), {
    meaning: 'invalidState',
    message: /^Task task-.* is completed/,
  })
  driver.run('a')
  t.match(refused(driver, next), { meaning: 'invalidState', message: /^Objective wire is completed/ })
})

t.test('a change of plans that are not as they were thought to be', async (t) => {
  const driver = planned([plan('p', ['a'])])
  driver.replan([plan('n', ['x'])], { expectedRevision: 1 })
  t.match(refused(driver, [plan('m', ['y'])], { expectedRevision: 1 }), {
    meaning: 'revisionMismatch',
    message: /at revision 2, and expectedRevision was 1/,
    details: { taskId: 'root-1', revision: '2', expectedRevision: '1' },
  })
})

t.test('what a planner thinks of carries nothing over', async (t) => {
  const driver = planned([plan('p', ['done', 'next'])])
  driver.run('done')
  const { id } = driver.task('done')
  const nested = task('deep', [], { plans: [plan('in', [carry(id)])] })
  const why = { meaning: 'invalidPlan', details: { key: 't', why: /only a replan/ } }
  t.match(refused(driver, [plan('n', [nested])]), why)
  const before = driver.rows.events.length
  t.match(
    refusal(() => driver.addPlans('root-1', [plan('n', [carry(id)])])),
    why,
  )
  t.equal(driver.rows.events.length, before)
  check(driver.memory)
})

t.test('limits hold with what stays and what is carried over', async (t) => {
  const driver = planned([plan('p', ['a', 'b']), plan('q', ['c'])])
  driver.run('c')
  for (const key of ['a', 'b']) driver.claim(driver.task(key))
  const limits = { maxPlansPerObjective: 2, maxTasksPerPlan: 2 }
  t.match(refused(driver, [plan('n', ['x']), plan('m', ['y'])], {}, limits), {
    details: { key: 'm', why: /1 plans are there already.*maxPlans/ },
  })
  const lowered = planned([plan('p', ['a']), plan('q', ['b']), plan('r', ['c'])])
  for (const key of ['a', 'b']) lowered.run(key)
  t.match(refused(lowered, [plan('n', ['x'])], {}, { ...limits, maxPlansPerObjective: 1 }), {
    details: { key: 'n', why: /2 plans are there already/ },
  })
  t.match(refused(driver, [plan('n', ['x'])], { running: 'keep' }, limits), {
    details: { key: 'n', why: /3 tasks .*maxTasksPerPlan/ },
  })
  t.match(refused(driver, [plan('n', []), plan('m', [])]), {
    details: { key: 'n', why: /nothing would be left to do/ },
  })
  driver.replan([plan('n', [])], { running: 'keep' })
  check(driver.memory)
})
