import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { setTimeout as after } from 'node:timers/promises'

/** A process that was started and is ready. */
export interface Child {
  /** The first group of the line that said so, or the URL that answered. */
  ready: string
  stop(): Promise<void>
}

export interface ChildOptions {
  args: string[]
  /** Ready at a line that matches, or once an address answers. */
  readyAt: { line: RegExp } | { url: string }
  env?: NodeJS.ProcessEnv
  /** Fires: the process is ended, and the start rejects. */
  signal?: AbortSignal
}

const READY_MS = 60_000
const STOP_MS = 5_000
const POLL_MS = 50

/** Starts `node <args>` and resolves when it is ready. Rejects with its last lines when it ends or dawdles before that. */
export async function startChild(name: string, options: ChildOptions): Promise<Child> {
  const child = spawn(process.execPath, options.args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...options.env },
  })
  const settled = new AbortController()
  const signal = AbortSignal.any([settled.signal, AbortSignal.timeout(READY_MS), options.signal ?? settled.signal])
  const output = readOutput(child)
  try {
    const { readyAt } = options
    const ready = 'line' in readyAt ? output.waitFor(readyAt.line) : answer(readyAt.url, signal)
    return { ready: await Promise.race([ready, untimelyEnd(child, signal)]), stop: () => end(child) }
  } catch (error) {
    await end(child)
    throw new Error(`${name} did not start: ${(error as Error).message}\n${output.last()}`.trim(), { cause: error })
  } finally {
    settled.abort()
  }
}

/** Both streams are read to the end: a pipe that nobody reads fills up and stops the process. */
function readOutput(child: ChildProcess) {
  const lines: string[] = []
  const listeners = new Set<(line: string) => void>()
  for (const stream of [child.stdout, child.stderr]) {
    if (!stream) continue
    createInterface({ input: stream }).on('line', (line) => {
      lines.push(line)
      if (lines.length > 20) lines.shift()
      for (const listener of listeners) listener(line)
    })
  }
  const waitFor = (pattern: RegExp) =>
    new Promise<string>((resolve) => {
      listeners.add((line) => {
        const match = pattern.exec(line)
        if (match) resolve(match[1] ?? '')
      })
    })
  return { waitFor, last: () => lines.join('\n') }
}

async function answer(url: string, signal: AbortSignal): Promise<string> {
  while (!signal.aborted) {
    const response = await fetch(url, { signal }).catch(() => undefined)
    if (response?.ok) return url
    await after(POLL_MS)
  }
  return url
}

/** Never resolves: rejects when the process ends, cannot be started, or the wait for it is over. */
function untimelyEnd(child: ChildProcess, signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    child.once('error', reject)
    // `close` comes after the last line of output, `exit` may come before it.
    child.once('close', (code, name) => reject(new Error(`it ended with ${name ?? code}`)))
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
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
