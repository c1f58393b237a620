import { TrellisError } from '../base/errors.ts'

/** Codes of Prisma, Postgres and the socket that mean: the database is away, not that the statement was wrong. */
const AWAY = new Set([
  'P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037',
  '57P01', '57P02', '57P03', '25P03', '25006', '53300', '08000', '08001', '08003', '08004', '08006',
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN',
]) // biome-ignore format: one family a row

/** What pg and PGlite say of a lost connection, without a code. */
const SAYS_AWAY =
  /Connection terminated|connection error|not queryable|server closed the connection|trying to connect|not currently accepting connections|PGlite is closed/i

/** Codes of a transaction that gave way to another: deadlock, serialization, a lock that was not free in time. */
const GAVE_WAY = new Set(['40P01', '40001', '55P03', 'P2034'])

/** Whether an error says that a transaction gave way to another. Tried again it may go through. */
export function gaveWay(error: unknown): boolean {
  return hasCode(error, GAVE_WAY)
}

/** Whether an error says that the database cannot be reached, as far down as its causes say. */
export function isUnavailable(error: unknown): boolean {
  return hasCode(error, AWAY) || causesOf(error).some(({ message }) => SAYS_AWAY.test(message ?? ''))
}

interface Cause {
  code?: string
  originalCode?: string
  message?: string
}

function hasCode(error: unknown, codes: ReadonlySet<string>): boolean {
  return causesOf(error).some(({ code, originalCode }) => codes.has(code ?? '') || codes.has(originalCode ?? ''))
}

/** The error and what it says it was caused by, as Prisma and pg nest them. */
function causesOf(error: unknown): Cause[] {
  const causes: Cause[] = []
  for (let at = error; at instanceof Object && causes.length < 5; ) {
    const { code, originalCode, message, cause, meta } = at as Record<string, unknown>
    causes.push({
      ...(typeof code === 'string' && { code }),
      ...(typeof originalCode === 'string' && { originalCode }),
      ...(typeof message === 'string' && { message }),
    })
    at = cause ?? (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError
  }
  return causes
}

/** What a caller is told then. */
export function databaseAway(cause: unknown): TrellisError {
  return new TrellisError(
    'unavailable',
    'The database cannot be reached, or is too busy. Try again in a moment: a message is never handled twice',
    { cause },
  )
}
