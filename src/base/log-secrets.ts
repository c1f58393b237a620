const REDACTED = '(redacted)'

/** How the names of fields and headers that hold secrets end, whatever stands before it: `X-API-Key`, `client_secret`. */
const SECRET_NAME =
  /(authorization|cookie|token|credentials?|passwd|password|secret|apikey|privatekey|privatejwk|signature|databaseurl|connectionstring)$/
/** Says where a page begins. */
const NO_SECRET = /pagetoken$/

/** What a secret looks like in a text: in a message, a cause, a URL. The first group stays. */
const SECRETS: readonly RegExp[] = [
  // Userinfo of a URL: the password, or all of it where that is one word.
  /(:\/\/[^\s:@/"\\]+:)[^\s@/"\\]+(?=@)/g,
  /(:\/\/)[^\s:@/"\\?#]+(?=@)/g,
  // A URL's query.
  /([?&](?:[\w.-]*(?:token|key|secret|password|credentials?|signature|auth)|sig|code)=)[^&\s"'#]+/gi,
  // A form's first field, or a setting; a field of JSON that stands in a text, also if that text is JSON's in turn.
  /((?<![\w.-])[\w.-]*(?:token|secret|passwd|password|credentials?|api[_-]?key|private[_-]?key)=)(?!\()[^&\s"'#]+/gi,
  /((?<![\w.-])[\w.-]*(?:token|secret|passwd|password|credentials?|api[_-]?key|private[_-]?key)\\*["']\s*:\s*\\*["'])[^"'\\]+/gi,
  // Header fields as they stand in messages and in dumps of requests.
  /(\b(?:(?:proxy-)?authorization|(?:set-)?cookie|x-api-key|x-a2a-notification-token)["']?\s*[:=]\s*["']?)[^\s"'][^\r\n"']*/gi,
  /(\b(?:Bearer|Basic)\s+)(?!realm=)[\w.~+/=-]{8,}/gi,
  /(\btrl_[a-z0-9]{12}_)[0-9a-f]+/g,
  /(\beyJ[\w-]{5,}\.)[\w-]+\.[\w-]*/g,
]

/** A line of JSON as it is written: by the names of fields at any depth, and by what secrets look like in texts. */
export function withoutSecrets(line: string): string {
  return `${JSON.stringify(JSON.parse(line), redact)}\n`
}

function redact(name: string, value: unknown): unknown {
  if (isSecret(name) && value !== null) return REDACTED
  if (typeof value === 'string') return textWithoutSecrets(value)
  return Array.isArray(value) ? value.map(afterItsName) : value
}

/** Node and undici give headers as names and values by turns. */
function afterItsName(value: unknown, at: number, all: readonly unknown[]): unknown {
  const before = all[at - 1]
  return typeof before === 'string' && typeof value === 'string' && isSecret(before) ? REDACTED : value
}

function isSecret(name: string): boolean {
  const plain = name.toLowerCase().replaceAll(/[-_]/g, '')
  return SECRET_NAME.test(plain) && !NO_SECRET.test(plain)
}

function textWithoutSecrets(text: string): string {
  return SECRETS.reduce((left, secret) => left.replace(secret, `$1${REDACTED}`), text)
}
