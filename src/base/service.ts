/** What runs for as long as the process does. */
export interface Service {
  /** Resolves when it runs. Rejects, and is stopped, when it could not be started. */
  start(): Promise<void>
  /** Resolves when nothing of it runs any more. Never started: at once. */
  stop(): Promise<void>
}

/** What a service does at each end of its life; `stop` gets rid of whatever a failed `start` left behind, too. */
export interface ServiceSteps {
  start(signal: AbortSignal): Promise<void>
  stop(): Promise<void>
}

/**
 * The skeleton of every service. `start` and `stop` may be called in any order, twice, and at once: steps never overlap,
 * each call resolves when the state it asked for was reached or a later call asked for the other one, and the last call
 * wins. The signal given to `start` fires as soon as a stop is asked for.
 */
export function createService(steps: ServiceSteps): Service {
  let running = false
  let wanted = false
  let starting: AbortController | undefined
  let settled: Promise<void> | undefined

  async function bringUp(): Promise<void> {
    starting = new AbortController()
    try {
      await steps.start(starting.signal)
      running = true
    } catch (error) {
      await abandon(error)
    } finally {
      starting = undefined
    }
  }

  /** A start that was called off may fail as it likes; any other failure is the caller's to hear. */
  async function abandon(error: unknown): Promise<void> {
    const calledOff = !wanted
    wanted = false
    await steps.stop()
    if (!calledOff) throw error
  }

  async function bringDown(): Promise<void> {
    running = false
    await steps.stop()
  }

  async function settle(): Promise<void> {
    try {
      while (wanted !== running) await (wanted ? bringUp() : bringDown())
    } finally {
      settled = undefined
    }
  }

  function want(next: boolean): Promise<void> {
    wanted = next
    if (settled === undefined && wanted === running) return Promise.resolve()
    if (!next) starting?.abort()
    settled ??= settle()
    return settled
  }

  return { start: () => want(true), stop: () => want(false) }
}
