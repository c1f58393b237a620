import { cancelTask } from '../../src/domain/commands/cancel.ts'
import t from '../tap.ts'
import { check } from './core-check.ts'
import type { CoreDriver } from './core-moves.ts'
import { plan, planned, task } from './core-plan.ts'

/** What a planned task shows. */
function shown(driver: CoreDriver, key = 'root-1'): unknown {
  return driver.task(key).statusMessage?.parts[0]
}

function ask(driver: CoreDriver, key: string, state: 'input-required' | 'auth-required' = 'input-required'): void {
  driver.memory.advance(1)
  driver.run(key, state)
}

t.test('a root asks only when nothing below it can move without an answer', async (t) => {
  const driver = planned([plan('p', ['a', 'b'])])
  ask(driver, 'a')
  t.equal(driver.state('root-1'), 'working')
  ask(driver, 'b')
  t.equal(driver.state('root-1'), 'input-required')
  t.same(shown(driver), { text: 'a?' }, 'the oldest question')
  t.equal(driver.rows.objective?.status, 'blocked')
})

t.test('a root asks for authentication only where nothing else is asked', async (t) => {
  const driver = planned([plan('p', ['a', 'b'])])
  ask(driver, 'a', 'auth-required')
  ask(driver, 'b')
  t.equal(driver.state('root-1'), 'input-required')
  driver.answer(driver.task('b').id)
  driver.run('b')
  t.equal(driver.state('root-1'), 'auth-required')
})

t.test('an answer to the root goes to the oldest question, and its task goes on with the same attempt', async (t) => {
  const driver = planned([plan('p', ['a', 'b'])])
  ask(driver, 'a')
  ask(driver, 'b')
  driver.answer('root-1')
  t.match(driver.task('a'), { state: 'working', attempt: 1, runner: null })
  t.not(driver.task('a').claimableAt, null)
  t.equal(driver.state('b'), 'input-required')
  t.equal(driver.state('root-1'), 'working')
  driver.claim(driver.task('a'))
  t.match(driver.task('a'), { attempt: 1, lease: 2 })
  check(driver.memory)
})

t.test('a root that stays interrupted shows the next question when the one it showed is gone', async (t) => {
  const driver = planned([plan('p', ['a', 'b'], { onFailure: 'continue' })])
  ask(driver, 'a')
  ask(driver, 'b')
  driver.cancel(driver.task('a'))
  t.equal(driver.state('root-1'), 'input-required')
  t.same(shown(driver), { text: 'b?' })
})

t.test('a nested task shows a question that is below it', async (t) => {
  const inner = (key: string) => plan(key, [`${key}1`])
  const driver = planned([plan('p', [task('x', [], { plans: [inner('q')] }), task('y', [], { plans: [inner('r')] })])])
  ask(driver, 'q1')
  ask(driver, 'r1')
  t.same([shown(driver, 'x'), shown(driver, 'y'), shown(driver)], [{ text: 'q1?' }, { text: 'r1?' }, { text: 'q1?' }])
  driver.answer(driver.task('y').id)
  t.equal(driver.state('r1'), 'working', 'and an answer to it goes there')
})

t.test('a task that asks anew waits on the new question alone', async (t) => {
  const driver = planned([plan('p', [task('m', [], { manual: true })])])
  driver.update(driver.task('m'), 'input-required')
  driver.update(driver.task('m'), 'input-required')
  const open = driver.rows.inputs.filter((input) => input.closedAt === null)
  t.equal(open.length, 1)
  t.same(driver.task('root-1').statusMessage?.messageId, open[0]?.message?.messageId)
  check(driver.memory)
})

t.test('an answer that comes before the executor returned is not lost with its return', async (t) => {
  const driver = planned([plan('p', ['a'])])
  driver.claim(driver.task('a'))
  const asking = driver.task('a')
  driver.publish(asking, { kind: 'status', state: 'input-required' })
  driver.answer(asking.id)
  driver.finish(asking, 'input-required')
  t.match(driver.task('a'), { state: 'working', runner: null })
  driver.run('a')
  t.equal(driver.state('root-1'), 'completed')
})

t.test('a takeover of a task that asked leaves its question open', async (t) => {
  const driver = planned([plan('p', ['a'])])
  driver.claim(driver.task('a'))
  driver.publish(driver.task('a'), { kind: 'status', state: 'input-required' })
  driver.takeOver(driver.task('a'))
  t.match(driver.task('a'), { state: 'input-required', claimableAt: null, runner: null })
  check(driver.memory)
})

t.test('a takeover of a task that waits for authentication out of band goes on waiting', async (t) => {
  const driver = planned([plan('p', ['a'])])
  driver.claim(driver.task('a'))
  driver.publish(driver.task('a'), { kind: 'status', state: 'auth-required' })
  driver.takeOver(driver.task('a'))
  driver.claim(driver.task('a'), 'r2')
  t.match(driver.task('a'), { state: 'auth-required', runner: 'r2', lease: 2 })
  driver.publish(driver.task('a'), { kind: 'status', state: 'working' })
  t.equal(driver.state('root-1'), 'working')
  check(driver.memory)
})

t.test('an attempt that fails while it asks takes its question along', async (t) => {
  const driver = planned([plan('p', [task('a', [], { retry: { maxAttempts: 2 } })])])
  driver.claim(driver.task('a'))
  driver.publish(driver.task('a'), { kind: 'status', state: 'input-required' })
  driver.fail(driver.task('a'), true)
  t.equal(driver.state('a'), 'working')
  check(driver.memory)
})

t.test('what a client cancels asks no more', async (t) => {
  const driver = planned([plan('p', ['a'])])
  ask(driver, 'a')
  driver.memory.change((w) => cancelTask(w, 'root-1'))
  t.equal(driver.rows.inputs.filter((input) => input.closedAt === null).length, 0)
  check(driver.memory)
})
