import type { EventReader, LoggedEvent } from '../domain/queries/events.ts'
import type { Hub } from './hub.ts'

/** How long a follower waits for a wake-up before it looks by itself: a wake-up may be lost. */
const POLL_MILLISECONDS = 5_000

export interface FollowEvents {
  contextKey: string
  after: number
  until?: number
  signal: AbortSignal
}

/**
 * Every event of a context after a seq, in order, exactly once, then those that come, until the signal fires; with
 * `until`, only those up to that seq, which are there already. Reads rows after its own cursor; wake-ups only say when.
 * (design §5.5, §5.6)
 */
export async function* followEvents(
  { hub, readEvents }: { hub: Hub; readEvents: EventReader },
  { contextKey, after, until = Number.POSITIVE_INFINITY, signal }: FollowEvents,
): AsyncGenerator<LoggedEvent, void, undefined> {
  using wake = hub.subscribe(contextKey)
  let cursor = after
  while (!signal.aborted && cursor < until) {
    const page = await readEvents({ contextKey, after: cursor })
    for (const event of page) {
      if (signal.aborted || event.seq > until) return
      cursor = event.seq
      yield event
    }
    if (page.length > 0) continue
    if (Number.isFinite(until)) return
    await wake.next(POLL_MILLISECONDS, signal)
  }
}
