import { RateLimiterMemory } from 'rate-limiter-flexible'
import type { Identity } from '../../a2a/identity.ts'
import type { Quota } from '../../a2a/quota.ts'
import { TrellisError } from '../../base/errors.ts'

export interface QuotaLimits {
  /** Absent: any number. */
  requestsPerMinute?: number
  streamsPerPrincipal: number
  subscribersPerTask: number
}

const MINUTE = 60

/** What principals have asked of this process, and have open at it. Every process counts for itself. */
export class Quotas {
  readonly #limits: QuotaLimits
  readonly #calls: RateLimiterMemory | undefined
  readonly #open = new Map<string, number>()

  constructor(limits: QuotaLimits) {
    this.#limits = limits
    const points = limits.requestsPerMinute
    this.#calls = points === undefined ? undefined : new RateLimiterMemory({ points, duration: MINUTE })
  }

  /** What is left to a principal. `address`: where nobody says who calls, each address has calls and streams of its own. */
  of({ tenant, owner }: Identity, address?: string): Quota {
    const things = JSON.stringify([tenant, owner])
    const who = address === undefined ? things : JSON.stringify([address])
    return { call: () => this.call(who), stream: (id) => this.#stream(who, id && JSON.stringify([things, id])) }
  }

  /** Counts one call of whom the key stands for. @throws TrellisError rateLimited */
  async call(key: string): Promise<void> {
    try {
      await this.#calls?.consume(key)
    } catch (refusal) {
      if (refusal instanceof Error) throw refusal
      const { msBeforeNext } = refusal as { msBeforeNext: number }
      throw tooMany(this.#limits.requestsPerMinute ?? 0, Math.max(1, Math.ceil(msBeforeNext / 1_000)))
    }
  }

  #stream(who: string, thing: string | undefined): { release(): void } {
    const { streamsPerPrincipal, subscribersPerTask } = this.#limits
    const streams = this.#open.get(who) ?? 0
    if (streams >= streamsPerPrincipal) throw full(`${streamsPerPrincipal} open streams`, 'limits.streamsPerPrincipal')
    const followers = thing === undefined ? 0 : (this.#open.get(thing) ?? 0)
    if (followers >= subscribersPerTask) throw full(`${subscribersPerTask} followers`, 'limits.subscribersPerTask')
    const entered = [who, thing].filter((key) => key !== undefined)
    for (const key of entered) this.#open.set(key, (this.#open.get(key) ?? 0) + 1)
    const release = () => {
      for (const key of entered) this.#leave(key)
    }
    return { release }
  }

  #leave(key: string): void {
    const left = (this.#open.get(key) ?? 0) - 1
    if (left > 0) this.#open.set(key, left)
    else this.#open.delete(key)
  }
}

function tooMany(limit: number, seconds: number): TrellisError {
  const message = `More than ${limit} calls in a minute, which is the most that are allowed; try again in ${seconds} s`
  return new TrellisError('rateLimited', message, {
    details: { requestsPerMinute: String(limit), retryAfterSeconds: String(seconds) },
  })
}

function full(what: string, limit: string): TrellisError {
  const subject = limit === 'limits.subscribersPerTask' ? 'It has' : 'The caller has'
  return new TrellisError('limitExceeded', `${subject} ${what} at this server, which is the most there may be`, {
    details: { limit },
  })
}
