import { ConfigError } from './base/config.ts'
import { TrellisError } from './base/errors.ts'
import { createKey, listKeys, revokeKey } from './cli-keys.ts'
import { type Terminal, UsageError } from './cli-usage.ts'

const USAGE = `npm run trellis -- <command>

  keys create --tenant T --name N --scopes read,write [--principal P] [--expires 90d]
      Makes an API key and prints it, once. With --config the database is left alone, and what belongs in
      config/trellis.yaml is printed.
        --scopes     of read, write, work, admin
        --principal  whose tasks it sees; keys with the same principal see the same. Default: the key's own.
        --expires    after so many minutes, hours or days (30m, 12h, 90d), or at a time (2027-01-31)
  keys list [--tenant T]
  keys revoke ID

The settings are the server's: config/trellis.yaml, or TRELLIS_CONFIG, DATABASE_URL and DATA_DIR.
`

const COMMANDS: Readonly<Record<string, (args: string[], terminal: Terminal) => Promise<void>>> = {
  'keys create': createKey,
  'keys list': listKeys,
  'keys revoke': revokeKey,
}

/** Does what the words after `npm run trellis --` say. What goes wrong is said, too; resolves with the exit code. */
export async function runCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  try {
    await run(words, terminal)
    return 0
  } catch (error) {
    const plain = error instanceof UsageError || error instanceof ConfigError || error instanceof TrellisError
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    terminal.err(`${plain ? message : stack}\n`)
    return error instanceof UsageError ? 2 : 1
  }
}

async function run([group = '', command = '', ...args]: readonly string[], terminal: Terminal): Promise<void> {
  if (group === '' || [group, command].some((word) => ['help', '--help', '-h'].includes(word))) {
    return terminal.out(USAGE)
  }
  const known = COMMANDS[`${group} ${command}`]
  if (known === undefined) {
    const given = `${group} ${command}`.trim()
    throw new UsageError(`There is no command "${given}"; expected one of ${Object.keys(COMMANDS).join(', ')}`)
  }
  await known(args, terminal)
}
