import './property-seed.ts'
import fc from 'fast-check'
import { createService } from '../../src/base/service.ts'
import t from '../tap.ts'

/** Steps that take turns of the event loop, and notice when they overlap. */
function watchedSteps(failStart: () => boolean = () => false) {
  const seen = { up: false, inside: 0, overlapped: false, starts: 0, stops: 0 }
  const step = async (body: () => void) => {
    seen.inside += 1
    seen.overlapped ||= seen.inside > 1
    await new Promise(setImmediate)
    seen.inside -= 1
    body()
  }
  return {
    seen,
    start: () =>
      step(() => {
        seen.starts += 1
        if (failStart()) throw new Error('no port')
        seen.up = true
      }),
    stop: () =>
      step(() => {
        seen.stops += 1
        seen.up = false
      }),
  }
}

t.test('start and stop do their steps once, however often they are called', async (t) => {
  const steps = watchedSteps()
  const service = createService(steps)
  await service.stop()
  t.equal(steps.seen.stops, 0, 'what never started has nothing to stop')
  await Promise.all([service.start(), service.start()])
  await service.start()
  t.match(steps.seen, { starts: 1, up: true })
  await Promise.all([service.stop(), service.stop()])
  await service.stop()
  t.match(steps.seen, { stops: 1, up: false })
  await service.start()
  t.equal(steps.seen.up, true, 'and it can be started again')
})

t.test('a failed start rejects, cleans up, and can be tried again', async (t) => {
  let broken = true
  const steps = watchedSteps(() => broken)
  const service = createService(steps)
  await t.rejects(service.start(), { message: 'no port' })
  t.match(steps.seen, { stops: 1, up: false })
  broken = false
  await service.start()
  t.equal(steps.seen.up, true)
})

t.test('a stop while starting fires the signal, and both calls resolve', async (t) => {
  const steps = watchedSteps()
  const service = createService({
    ...steps,
    start: (signal) =>
      new Promise((_, reject) =>
        signal.addEventListener('abort', () => reject(new Error('called off')), { once: true }),
      ),
  })
  const started = service.start()
  await Promise.all([service.stop(), started])
  t.match(steps.seen, { stops: 1, up: false })
})

t.test('any storm of calls ends as the last one said, without overlapping steps', async () => {
  const storm = fc.array(fc.record({ start: fc.boolean(), turns: fc.nat(3), fails: fc.boolean() }), {
    minLength: 1,
    maxLength: 30,
  })
  await fc.assert(
    fc.asyncProperty(storm, async (calls) => {
      let fails = false
      const steps = watchedSteps(() => fails)
      const service = createService(steps)
      const results: Promise<unknown>[] = []
      for (const call of calls) {
        fails = call.fails
        results.push((call.start ? service.start() : service.stop()).catch(() => undefined))
        for (let turn = 0; turn < call.turns; turn += 1) await new Promise(setImmediate)
      }
      await Promise.all(results)
      fails = false
      const last = calls.at(-1)?.start ?? false
      await (last ? service.start() : service.stop())
      return steps.seen.up === last && !steps.seen.overlapped
    }),
    { numRuns: 300 },
  )
})
