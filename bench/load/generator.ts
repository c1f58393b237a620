import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import type { Order, Outcome } from './work.ts'

const SCRIPT = new URL('./main.ts', import.meta.url).pathname

/** The load generator as the bench sees it: one order at a time. */
export class Generator {
  readonly #child: ChildProcess = fork(SCRIPT, { execArgv: ['--disable-warning=ExperimentalWarning'] })

  async run(order: Order): Promise<Outcome> {
    const ended = new AbortController()
    const answered = once(this.#child, 'message', { signal: ended.signal })
    const exited = once(this.#child, 'exit', { signal: ended.signal }).then(() => {
      throw new Error('The load generator ended')
    })
    exited.catch(() => undefined)
    this.#child.send(order)
    try {
      const [answer] = (await Promise.race([answered, exited])) as [{ outcome: Outcome } | { failed: string }]
      if ('failed' in answer) throw new Error(answer.failed)
      return answer.outcome
    } finally {
      answered.catch(() => undefined)
      ended.abort()
    }
  }

  stop(): void {
    this.#child.kill()
  }
}
