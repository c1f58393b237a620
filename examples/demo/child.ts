import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A process that was started and says when it is ready. */
export interface Child {
  /** The first group of the ready pattern. */
  ready: string
  stop(): Promise<void>
}

export interface ChildOptions {
  args: string[]
  /** Matches the line that says so; its first group is what the starter waits for. */
  readyPattern: RegExp
  env?: NodeJS.ProcessEnv
  /** Fires: the process is ended, and the start rejects. */
  signal?: AbortSignal
}

const READY_MS = 60_000
const STOP_MS = 5_000

/** Starts `node <args>` and resolves at its ready line. Rejects with what it said last when it ends before that. */
export async function startChild(name: string, options: ChildOptions): Promise<Child> {
  const child = spawn(process.execPath, options.args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  })
  const stop = () => end(child)
  try {
    return { ready: await readyLine(name, child, options), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function readyLine(name: string, child: ChildProcess, options: ChildOptions): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const last: string[] = []
  const read = (line: string) => {
    last.push(line)
    if (last.length > 20) last.shift()
    const match = options.readyPattern.exec(line)
    if (match) resolve(match[1] ?? '')
  }
  // Both are read to the end: a pipe that nobody reads fills up and stops the process.
  for (const stream of [child.stdout, child.stderr]) if (stream) createInterface({ input: stream }).on('line', read)
  const timer = setTimeout(() => reject(new Error(`${name} was not ready in time:\n${last.join('\n')}`)), READY_MS)
  child.once('error', reject)
  child.once('exit', (code, signal) => reject(new Error(`${name} ended (${signal ?? code}):\n${last.join('\n')}`)))
  options.signal?.addEventListener('abort', () => reject(options.signal?.reason), { once: true })
  return promise.finally(() => clearTimeout(timer))
}

/** Asks it to end, and insists after a while. */
async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
  await gone
  clearTimeout(timer)
}
