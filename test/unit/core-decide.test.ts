import './property-seed.ts'
import fc from 'fast-check'
import { cancelObjective, cancelTask } from '../../src/domain/commands/cancel.ts'
import { publish } from '../../src/domain/commands/publish.ts'
import type { Claimer } from '../../src/domain/decide.ts'
import type { TaskRow } from '../../src/domain/rows.ts'
import type { WorkingCopy } from '../../src/domain/working-copy.ts'
import t from '../tap.ts'
import { check } from './core-check.ts'
import { drafts } from './core-drafts.ts'
import { CoreDriver, refOf } from './core-moves.ts'
import { plan, planned, task } from './core-plan.ts'
import { steps, take } from './core-random.ts'

const complete = (row: TaskRow) => (w: WorkingCopy) =>
  publish(w, refOf(row), [{ kind: 'status', state: 'completed' }], 0)

t.test('a member that throws after it changed something leaves no trace, and the others are decided', async (t) => {
  const driver = planned([plan('p', ['a', 'b'])])
  driver.claim(driver.task('b'))
  const before = driver.memory.context.seq
  const { answers, copy } = driver.memory.apply<unknown>([
    (w) => {
      cancelTask(w, driver.task('a').id)
      throw new Error('half done')
    },
    complete(driver.task('b')),
  ])
  t.match(answers, [{ message: 'half done' }, true])
  t.equal(driver.state('a'), 'submitted')
  t.equal(driver.state('b'), 'completed')
  t.same(copy.events.map((event) => event.seq)[0], before + 1, 'and takes no seq')
  check(driver.memory)
})

t.test('members of one context see what those before them did', async (t) => {
  const driver = planned([plan('p', [task('a'), task('b', ['a'])])])
  driver.claim(driver.task('a'))
  const { answers } = driver.memory.apply([
    complete(driver.task('a')),
    complete(driver.task('a')),
    cancelObjective,
    cancelObjective,
  ])
  t.same(answers, [true, false, true, false])
  t.same([driver.state('a'), driver.state('b')], ['completed', 'canceled'])
  check(driver.memory)
})

/** What is decided, with the ids that were made for it numbered by where they first appear. */
function written(copy: WorkingCopy): string {
  const tables = copy.tables.map(([name, table]) => [name, table.inserted, table.changed])
  const text = JSON.stringify([copy.context, tables, copy.appended, [...copy.ready], [...copy.aborted]])
  const numbers = new Map<string, number>()
  return text.replaceAll(/[a-z]+-[0-9a-f]{8}-[0-9a-f-]{27}/g, (id) => {
    numbers.set(id, numbers.get(id) ?? numbers.size)
    return `#${numbers.get(id)}`
  })
}

t.test('the same is decided whether rows are loaded as they turn out to be needed, or all at once', async () => {
  fc.assert(
    fc.property(drafts(4), steps(15), fc.nat(10), (plans, moves, at) => {
      const driver = new CoreDriver()
      driver.plan(plans)
      for (const step of moves) take(driver, step)
      const held = driver.rows.tasks.filter((row) => row.runner !== null)
      const decides = [...held.slice(0, 2).map(complete), cancelObjective].slice(at % 3)
      const inRounds = driver.memory.decide(
        decides.map((act) => now(act)),
        [],
      )
      const atOnce = driver.memory.decide(
        decides.map((act) => now(act)),
        inRounds.needed,
      )
      return atOnce.rounds <= 1 && written(inRounds.decided.copy) === written(atOnce.decided.copy)
    }),
    { numRuns: 100 },
  )
})

/** A member that acts when it is decided, not when it is answered. */
function now<T>(act: (w: WorkingCopy) => T): (w: WorkingCopy) => () => T {
  return (w) => {
    const answer = act(w)
    return () => answer
  }
}

/** Rounds of loading that a change takes, with what the server declares for it. */
function cost(driver: CoreDriver, change: (w: WorkingCopy) => unknown, row?: TaskRow) {
  const kinds = ['lineage', 'dependents', 'artifacts'] as const
  const { rounds, loadedRows } = driver.memory.apply([change], row ? kinds.map((kind) => ({ kind, id: row.id })) : [])
  check(driver.memory)
  return { rounds, loadedRows }
}

const many = (n: number) => Array.from({ length: n }, (_, i) => i)

t.test('the end of one task among many loads a handful of rows, in one round', async (t) => {
  for (const size of [3, 300]) {
    const driver = planned([
      plan(
        'p',
        many(size).map((i) => task(`t${i}`, i === 1 ? ['t0'] : [])),
      ),
    ])
    driver.claim(driver.task('t0'))
    const { rounds, loadedRows } = cost(driver, complete(driver.task('t0')), driver.task('t0'))
    t.equal(rounds, 1)
    t.ok(loadedRows < 10, `${loadedRows} rows among ${size}`)
  }
})

t.test('the end of a plan takes one round more, and one for what it opens', async (t) => {
  const follow = many(10).map((i) => plan(`q${i}`, [`q${i}.0`], { dependencies: ['p'] }))
  const driver = planned([plan('p', ['a']), ...follow])
  driver.claim(driver.task('a'))
  t.equal(cost(driver, complete(driver.task('a')), driver.task('a')).rounds, 3)
  const last = planned([plan('p', ['a'])])
  last.claim(last.task('a'))
  t.equal(cost(last, complete(last.task('a')), last.task('a')).rounds, 2)
})

t.test('cancel and failure of a whole objective take as many rounds as it is deep, not as it is wide', async (t) => {
  const wide = () =>
    planned(
      many(12).map((i) => {
        const inner = plan(`q${i}`, [`q${i}.0`, `q${i}.1`])
        return plan(
          `p${i}`,
          [task(`x${i}`), task(`y${i}`, [`x${i}`], { plans: [inner] })],
          i > 6 ? { dependencies: [`p${i - 6}`] } : {},
        )
      }),
    )
  const canceled = wide()
  const { rounds: toCancel } = cost(canceled, cancelObjective)
  t.ok(toCancel <= 7, `${toCancel} rounds`)
  t.equal(canceled.rows.objective?.status, 'canceled')
  const failed = wide()
  failed.claim(failed.task('x0'))
  const row = failed.task('x0')
  const { rounds } = cost(failed, (w) => publish(w, refOf(row), [{ kind: 'status', state: 'failed' }], 0), row)
  t.ok(rounds <= 8, `${rounds} rounds`)
  t.equal(failed.rows.objective?.status, 'failed')
})

/** A runner with so much room. */
class Room implements Claimer {
  readonly maxRunning: number
  free: number
  constructor(free: number, maxRunning = 100) {
    this.free = free
    this.maxRunning = maxRunning
  }
  reserve() {
    if (this.free === 0) return null
    this.free -= 1
    return { runner: 'r1', agent: 'echo', reason: 'test' }
  }
  release(count: number) {
    this.free += count
  }
}

t.test('what a change makes ready is claimed with it, highest priority first, as far as there is room', async (t) => {
  const driver = new CoreDriver()
  driver.memory.claimer = new Room(2)
  driver.plan([plan('p', [task('a'), task('b', [], { priority: 5 }), task('c', [], { priority: 1 })])])
  t.same(
    ['a', 'b', 'c'].map((key) => driver.state(key)),
    ['submitted', 'working', 'working'],
  )
  check(driver.memory)
})

t.test('no more tasks of one objective are claimed than may run at once', async (t) => {
  const driver = new CoreDriver()
  const room = new Room(10, 2)
  driver.memory.claimer = room
  driver.plan([plan('p', ['a', 'b', 'c'])])
  t.equal(driver.memory.context.running, 2)
  t.equal(room.free, 8)
})

t.test('room that a discarded decision had reserved is given back', async (t) => {
  const driver = planned([plan('p', [task('a'), task('b', ['a']), task('c', ['a'])])])
  driver.claim(driver.task('a'))
  const room = new Room(10)
  driver.memory.claimer = room
  driver.memory.apply([complete(driver.task('a'))])
  t.same([driver.state('b'), driver.state('c'), room.free], ['working', 'working', 8])
  check(driver.memory)
})
