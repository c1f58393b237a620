import { pino } from 'pino'
import { invalidPlan, TrellisError } from '../../src/base/errors.ts'
import type { Change } from '../../src/domain/change.ts'
import { type PlanJobOptions, planJob } from '../../src/scheduler/plan-job.ts'
import t from '../tap.ts'

/** Runs the job with a write path that refuses; gives how often it was asked. */
async function landed(refuse: (n: number) => void): Promise<number> {
  let asked = 0
  const apply = async (_: Change<unknown>) => refuse(++asked)
  const planning = { late: async () => ({ kind: 'answer', parts: [] }) }
  const options = {
    changes: { apply },
    planning,
    sql: null,
    server: null,
    defaults: null,
    log: pino({ level: 'silent' }),
  }
  const job = planJob(options as unknown as PlanJobOptions)
  await job({ taskId: 'task-1', contextKey: 'context-1' }, new AbortController().signal)
  return asked
}

t.test('plans that are refused under the lock end their root instead of being made again', async (t) => {
  const refuseFirst = (n: number) => {
    if (n === 1) throw invalidPlan('a', 'it can never run')
  }
  t.equal(await landed(refuseFirst), 2)
})

t.test('what is refused for now is tried again by the queue', async (t) => {
  const away = () => {
    throw new TrellisError('unavailable', 'The database cannot be reached')
  }
  await t.rejects(landed(away), /cannot be reached/)
  const bug = () => {
    throw new TypeError('a bug')
  }
  await t.rejects(landed(bug), TypeError)
})
