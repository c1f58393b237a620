import './property-seed.ts'
import fc from 'fast-check'
import { nextTry } from '../../src/events/webhook-backoff.ts'
import t from '../tap.ts'

const POLICY = { backoffSeconds: 2, maxBackoffSeconds: 3_600, retryHours: 24 }
const DAY = 24 * 3_600

t.test('pauses double, up to the longest', async (t) => {
  const longest = [1, 2, 3, 11, 12, 13, 100].map((failures) => nextTry(POLICY, failures, 0, 1))
  t.same(longest, [2, 4, 8, 2_048, 3_600, 3_600, 3_600])
})

t.test('what fails together does not come back together: jitter over the upper half', async () => {
  const times = [fc.integer({ min: 1, max: 1_000 }), fc.double({ min: 0, max: 1, noNaN: true })] as const
  fc.assert(
    fc.property(...times, (failures, random) => {
      const [least = 0, most = 0] = [0, 1].map((at) => nextTry(POLICY, failures, 0, at) ?? 0)
      const seconds = nextTry(POLICY, failures, 0, random) ?? 0
      return seconds >= most / 2 && least === most / 2 && seconds <= most
    }),
  )
})

t.test('it is tried for a day after its event and given up then', async (t) => {
  let age = 0
  let tries = 1
  for (;;) {
    const pause = nextTry(POLICY, tries, age, 0.5)
    if (pause === null) break
    age += pause
    tries += 1
  }
  t.ok(age <= DAY && age > DAY - 3_600, `the last try came after ${age} s`)
  t.ok(tries > 24 && tries < 50, `${tries} tries`)
  t.equal(nextTry(POLICY, 1, DAY, 0), null, 'one that waited behind others for a day gets one try')
})
