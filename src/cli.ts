import { ConfigError } from './base/config.ts'
import { TrellisError } from './base/errors.ts'
import { createKey, listKeys, revokeKey } from './cli-keys.ts'
import { UsageError } from './cli-usage.ts'

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

const COMMANDS: Readonly<Record<string, (args: string[]) => Promise<void>>> = {
  'keys create': createKey,
  'keys list': listKeys,
  'keys revoke': revokeKey,
}

async function main([group = '', command = '', ...args]: string[]): Promise<void> {
  if (group === '' || [group, command].some((word) => ['help', '--help', '-h'].includes(word))) {
    process.stdout.write(USAGE)
    return
  }
  const run = COMMANDS[`${group} ${command}`]
  if (run === undefined) {
    const given = `${group} ${command}`.trim()
    throw new UsageError(`There is no command "${given}"; expected one of ${Object.keys(COMMANDS).join(', ')}`)
  }
  await run(args)
}

main(process.argv.slice(2)).then(
  // The embedded database leaves something that would keep the process.
  () => process.exit(0),
  (error: unknown) => {
    const plain = error instanceof UsageError || error instanceof ConfigError || error instanceof TrellisError
    const { message, stack } = error instanceof Error ? error : new Error(String(error))
    process.stderr.write(`${plain ? message : stack}\n`)
    process.exit(error instanceof UsageError ? 2 : 1)
  },
)
