/** Wakes those who wait on a context of this process. A wake-up is a hint: who is woken reads the rows. (design §5.5) */
export class Hub {
  private readonly waiting = new Map<string, Set<Wake>>()

  /** Begins to listen; what happens from now on is not missed, even before the first `next`. */
  subscribe(contextKey: string): Wake {
    const wake = new Wake(() => this.forget(contextKey, wake))
    const wakes = this.waiting.get(contextKey) ?? new Set()
    wakes.add(wake)
    this.waiting.set(contextKey, wakes)
    return wake
  }

  wake(contextKey: string): void {
    for (const wake of this.waiting.get(contextKey) ?? []) wake.ring()
  }

  /** After a time in which wake-ups may have been lost. */
  wakeAll(): void {
    for (const wakes of this.waiting.values()) for (const wake of wakes) wake.ring()
  }

  /** How many listen. */
  get size(): number {
    let size = 0
    for (const wakes of this.waiting.values()) size += wakes.size
    return size
  }

  private forget(contextKey: string, wake: Wake): void {
    const wakes = this.waiting.get(contextKey)
    wakes?.delete(wake)
    if (wakes?.size === 0) this.waiting.delete(contextKey)
  }
}

/** One subscription. */
export class Wake implements Disposable {
  private readonly close: () => void
  private rung = false
  private answer: (() => void) | null = null

  constructor(close: () => void) {
    this.close = close
  }

  ring(): void {
    this.rung = true
    this.answer?.()
  }

  /** Resolves at the next wake-up (at once, if one came since the last), after so long, or when the signal fires. */
  next(milliseconds: number, signal?: AbortSignal): Promise<void> {
    if (this.rung || signal?.aborted === true) {
      this.rung = false
      return Promise.resolve()
    }
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        this.answer = null
        this.rung = false
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      signal?.addEventListener('abort', done, { once: true })
      this.answer = done
    })
  }

  [Symbol.dispose](): void {
    this.close()
    this.answer?.()
  }
}
