import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Child } from './child.ts'
import { Client } from './client.ts'
import { POSTGRES, type TestDatabase } from './databases.ts'

export type Test = { teardown(end: () => unknown): void }

export interface ServerOptions {
  /** As it would stand in config/trellis.yaml, over the tests' own settings. */
  config?: Record<string, unknown>
}

/** A server process that is up. */
export interface Server {
  url: string
  client: Client
  process: Child
  /** From now on it kills itself at a point, or `point#N`: the N-th time there. */
  killAt(point: string): Promise<void>
  /** Resolves when that has killed it. */
  crashed(): Promise<void>
  /** SIGTERM; resolves when it has ended by itself. */
  stop(): Promise<void>
}

/** Code of the embedded database that is optimised pays off after more work than these servers ever do. */
const SHORT_LIVED = POSTGRES === undefined ? ['--liftoff-only'] : []
const MAIN = join(import.meta.dirname, '../../src/main.ts')
/** Seconds, so that what a lost process held is found within a test's patience. */
export const QUICK = { beatSeconds: 0.2, lostSeconds: 1.5, sweepSeconds: 0.3, pollSeconds: 1 }
let started = 0

/** Starts `src/main.ts` on a database and a free port; resolves when it serves. */
export async function startServer(t: Test, database: TestDatabase, options: ServerOptions = {}): Promise<Server> {
  started += 1
  const file = join(database.folder, `config-${started}.yaml`)
  const config = { server: { port: 0 }, log: { level: 'warn' }, runner: QUICK, ...options.config }
  // JSON is YAML.
  await writeFile(file, JSON.stringify(config))
  const process = new Child(t, [...SHORT_LIVED, MAIN], { TRELLIS_CONFIG: file, ...database.env, TRELLIS_FAULT: 'none' })
  const port = await process.until((lines) =>
    lines.map((line) => /^Trellis serves on \S+:(\d+)/.exec(line)?.[1]).find(Boolean),
  )
  const url = `http://127.0.0.1:${port}`
  const crashed = async () => {
    const { signal } = await process.exited
    if (signal !== 'SIGKILL') throw new Error(`It was not killed:\n${process.lines.join('\n')}`)
  }
  const stop = async () => {
    process.signal('SIGTERM')
    const { code } = await process.exited
    if (code !== 0) throw new Error(`It ended with ${code}:\n${process.lines.join('\n')}`)
  }
  return { url, client: new Client(url), process, crashed, stop, killAt: (point) => process.send(point) }
}
