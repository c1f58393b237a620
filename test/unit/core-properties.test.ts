import './property-seed.ts'
import fc from 'fast-check'
import type { ObjectiveStatus } from '../../src/domain/objective.ts'
import t from '../tap.ts'
import { check } from './core-check.ts'
import { drafts } from './core-drafts.ts'
import { CoreDriver } from './core-moves.ts'
import { steps, take } from './core-random.ts'

const OBJECTIVE_ENDS: readonly ObjectiveStatus[] = ['completed', 'failed', 'canceled']
const policies = fc.constantFrom('fail' as const, 'continue' as const)

t.test('after any legal move, every row agrees with a full recomputation', async () => {
  fc.assert(
    fc.property(drafts(5), policies, steps(40), (plans, onPlanFailure, moves) => {
      const driver = new CoreDriver()
      driver.plan(plans, { onPlanFailure })
      check(driver.memory)
      for (const step of moves) if (take(driver, step)) check(driver.memory)
    }),
    { numRuns: 400 },
  )
})

t.test('whatever happened, an objective ends once all that can move was driven to an end', async () => {
  fc.assert(
    fc.property(drafts(5), policies, steps(25), (plans, onPlanFailure, moves) => {
      const driver = new CoreDriver()
      driver.plan(plans, { onPlanFailure })
      for (const step of moves) take(driver, step)
      const left = driver.drive()
      check(driver.memory)
      if (left.length > 0) throw new Error(`stuck: ${left.map((task) => `${task.name} ${task.state}`)}`)
      return OBJECTIVE_ENDS.includes(driver.rows.objective?.status ?? 'submitted')
    }),
    { numRuns: 400 },
  )
})
