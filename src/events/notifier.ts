import { newId } from '../base/ids.ts'
import type { Sql } from '../db/client.ts'

/** Postgres takes 7,999 bytes, of which the sender is some; names are ASCII. */
const MAX_PAYLOAD_BYTES = 7_900
/** Between two notifications, so that a busy process sends few: each takes a lock on the whole database. */
const PAUSE_MILLISECONDS = 5

export interface Announcement {
  context: string | null
  aborted: readonly string[]
  ready: boolean
}

export type Channel = 'trellis_event' | 'trellis_abort' | 'trellis_ready'

/**
 * Tells other processes what changed, after the commit: one sender per process, which gathers while it sends. A hint: it
 * may be lost, and readers poll slowly behind it. (design §5.5)
 */
export class Notifier {
  /** Who sends, in every payload: a process is told nothing by its own notifications. */
  private readonly sender = newId('runner')
  private readonly sql: Sql
  private readonly onError: (error: unknown) => void
  private readonly pending: Record<Channel, Set<string>> = {
    trellis_event: new Set(),
    trellis_abort: new Set(),
    trellis_ready: new Set(),
  }
  private sending: Promise<void> | null = null
  private stopped = false

  constructor(sql: Sql, onError: (error: unknown) => void) {
    this.sql = sql
    this.onError = onError
  }

  announce({ context, aborted, ready }: Announcement): void {
    if (this.stopped) return
    if (context !== null) this.pending.trellis_event.add(context)
    for (const taskId of aborted) this.pending.trellis_abort.add(taskId)
    if (ready) this.pending.trellis_ready.add('')
    this.sending ??= this.send()
  }

  async stop(): Promise<void> {
    this.stopped = true
    await this.sending
  }

  /** The names in a payload; none if this process sent it. */
  namesIn(payload: string): string[] {
    const [sender = '', names = ''] = payload.split(' ')
    return sender === this.sender ? [] : names.split(',')
  }

  private async send(): Promise<void> {
    await Promise.resolve()
    for (let batch = this.take(); batch.length > 0; batch = this.take()) {
      try {
        await this.sql.$executeRawUnsafe(
          'SELECT pg_notify(n.channel, n.payload) FROM jsonb_to_recordset($1::jsonb) AS n(channel text, payload text)',
          JSON.stringify(batch),
        )
      } catch (error) {
        this.onError(error)
      }
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MILLISECONDS))
    }
    this.sending = null
  }

  private take(): { channel: string; payload: string }[] {
    return Object.entries(this.pending).flatMap(([channel, names]) => {
      const payloads = chunks([...names])
      names.clear()
      return payloads.map((payload) => ({ channel, payload: `${this.sender} ${payload}` }))
    })
  }
}

/** Names joined by commas, in as few payloads as the limit allows. */
export function chunks(names: readonly string[], limit = MAX_PAYLOAD_BYTES): string[] {
  const payloads: string[] = []
  for (const name of names) {
    const last = payloads.at(-1)
    if (last !== undefined && last.length + 1 + name.length <= limit) payloads[payloads.length - 1] = `${last},${name}`
    else payloads.push(name)
  }
  return payloads
}
