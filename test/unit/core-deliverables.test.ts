import t from '../tap.ts'
import type { CoreDriver } from './core-moves.ts'
import { plan, planned, task } from './core-plan.ts'

/** Names of the artifacts that the root has been given. */
function delivered({ rows }: CoreDriver, taskId = 'root-1'): (string | null)[] {
  return rows.artifacts.filter((artifact) => artifact.taskId === taskId).map((artifact) => artifact.name)
}

t.test('a plan gives out the artifacts of tasks that no task depends on, once it completes', async (t) => {
  const driver = planned([plan('p', [task('a'), task('b', ['a']), task('c')])])
  driver.run('a')
  driver.run('c')
  t.same(delivered(driver), [])
  driver.run('b')
  t.same(delivered(driver), ['c', 'b'])
})

t.test('a plan that a plan depends on gives out nothing', async (t) => {
  const driver = planned([plan('p', ['a']), plan('q', ['b'], { dependencies: ['p'] })])
  driver.run('a')
  driver.run('b')
  t.same(delivered(driver), ['b'])
})

t.test('an alternative gives out as the plan that it stands for would', async (t) => {
  const failed = planned([plan('p', ['a']), plan('q', ['b'], { alternativeTo: 'p' })])
  failed.run('a', 'failed')
  failed.run('b')
  t.same(delivered(failed), ['b'])
  const plans = [plan('p', ['a']), plan('q', ['b'], { alternativeTo: 'p' }), plan('r', ['c'], { dependencies: ['p'] })]
  const driver = planned(plans)
  driver.run('a', 'failed')
  driver.run('b')
  t.same(delivered(driver), [], 'not where a plan depends on that one')
})

t.test('a plan that did not complete gives out nothing', async (t) => {
  const driver = planned([plan('p', ['a', 'b'], { onFailure: 'continue' })])
  driver.run('a')
  driver.run('b', 'failed')
  t.same(delivered(driver), [])
})

t.test('deliverables of a nested task are its own, and go on up with it', async (t) => {
  const driver = planned([plan('p', [task('x', [], { plans: [plan('q', ['a'])] })])])
  driver.run('a')
  t.same(delivered(driver, driver.task('x').id), ['a'])
  t.same(delivered(driver), ['a'])
  const [own, nested, root] = driver.rows.artifacts
  t.same([nested?.sourceKey, root?.sourceKey], [own?.key, own?.key], 'and all read the parts that were written once')
})

t.test('artifacts come before the end that they belong to', async (t) => {
  const driver = planned([plan('p', ['a'])])
  driver.run('a')
  const ofRoot = driver.rows.events.filter((event) => event.taskId === 'root-1').slice(-2)
  t.match(ofRoot, [{ type: 'task.artifact' }, { type: 'task.status', data: { state: 'completed' } }])
})
