import { type DestinationStream, type Logger, pino } from 'pino'
import { withoutSecrets } from './log-secrets.ts'

export type { Logger }

/**
 * One JSON line per entry, on stdout unless told otherwise. Secrets are replaced in the line as it is written, so that it makes
 * no difference how deep they stand, or which library's error quotes them.
 */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    hooks: { streamWrite: withoutSecrets },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Says nothing, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' })
