import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

const ROOT = new URL('../..', import.meta.url).pathname
const START_SECONDS = 60

/** A server in a process of its own. */
export interface RunningServer {
  url: string
  stop(): Promise<void>
}

/** Starts a script that prints where it listens. Rejects if it ends first or takes too long. */
export async function startServer(
  script: string,
  env: Record<string, string | undefined>,
  profiles?: string,
): Promise<RunningServer> {
  const flags = profiles === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${profiles}`]
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', ...flags, script], {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const stop = () => stopChild(child)
  try {
    return { url: await listening(child, script), stop }
  } catch (error) {
    await stop()
    throw error
  }
}

async function listening(child: ChildProcess, script: string): Promise<string> {
  const timer = setTimeout(() => child.kill('SIGKILL'), START_SECONDS * 1_000)
  try {
    for await (const line of createInterface({ input: child.stdout as NodeJS.ReadableStream })) {
      const match = /http:\/\/localhost:(\d+)/.exec(line)
      if (match) return `http://127.0.0.1:${match[1]}`
    }
  } finally {
    clearTimeout(timer)
    // What it prints later is of no interest, but must not fill the pipe.
    child.stdout?.resume()
  }
  throw new Error(`${script} ended, or said nothing for ${START_SECONDS} s, before it listened`)
}

async function stopChild(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const timer = setTimeout(() => child.kill('SIGKILL'), 20_000)
  const exited = once(child, 'exit')
  child.kill('SIGTERM')
  await exited
  clearTimeout(timer)
}
