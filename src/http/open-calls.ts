import type { Authenticate, Credentials } from '../a2a/identity.ts'
import { isUnauthenticated } from './auth/authenticator.ts'

/** How often it is asked again whether who waits or follows may still call. */
const RECHECK_MILLISECONDS = 5_000

/** The waits and streams that are open, so that they end with the server, and with their caller's right to call. */
export class OpenCalls {
  readonly #calls = new Map<AbortController, Credentials | undefined>()
  readonly #authenticate: Authenticate | undefined
  readonly #timer: NodeJS.Timeout | undefined
  #stopped = false

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
    for (const [controller, credentials] of this.#calls) {
      if (credentials === undefined) continue
      try {
        await this.#authenticate?.(credentials)
      } catch (error) {
        if (!isUnauthenticated(error)) continue
        this.#calls.delete(controller)
        controller.abort(error)
      }
    }
  }
}
