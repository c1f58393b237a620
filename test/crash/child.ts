import { type ChildProcess, spawn } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { createInterface } from 'node:readline'
import { plainEnvironment } from '../plain-environment.ts'

/** More than the longest wait there is: for the job of a dead process to be due again. */
const PATIENCE_MS = 40_000

export interface Ending {
  code: number | null
  signal: NodeJS.Signals | null
}

/** A process that a test starts, awaits by its lines of output, and ends however it likes. It never outlives the test. */
export class Child {
  readonly lines: string[] = []
  /** Resolves when the process is gone and all it said is in `lines`. */
  readonly exited: Promise<Ending>
  readonly #process: ChildProcess
  readonly #changes = new EventEmitter().setMaxListeners(0)
  #gone: Ending | undefined

  constructor(t: { teardown(end: () => unknown): void }, args: readonly string[], env: NodeJS.ProcessEnv) {
    const stdio = ['pipe', 'pipe', 'pipe', 'ipc'] as const
    this.#process = spawn(process.execPath, args, { env: plainEnvironment(env), stdio: [...stdio] })
    for (const stream of [this.#process.stdout, this.#process.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => this.#heard(line))
    }
    this.exited = once(this.#process, 'close').then(([code, signal]) => {
      this.#gone = { code, signal }
      this.#changes.emit('change')
      return this.#gone
    })
    t.teardown(() => this.kill())
  }

  /** Resolves once `look` finds something in the lines, past or to come. Rejects when the process ends without it, or after a while. */
  async until<T>(look: (lines: readonly string[]) => T | undefined): Promise<T> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    for (;;) {
      const found = look(this.lines)
      if (found !== undefined) return found
      if (this.#gone) throw this.#without(`it ended (${this.#gone.signal ?? this.#gone.code})`)
      await once(this.#changes, 'change', { signal }).catch(() => {
        throw this.#without('it never came')
      })
    }
  }

  send(message: string): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#process.send(message, (error) => (error ? reject(error) : resolve()))
    })
  }

  say(line: string): void {
    this.#process.stdin?.write(`${line}\n`)
  }

  /** `kill -9`, or another signal; resolves when the process is gone. */
  async kill(): Promise<Ending> {
    this.signal('SIGCONT')
    this.signal('SIGKILL')
    return this.exited
  }

  signal(signal: NodeJS.Signals): void {
    if (!this.#gone) this.#process.kill(signal)
  }

  #without(why: string): Error {
    return new Error(`Waiting for a line, ${why}:\n${this.lines.join('\n')}`)
  }

  #heard(line: string): void {
    this.lines.push(line)
    this.#changes.emit('change')
  }
}
