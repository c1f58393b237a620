/** The one source of time. Pure code is handed times instead. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** A clock that stands still until a test moves it. */
export class FixedClock implements Clock {
  #millis: number

  constructor(start: Date | string = '2026-01-01T00:00:00.000Z') {
    this.#millis = new Date(start).getTime()
  }

  now(): Date {
    return new Date(this.#millis)
  }

  advance(seconds: number): void {
    this.#millis += seconds * 1_000
  }
}
