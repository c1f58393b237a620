import { TrellisError } from '../base/errors.ts'

/** Codes of Prisma, Postgres and the socket that mean: the database is away, not that the statement was wrong. */
const AWAY = new Set([
  'P1001', 'P1002', 'P1008', 'P1017', 'P2024', 'P2028', 'P2037',
  '57P01', '57P02', '57P03', '25P03', '53300', '08000', '08001', '08003', '08004', '08006',
  'ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND', 'EAI_AGAIN',
]) // biome-ignore format: one family a row

/** What pg and PGlite say of a lost connection, without a code. */
const SAYS_AWAY =
  /Connection terminated|connection error|not queryable|server closed the connection|trying to connect|not currently accepting connections|PGlite is closed/i

/** Whether an error says that the database cannot be reached, as far down as its causes say. */
export function isUnavailable(error: unknown): boolean {
  for (let at = error, depth = 0; at instanceof Object && depth < 5; depth += 1) {
    const { code, cause, meta, message } = at as { code?: unknown; cause?: unknown; meta?: unknown; message?: unknown }
    if (typeof code === 'string' && AWAY.has(code)) return true
    if (typeof message === 'string' && SAYS_AWAY.test(message)) return true
    at = cause ?? (meta as { driverAdapterError?: unknown } | undefined)?.driverAdapterError
  }
  return false
}

/** What a caller is told then. */
export function databaseAway(cause: unknown): TrellisError {
  return new TrellisError(
    'unavailable',
    'The database cannot be reached. Try again in a moment: a message is never handled twice',
    { cause },
  )
}
