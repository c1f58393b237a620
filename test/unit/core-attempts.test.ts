import { cancelObjective } from '../../src/domain/commands/cancel.ts'
import { publish } from '../../src/domain/commands/publish.ts'
import {
  type AttemptRef,
  failAttempt,
  leaveExecution,
  parkTask,
  recordAttempt,
  releaseTask,
  takeOver,
} from '../../src/domain/commands/run.ts'
import type { ExecutionEvent } from '../../src/domain/execution.ts'
import type { WorkingCopy } from '../../src/domain/working-copy.ts'
import t from '../tap.ts'
import { check } from './core-check.ts'
import { type CoreDriver, refOf } from './core-moves.ts'
import { plan, planned, refusal, task } from './core-plan.ts'

const FAILURE = { error: 'broken', retryable: true, outcome: 'failed' } as const

/** Every write of an attempt. */
const WRITES: Record<string, (w: WorkingCopy, ref: AttemptRef) => boolean> = {
  publish: (w, ref) => publish(w, ref, [{ kind: 'status', state: 'completed' }], 0),
  fail: (w, ref) => failAttempt(w, ref, FAILURE),
  leave: (w, ref) => leaveExecution(w, ref, null),
  park: (w, ref) => parkTask(w, ref, w.now),
  release: releaseTask,
  takeOver,
  record: (w, ref) => recordAttempt(w, ref, { memo: { at: 1 } }),
}

/** One task that is working, held by r1. */
function working(more: Parameters<typeof task>[2] = {}): CoreDriver {
  const driver = planned([plan('p', [task('a', [], more)])])
  driver.claim(driver.task('a'))
  return driver
}

t.test('a write of another attempt, lease or runner does nothing', async (t) => {
  for (const [name, write] of Object.entries(WRITES)) {
    const driver = working()
    const ref = refOf(driver.task('a'))
    const others = [{ number: 2 }, { number: 0 }, { lease: 2 }, { lease: 0 }, { runner: 'r2' }]
    const before = JSON.stringify([driver.rows.tasks, driver.rows.attempts, driver.rows.events])
    for (const other of others) {
      t.equal(
        driver.memory.change((w) => write(w, { ...ref, ...other })),
        false,
        `${name} of ${JSON.stringify(other)}`,
      )
    }
    t.equal(
      JSON.stringify([driver.rows.tasks, driver.rows.attempts, driver.rows.events]),
      before,
      `${name} left no trace`,
    )
    t.equal(
      driver.memory.change((w) => write(w, ref)),
      true,
      `${name} of the current lease lands`,
    )
  }
})

t.test('a result that comes after a cancel is dropped, but what the remote agent calls its task is kept', async (t) => {
  const driver = working()
  const late = driver.task('a')
  driver.memory.change((w) => recordAttempt(w, refOf(late), { sentAt: w.now }))
  driver.cancel(late)
  t.equal(driver.publish(late, { kind: 'status', state: 'completed' }), false)
  t.equal(driver.state('a'), 'canceled')
  driver.memory.change((w) => recordAttempt(w, refOf(late), { remoteTaskId: 'theirs' }))
  t.match(driver.rows.attempts, [{ outcome: 'canceled', remoteTaskId: 'theirs' }])
})

t.test('one who lost the attempt records no remote task in place of the one that is known', async (t) => {
  const driver = working()
  const lost = refOf(driver.task('a'))
  driver.memory.change((w) => takeOver(w, lost))
  driver.claim(driver.task('a'))
  driver.memory.change((w) => recordAttempt(w, refOf(driver.task('a')), { remoteTaskId: 'ours', memo: { at: 2 } }))
  const late = { remoteTaskId: 'late', memo: { at: 1 } }
  t.equal(
    driver.memory.change((w) => recordAttempt(w, lost, late)),
    false,
  )
  t.match(driver.rows.attempts, [{ remoteTaskId: 'ours', memo: { at: 2 } }])
})

t.test('a timeout counts anew when a person has authorised the attempt', async (t) => {
  const driver = working()
  driver.publish(driver.task('a'), { kind: 'status', state: 'auth-required' })
  driver.memory.advance(100)
  driver.publish(driver.task('a'), { kind: 'status', state: 'working' })
  t.match(driver.rows.attempts, [{ clockAt: driver.memory.now }])
})

t.test('events after a terminal one are dropped', async (t) => {
  const driver = working()
  driver.publish(driver.task('a'), { kind: 'status', state: 'completed' }, { kind: 'status', state: 'failed' })
  t.equal(driver.state('a'), 'completed')
})

t.test('terminal tasks never move again', async (t) => {
  const driver = planned([plan('p', ['a', task('m', [], { manual: true })])])
  driver.run('a')
  driver.update(driver.task('m'), 'completed')
  const before = JSON.stringify(driver.rows.tasks)
  t.match(
    refusal(() => driver.cancel(driver.task('a'))),
    { meaning: 'taskNotCancelable' },
  )
  t.match(
    refusal(() => driver.cancel(driver.task('root-1'))),
    { meaning: 'taskNotCancelable' },
  )
  t.match(
    refusal(() => driver.update(driver.task('m'), 'failed')),
    { meaning: 'invalidState' },
  )
  t.match(
    refusal(() => driver.answer(driver.task('a').id)),
    { meaning: 'unsupportedOperation' },
  )
  t.equal(driver.cancelObjective(), false)
  t.equal(JSON.stringify(driver.rows.tasks), before)
})

t.test(
  'an attempt that fails is tried again after a pause that doubles, up to the longest, within the upper half',
  async (t) => {
    const driver = working({ retry: { maxAttempts: 6, backoffSeconds: 10, maxBackoffSeconds: 60 } })
    for (const seconds of [10, 20, 40, 60, 60]) {
      driver.fail(driver.task('a'), true)
      t.equal(driver.state('a'), 'working', 'the task stays working')
      const pause = (Date.parse(driver.task('a').claimableAt ?? '') - Date.parse(driver.memory.now)) / 1_000
      t.ok(pause >= seconds / 2 && pause <= seconds, `${pause} of ${seconds}`)
      t.throws(() => driver.claim(driver.task('a')), /not claimable/, 'not before')
      driver.memory.advance(seconds)
      driver.claim(driver.task('a'))
    }
    driver.fail(driver.task('a'), true)
    t.equal(driver.state('a'), 'failed', 'the last one fails the task')
    t.equal(driver.rows.attempts.length, 6)
    check(driver.memory)
  },
)

t.test('a failure that trying again cannot help fails the task at once', async (t) => {
  const driver = working({ retry: { maxAttempts: 6 } })
  driver.fail(driver.task('a'), false)
  t.equal(driver.state('a'), 'failed')
})

t.test('a takeover keeps the attempt under a new lease; the third loses it', async (t) => {
  const driver = working({ retry: { maxAttempts: 2 } })
  for (const takeovers of [1, 2]) {
    t.ok(driver.takeOver(driver.task('a')))
    driver.claim(driver.task('a'), 'r2')
    t.match(driver.task('a'), { attempt: 1, lease: 1 + takeovers, state: 'working' })
  }
  driver.takeOver(driver.task('a'))
  t.match(driver.rows.attempts, [{ number: 1, outcome: 'lost', takeovers: 3 }])
  driver.memory.advance(60)
  driver.claim(driver.task('a'))
  t.match(driver.task('a'), { attempt: 2, lease: 4 })
})

t.test('the last attempt is lost, too, and the task fails with it', async (t) => {
  const driver = working()
  for (const runner of ['r2', 'r3']) {
    driver.takeOver(driver.task('a'))
    driver.claim(driver.task('a'), runner)
  }
  driver.takeOver(driver.task('a'))
  t.equal(driver.state('a'), 'failed')
  t.match(driver.rows.attempts, [{ outcome: 'lost' }])
})

t.test('a release is no takeover', async (t) => {
  const driver = working()
  for (let i = 0; i < 5; i += 1) {
    driver.release(driver.task('a'))
    driver.claim(driver.task('a'))
  }
  t.match(driver.rows.attempts, [{ takeovers: 0, outcome: null }])
})

t.test('cancel aborts what runs, and the state is canceled when the call returns', async (t) => {
  const driver = planned([plan('p', [task('a'), task('b', ['a'])]), plan('q', ['c'])])
  driver.claim(driver.task('a'))
  const { copy } = driver.memory.apply([cancelObjective])
  t.same([...copy.aborted], [driver.task('a').id])
  t.same(
    ['a', 'b', 'c', 'root-1'].map((key) => driver.state(key)),
    ['canceled', 'canceled', 'canceled', 'canceled'],
  )
  t.equal(driver.rows.objective?.status, 'canceled')
  check(driver.memory)
})

t.test('events that are sent again, because the answer to their commit was lost, are applied once', async (t) => {
  const driver = working()
  const ref = refOf(driver.task('a'))
  const chunk = (text: string): ExecutionEvent => {
    return { kind: 'artifact', artifact: { artifactId: 'log', parts: [{ text }] }, append: true, lastChunk: false }
  }
  const send = (from: number, ...texts: string[]) =>
    driver.memory.change((w) => publish(w, ref, texts.map(chunk), from), [{ kind: 'artifacts', id: ref.taskId }])
  send(0, 'a', 'b')
  t.ok(send(0, 'a', 'b', 'c'), 'the second time with what came since')
  t.equal(driver.rows.artifacts[0]?.partCount, 3)
  driver.memory.change((w) => releaseTask(w, ref))
  driver.claim(driver.task('a'))
  driver.publish(driver.task('a'), chunk('d'))
  t.equal(driver.rows.artifacts[0]?.partCount, 4, 'the next lease counts anew')
})
