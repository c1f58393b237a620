import { FixedClock } from '../../src/base/clock.ts'
import { countingIds, newId } from '../../src/base/ids.ts'
import t from '../tap.ts'

t.test('ids carry their prefix and sort by when they were made', async (t) => {
  const ids = Array.from({ length: 10_000 }, () => newId('task'))
  t.match(ids[0], /^task-[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/)
  t.same(ids, ids.toSorted())
  t.equal(new Set(ids).size, ids.length)
})

t.test('tests can count ids and hold the clock', async (t) => {
  const next = countingIds()
  t.same([next('task'), next('plan')], ['task-1', 'plan-2'])
  const clock = new FixedClock('2026-03-01T00:00:00Z')
  clock.advance(1.5)
  t.equal(clock.now().toISOString(), '2026-03-01T00:00:01.500Z')
})
