import type { LoadKind } from './load/work.ts'
import { type Figures, LOAD_KINDS, type ObjectiveFigures, type Results } from './measure.ts'
import { SYSTEM_NAMES, type SystemName, TITLES } from './servers/systems.ts'

type FigureName = 'perSecond' | 'p50' | 'p99'

const WHAT: Readonly<Record<LoadKind, string>> = {
  sendWaiting: 'send, waiting',
  sendNotWaiting: 'send, not waiting',
  get: 'tasks/get',
}
const UNITS: Readonly<Record<FigureName, string>> = { perSecond: 'per second', p50: 'p50 ms', p99: 'p99 ms' }
const FIGURES = ['perSecond', 'p50', 'p99'] as const

/** How Trellis on Postgres does against another system: above 1 is better, for rates and for latencies. */
export interface Ratio {
  kind: LoadKind
  figure: FigureName
  toSdkPostgres: number | null
  toSdkMemory: number | null
}

export function ratiosOf({ loads }: Results): Ratio[] {
  return LOAD_KINDS.flatMap((kind) =>
    FIGURES.map((figure) => ({
      kind,
      figure,
      toSdkPostgres: ratio(loads.trellis?.[kind], loads.sdkPostgres?.[kind], figure),
      toSdkMemory: ratio(loads.trellis?.[kind], loads.sdkMemory?.[kind], figure),
    })),
  )
}

function ratio(ours: Figures | undefined, theirs: Figures | undefined, figure: FigureName): number | null {
  if (ours === undefined || theirs === undefined) return null
  return figure === 'perSecond' ? ours[figure] / theirs[figure] : theirs[figure] / ours[figure]
}

/** Everything that was measured, as tables for a terminal. */
export function report(results: Results): string {
  return [loadTable(results), '', objectiveTable(results), '', verdict(results)].join('\n')
}

function loadTable(results: Results): string {
  const names = SYSTEM_NAMES.filter((name) => results.loads[name] !== undefined)
  const head = ['', '', ...names.map((name) => TITLES[name]), 'Trellis / SDK, Postgres', 'Trellis / SDK, memory']
  const rows = ratiosOf(results).map(({ kind, figure, toSdkPostgres, toSdkMemory }) => [
    figure === 'perSecond' ? WHAT[kind] : '',
    UNITS[figure],
    ...names.map((name) => shown(results.loads[name]?.[kind][figure])),
    times(toSdkPostgres),
    times(toSdkMemory),
  ])
  const drained = [
    '',
    'all done after s',
    ...names.map((name) => shown(results.loads[name]?.sendNotWaiting.drainSeconds)),
    '',
    '',
  ]
  rows.splice(6, 0, drained)
  return table([head, ...rows])
}

function objectiveTable({ objectives }: Results): string {
  const names = SYSTEM_NAMES.filter((name) => objectives[name] !== undefined)
  const head = ['objective', 'tasks', ...names.flatMap((name) => [`${TITLES[name]}, s`, 'ms per task'])]
  const rows = (objectives[names[0] as SystemName] ?? []).map(({ shape, size }) => [
    shape,
    String(size),
    ...names.flatMap((name) => {
      const at = objectives[name]?.find((one) => one.shape === shape && one.size === size)
      return [at?.seconds.toFixed(3) ?? '', at?.millisecondsPerTask.toFixed(2) ?? '']
    }),
  ])
  return table([head, ...rows])
}

function verdict(results: Results): string {
  const slower = ratiosOf(results).filter(({ toSdkPostgres }) => toSdkPostgres !== null && toSdkPostgres <= 1)
  const names = slower.map(({ kind, figure }) => `${WHAT[kind]} ${UNITS[figure]}`)
  const grown = Object.entries(results.objectives).flatMap(([name, figures]) =>
    growing(figures).map((shape) => `${TITLES[name as SystemName]} ${shape}`),
  )
  const errors = results.errors.map(
    ({ system, what, count, first }) => `ERRORS: ${count} in ${what} on ${TITLES[system]}: ${first.join(' | ')}`,
  )
  return [
    ...(results.loads.trellis && results.loads.sdkPostgres
      ? [`Slower than the SDK on Postgres at: ${names.join('; ') || 'nothing'}`]
      : []),
    `Time per task grows with the objective for: ${grown.join('; ') || 'none'}`,
    ...(errors.length > 0 ? errors : ['Errors: none']),
  ].join('\n')
}

/** Shapes whose largest objective takes more per task than the smallest one, with a margin for noise. */
function growing(figures: readonly ObjectiveFigures[]): string[] {
  return ['flat', 'chain'].filter((shape) => {
    const own = figures.filter((one) => one.shape === shape)
    const [first, last] = [own[0], own.at(-1)]
    return first !== undefined && last !== undefined && last.millisecondsPerTask > first.millisecondsPerTask * 1.2
  })
}

function times(value: number | null): string {
  return value === null ? '' : `${value.toFixed(2)} x`
}

function shown(value: number | undefined): string {
  if (value === undefined) return ''
  return value >= 100 ? Math.round(value).toLocaleString('en-US') : value.toFixed(value >= 10 ? 1 : 2)
}

/** Columns as wide as their widest cell; the first two to the left. */
function table(rows: string[][]): string {
  const widths = (rows[0] ?? []).map((_, i) => Math.max(...rows.map((row) => row[i]?.length ?? 0)))
  const line = (row: string[]) =>
    row.map((cell, i) => (i < 2 ? cell.padEnd(widths[i] as number) : cell.padStart(widths[i] as number))).join('  ')
  return rows.map((row) => line(row).trimEnd()).join('\n')
}
