import { mock } from 'node:test'
import { after } from '../../src/base/timers.ts'
import t from '../tap.ts'

const DAY = 24 * 3_600_000

/** One timer is wound when another has ended, so days go by one by one. */
const days = (count: number) => {
  for (let day = 0; day < count; day += 1) mock.timers.tick(DAY)
}

t.beforeEach(() => mock.timers.enable({ apis: ['setTimeout'] }))
t.afterEach(() => mock.timers.reset())

t.test('what takes longer than a timer can be set to takes that long', async (t) => {
  let fired = 0
  after(60 * DAY, () => {
    fired += 1
  })
  mock.timers.tick(1)
  t.equal(fired, 0, 'not at once')
  days(59)
  t.equal(fired, 0, 'nor after what a timer takes')
  days(2)
  t.equal(fired, 1)
})

t.test('stopped, it does not act, however often it was wound', async (t) => {
  let fired = false
  const timer = after(60 * DAY, () => {
    fired = true
  })
  days(40)
  timer.stop()
  days(40)
  t.notOk(fired)
})
