import { parseArgs } from 'node:util'

export interface AgentOptions {
  host: string
  /** 0 takes any free port. */
  port: number
  folder: string
}

/** Reads `--host`, `--port` and `--folder` from the command line. An unknown flag ends the process with the legal ones. */
export function readOptions(args: string[] = process.argv.slice(2)): AgentOptions {
  try {
    const text = { type: 'string' } as const
    const { values } = parseArgs({ args, options: { host: text, port: text, folder: text } })
    return {
      host: values.host ?? '127.0.0.1',
      port: portOf(values.port ?? '0'),
      folder: values.folder ?? 'node_modules',
    }
  } catch (error) {
    console.error(`${(error as Error).message}\nUsage: [--host 127.0.0.1] [--port 0] [--folder node_modules]`)
    process.exit(2)
  }
}

function portOf(text: string): number {
  const port = Number(text)
  if (Number.isInteger(port) && port >= 0 && port <= 65_535) return port
  throw new TypeError(`--port was ${JSON.stringify(text)}; must be a whole number from 0 to 65535`)
}
