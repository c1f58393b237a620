import type { EventReader, LoggedEvent } from '../domain/queries/events.ts'
import type { Hub } from './hub.ts'

/** How long a follower waits for a wake-up before it looks by itself: a wake-up may be lost. */
const POLL_MILLISECONDS = 5_000

/**
 * Every event of a context after a seq, in order, exactly once, then those that come, until the signal fires. Reads rows
 * after its own cursor; wake-ups only say when. (design §5.5, §5.6)
 */
export async function* followEvents(
  { hub, readEvents }: { hub: Hub; readEvents: EventReader },
  { contextKey, after, signal }: { contextKey: string; after: number; signal: AbortSignal },
): AsyncGenerator<LoggedEvent, void, undefined> {
  using wake = hub.subscribe(contextKey)
  let cursor = after
  while (!signal.aborted) {
    const page = await readEvents({ contextKey, after: cursor })
    for (const event of page) {
      if (signal.aborted) return
      cursor = event.seq
      yield event
    }
    if (page.length === 0) await wake.next(POLL_MILLISECONDS, signal)
  }
}
