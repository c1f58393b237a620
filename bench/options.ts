import { parseArgs } from 'node:util'
import type { LoadKind } from './load/work.ts'
import { SYSTEM_NAMES, type SystemName } from './servers/systems.ts'

/** How much is measured. */
export interface Options {
  quick: boolean
  systems: readonly SystemName[]
  rounds: number
  concurrency: number
  /** Requests per system, kind and round. */
  count: Readonly<Record<LoadKind, number>>
  /** The longest that one of these takes. */
  seconds: number
  /** Requests of each kind before anything counts. */
  warmUp: number
  objectives: { sizes: readonly number[]; times: number }
  /** A folder for CPU profiles of the servers. */
  profiles?: string
}

const FULL = {
  rounds: 5,
  count: { sendWaiting: 4_000, sendNotWaiting: 4_000, get: 12_000 },
  seconds: 6,
  warmUp: 3_000,
  objectives: { sizes: [10, 100, 1_000], times: 3 },
}
const QUICK = {
  rounds: 2,
  count: { sendWaiting: 1_000, sendNotWaiting: 1_000, get: 3_000 },
  seconds: 2,
  warmUp: 800,
  objectives: { sizes: [10, 100], times: 2 },
}

export const USAGE = `npm run bench [-- options]
  --quick              under a minute, rougher
  --only a,b           only these systems: ${SYSTEM_NAMES.join(', ')}
  --rounds N           alternating rounds
  --concurrency N      requests at once (64)
  --profile DIR        writes a CPU profile of every server there`

/** @throws Error that says what is wrong with the arguments */
export function readOptions(args: string[]): Options {
  const { values } = parseArgs({
    args,
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string', default: SYSTEM_NAMES.join(',') },
      rounds: { type: 'string' },
      concurrency: { type: 'string', default: '64' },
      profile: { type: 'string' },
    },
  })
  const amounts = values.quick ? QUICK : FULL
  return {
    ...amounts,
    quick: values.quick,
    systems: values.only.split(',').map(systemName),
    rounds: values.rounds === undefined ? amounts.rounds : wholeNumber('rounds', values.rounds),
    concurrency: wholeNumber('concurrency', values.concurrency),
    ...(values.profile !== undefined && { profiles: values.profile }),
  }
}

function systemName(name: string): SystemName {
  const known = SYSTEM_NAMES.find((one) => one === name)
  if (known === undefined) throw new Error(`--only: was ${name}; must be some of ${SYSTEM_NAMES.join(', ')}`)
  return known
}

function wholeNumber(option: string, text: string): number {
  const value = Number(text)
  if (Number.isInteger(value) && value >= 1 && value <= 200) return value
  throw new Error(`--${option}: was ${text}; must be a whole number from 1 to 200`)
}
