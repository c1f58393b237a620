import type { Authenticate, Credentials } from '../a2a/identity.ts'
import { refusalIn } from './auth/authenticator.ts'

/** How often it is asked again whether who waits or follows may still call. */
const RECHECK_MILLISECONDS = 4_000
const AT_ONCE = 50

/** The waits and streams that are open, so that they end with the server, and with their caller's right to call. */
export class OpenCalls {
  readonly #calls = new Map<AbortController, Credentials | undefined>()
  readonly #authenticate: Authenticate | undefined
  readonly #timer: NodeJS.Timeout | undefined
  #stopped = false
  #checking = false

  constructor(authenticate?: Authenticate) {
    this.#authenticate = authenticate
    if (authenticate === undefined) return
    this.#timer = setInterval(() => void this.recheck(), RECHECK_MILLISECONDS)
    this.#timer.unref()
  }

  /** A controller that stopping aborts, and so does a key that is revoked; `release` forgets it. */
  open(credentials?: Credentials): AbortController {
    const controller = new AbortController()
    if (this.#stopped) controller.abort()
    else this.#calls.set(controller, credentials)
    return controller
  }

  release(controller: AbortController): void {
    this.#calls.delete(controller)
  }

  stop(): void {
    this.#stopped = true
    clearInterval(this.#timer)
    for (const controller of this.#calls.keys()) controller.abort()
    this.#calls.clear()
  }

  /** Ends the calls of those who may not call any more. Who cannot be asked about for the moment stays. */
  async recheck(): Promise<void> {
    if (this.#checking) return
    this.#checking = true
    const open = [...this.#calls]
    for (let from = 0; from < open.length; from += AT_ONCE) {
      await Promise.all(open.slice(from, from + AT_ONCE).map((call) => this.#recheckOne(...call)))
    }
    this.#checking = false
  }

  async #recheckOne(controller: AbortController, credentials: Credentials | undefined): Promise<void> {
    if (credentials === undefined || !this.#calls.has(controller)) return
    try {
      await this.#authenticate?.(credentials)
    } catch (error) {
      const refusal = refusalIn(error)
      if (refusal === undefined) return
      this.#calls.delete(controller)
      controller.abort(refusal)
    }
  }
}
