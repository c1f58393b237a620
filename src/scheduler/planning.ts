import type { Decision } from '../domain/draft.ts'
import type { Declined, PlannerChain } from '../planner/plan.ts'
import type { PlanRequest } from '../planner/planner.ts'

/** How long a decision waits for its job. */
const KEPT_MILLISECONDS = 60_000

export interface PlanInTime {
  rootId: string
  /** What tells the message from others; absent: each request is planned by itself. */
  message: string | undefined
  request: PlanRequest
  signal: AbortSignal
}

interface UnderWay {
  decision: Promise<Decision>
  abort: AbortController
  message: string | undefined
}

/**
 * Runs planners, never inside a transaction. One that waits on something outside gets a moment before the request is
 * answered; what takes longer goes on here, under the root task that will have the plans. (design §7)
 */
export class Planning {
  private readonly planner: PlannerChain
  private readonly inlineSeconds: number
  private readonly onDeclined: (declined: Declined) => void
  private readonly underWay = new Map<string, UnderWay>()

  constructor(planner: PlannerChain, inlineSeconds: number, onDeclined: (declined: Declined) => void) {
    this.planner = planner
    this.onDeclined = onDeclined
    this.inlineSeconds = inlineSeconds
  }

  /** Whether planning waits on anything outside, and so is not to be done twice for nothing. */
  get io(): boolean {
    return this.planner.io
  }

  /**
   * The decision, or null if it is not there in time; then `late` has it. Two requests with the same `message` key at once
   * are planned once: whichever root is committed, the decision is for it.
   */
  async inTime({ rootId, message, request, signal }: PlanInTime): Promise<Decision | null> {
    if (!this.planner.io) return this.plan(request, signal)
    const decision = this.share(rootId, message) ?? this.begin(rootId, request, message)
    const { promise: over, resolve } = Promise.withResolvers<null>()
    const timer = setTimeout(resolve, this.inlineSeconds * 1_000, null)
    try {
      const done = await Promise.race([decision, over])
      if (done !== null) this.underWay.delete(rootId)
      return done
    } catch (error) {
      this.underWay.delete(rootId)
      throw error
    } finally {
      clearTimeout(timer)
    }
  }

  /** The decision for a root that waits for it: the one under way here, else a new one. */
  async late(rootId: string, request: () => Promise<PlanRequest>): Promise<Decision> {
    const { decision } = this.underWay.get(rootId) ?? { decision: this.begin(rootId, await request()) }
    return decision.finally(() => this.underWay.delete(rootId))
  }

  /** Stops planning a root that was canceled. */
  abort(rootId: string): void {
    this.underWay.get(rootId)?.abort.abort()
  }

  private share(rootId: string, message: string | undefined): Promise<Decision> | undefined {
    const same = [...this.underWay.values()].find((one) => message !== undefined && one.message === message)
    if (same !== undefined) this.underWay.set(rootId, same)
    return same?.decision
  }

  private begin(rootId: string, request: PlanRequest, message?: string): Promise<Decision> {
    const abort = new AbortController()
    const decision = this.plan(request, abort.signal)
    const one = { decision, abort, message }
    this.underWay.set(rootId, one)
    // Told to whoever asks for it; nobody may: the job may run in another process, and then this is forgotten.
    const forget = () =>
      setTimeout(() => this.underWay.get(rootId) === one && this.underWay.delete(rootId), KEPT_MILLISECONDS).unref()
    decision.then(forget, forget)
    return decision
  }

  private async plan(request: PlanRequest, signal: AbortSignal): Promise<Decision> {
    const { decision, declined } = await this.planner.plan(request, signal)
    for (const one of declined) this.onDeclined(one)
    return decision
  }
}
