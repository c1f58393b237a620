import type { Generator } from './load/generator.ts'
import type { LoadKind, Outcome } from './load/work.ts'
import type { Options } from './options.ts'
import type { System, SystemName } from './servers/systems.ts'

export const LOAD_KINDS: readonly LoadKind[] = ['sendWaiting', 'sendNotWaiting', 'get']
export const SHAPES = ['flat', 'chain'] as const

/** The figures of one kind of load on one system: medians over the rounds. Latencies in milliseconds. */
export interface Figures {
  perSecond: number
  p50: number
  p99: number
  drainSeconds?: number
}

export interface ObjectiveFigures {
  shape: (typeof SHAPES)[number]
  size: number
  seconds: number
  millisecondsPerTask: number
}

export interface Results {
  loads: Partial<Record<SystemName, Record<LoadKind, Figures>>>
  objectives: Partial<Record<SystemName, ObjectiveFigures[]>>
  errors: { system: SystemName; what: string; count: number; first: string[] }[]
}

interface Bench {
  systems: readonly System[]
  generator: Generator
  options: Options
  /** Called between measurements. */
  settle(): Promise<void>
  progress(text: string): void
  results: Results
}

/** Measures all loads, the systems in turn and each round beginning with another, so that noise hits all alike. */
export async function measureLoads(bench: Bench): Promise<void> {
  const { systems, options, results } = bench
  const outcomes = new Map<string, Outcome[]>()
  for (const system of systems) for (const kind of LOAD_KINDS) await warmUp(bench, system, kind)
  for (let round = 0; round < options.rounds; round += 1) {
    for (const kind of LOAD_KINDS) {
      for (const [i] of systems.entries()) {
        const system = systems[(i + round) % systems.length] as System
        const outcome = await load(bench, system, kind, options.count[kind])
        const all = outcomes.get(`${system.name} ${kind}`) ?? []
        outcomes.set(`${system.name} ${kind}`, [...all, outcome])
      }
    }
  }
  for (const { name } of systems) {
    const figures = LOAD_KINDS.map((kind) => [kind, figuresOf(outcomes.get(`${name} ${kind}`) ?? [])])
    results.loads[name] = Object.fromEntries(figures) as Record<LoadKind, Figures>
  }
}

async function warmUp(bench: Bench, system: System, kind: LoadKind): Promise<void> {
  bench.progress(`warming up ${system.name}`)
  await load(bench, system, kind, bench.options.warmUp)
}

async function load(bench: Bench, system: System, kind: LoadKind, count: number): Promise<Outcome> {
  const { concurrency, seconds } = bench.options
  await bench.settle()
  const outcome = await bench.generator.run({ order: 'load', url: system.url, kind, concurrency, count, seconds })
  bench.progress(`${system.name} ${kind} ${Math.round(outcome.count / outcome.seconds)}/s`)
  return noted(bench, system, kind, outcome)
}

/** Measures how long objectives take that have more and more tasks. Only Trellis has objectives. */
export async function measureObjectives(bench: Bench): Promise<void> {
  const { sizes, times } = bench.options.objectives
  for (const system of bench.systems.filter(({ name }) => name.startsWith('trellis'))) {
    const figures: ObjectiveFigures[] = []
    for (const shape of SHAPES) {
      for (const size of sizes) {
        const milliseconds: number[] = []
        // The first one warms up.
        for (let i = 0; i <= times; i += 1) {
          const outcome = await bench.generator.run({ order: 'plan', url: system.url, shape, size })
          if (i > 0) milliseconds.push(outcome.p50)
          bench.progress(`${system.name} ${shape} ${size} ${Math.round(outcome.p50)} ms`)
          noted(bench, system, `${shape} objective of ${size}`, outcome)
        }
        const middle = median(milliseconds)
        figures.push({ shape, size, seconds: middle / 1_000, millisecondsPerTask: middle / size })
      }
    }
    bench.results.objectives[system.name] = figures
  }
}

function noted(bench: Bench, system: System, what: string, outcome: Outcome): Outcome {
  const { errors: count, firstErrors: first } = outcome
  if (count > 0) bench.results.errors.push({ system: system.name, what, count, first })
  return outcome
}

function figuresOf(outcomes: readonly Outcome[]): Figures {
  const drains = outcomes.flatMap(({ drainSeconds }) => drainSeconds ?? [])
  return {
    perSecond: median(outcomes.map(({ count, seconds }) => count / seconds)),
    p50: median(outcomes.map(({ p50 }) => p50)),
    p99: median(outcomes.map(({ p99 }) => p99)),
    ...(drains.length > 0 && { drainSeconds: median(drains) }),
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length / 2
  const upper = sorted[Math.floor(middle)] ?? Number.NaN
  return Number.isInteger(middle) ? ((sorted[middle - 1] ?? Number.NaN) + upper) / 2 : upper
}
