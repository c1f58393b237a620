import { type DestinationStream, type Logger, pino } from 'pino'

export type { Logger }

/** Where secrets may stand in what is logged: one level of nesting is covered, as in `{ req: { headers } }`. */
const SECRET_KEYS = [
  ...[
    'authorization',
    'cookie',
    'token',
    'credentials',
    'password',
    'apiKey',
    'databaseUrl',
    'secret',
    'connectionString',
  ],
  ...['accessToken', 'privateKey', 'signature'],
]
const REDACTED = [
  ...SECRET_KEYS.flatMap((key) => [key, `*.${key}`, `*.headers.${key}`, `headers.${key}`]),
  '["set-cookie"]',
  'headers["set-cookie"]',
  '*.headers["set-cookie"]',
  'headers["x-api-key"]',
  '*.headers["x-api-key"]',
]

/** What a secret looks like wherever it stands: in a message, a cause, a URL. The first group stays. */
const SECRETS: readonly RegExp[] = [
  /(:\/\/[^\s:@/"\\]+:)[^\s@/"\\]+(?=@)/g,
  /(\b(?:Bearer|Basic)\s+)(?!realm=)[\w.~+/=-]{8,}/gi,
  /(\btrl_[a-z0-9]{12}_)[0-9a-f]+/g,
  /(\beyJ[\w-]{5,}\.)[\w-]+\.[\w-]*/g,
]

/** A line as it is written: errors of libraries may quote what they were given. */
function withoutSecrets(line: string): string {
  return SECRETS.reduce((text, secret) => text.replace(secret, '$1(redacted)'), line)
}

/** One JSON line per entry, on stdout unless told otherwise. Secrets are replaced before they are written. */
export function createLogger(level: string, destination?: DestinationStream): Logger {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: REDACTED, censor: '(redacted)' },
    hooks: { streamWrite: withoutSecrets },
  }
  return destination === undefined ? pino(options) : pino(options, destination)
}

/** Says nothing, for tests. */
export const silentLogger: Logger = pino({ level: 'silent' })
