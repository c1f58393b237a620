import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/** Where secrets may stand in what is logged: one level of nesting is covered, as in `{ req: { headers } }`. */
const SECRET_KEYS = ['authorization', 'cookie', 'token', 'credentials', 'password', 'apiKey', 'databaseUrl', 'secret']
const REDACTED = [
  ...SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.headers.${key}`, `headers.${key}`]),
  '["set-cookie"]',
  'headers["set-cookie"]',
  '*.headers["set-cookie"]',
  'headers["x-api-key"]',
  '*.headers["x-api-key"]',
]

/** One JSON line per entry, on stdout unless told otherwise. Secrets are replaced before they are written. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: REDACTED, censor: '(redacted)' },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Says nothing, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' })
