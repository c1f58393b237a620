import { type ParseArgsOptionsConfig, parseArgs } from 'node:util'

/** What a command reads and writes, beside the database. */
export interface Terminal {
  out(text: string): void
  err(text: string): void
  /** The process's own when absent. */
  env?: Readonly<Record<string, string | undefined>>
}

/** The command was called wrongly. Its message says what was given and what is expected. */
export class UsageError extends Error {}

/** The options and words of a command. @throws UsageError for what it does not know */
export function readArgs<T extends ParseArgsOptionsConfig>(args: string[], options: T, words: 0 | 1 = 0) {
  try {
    const parsed = parseArgs({ args, options, allowPositionals: words > 0, strict: true })
    if (parsed.positionals.length === words) return parsed
    throw new UsageError(`${parsed.positionals.length} words were given; expected ${words}`)
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError((error as Error).message)
  }
}

/** An option that has to be there. */
export function required(name: string, value: string | undefined): string {
  if (value !== undefined && value.trim() !== '' && value.length <= 255) return value
  throw new UsageError(
    `--${name} was ${value === undefined ? 'not given' : JSON.stringify(value)}; expected a name of up to 255 characters`,
  )
}

/** One of the words, each of a list. */
export function listOf<T extends string>(name: string, value: string | undefined, known: readonly T[]): T[] {
  const given = (value ?? '').split(',').flatMap((word) => word.trim() || [])
  const strange = given.find((word) => !known.includes(word as T))
  if (given.length > 0 && strange === undefined) return [...new Set(given as T[])]
  const was = strange === undefined ? 'not given' : `"${strange}"`
  throw new UsageError(`--${name} was ${was}; expected some of ${known.join(', ')}, with commas between`)
}

const UNIT_SECONDS: Readonly<Record<string, number>> = { m: 60, h: 3_600, d: 86_400 }

/** The time that `90d`, `12h`, `30m` or `2027-01-31` stands for. It has to be still to come. */
export function timeAhead(name: string, value: string, now: Date): Date {
  const [, count, unit = ''] = /^(\d{1,6})([mhd])$/.exec(value) ?? []
  const time =
    count === undefined
      ? new Date(/^\d{4}-\d{2}-\d{2}/.test(value) ? value : Number.NaN)
      : new Date(now.getTime() + Number(count) * (UNIT_SECONDS[unit] ?? 0) * 1_000)
  if (time.getTime() > now.getTime()) return time
  throw new UsageError(`--${name} was "${value}"; expected a time to come, as in 30m, 12h, 90d or 2027-01-31`)
}
