import pg from 'pg'

export interface ListenOptions {
  connectionString: string
  channels: readonly string[]
  notified: (channel: string, payload: string) => void
  /** The connection is back: what was notified in between is lost. */
  reconnected: () => void
  onError: (error: unknown) => void
}

const FIRST_PAUSE_MILLISECONDS = 100
const MAX_PAUSE_MILLISECONDS = 5_000

/** Listens for notifications on a connection of its own, and reconnects for as long as it is open. */
export class Listener {
  private readonly options: ListenOptions
  private client: pg.Client | null = null
  private closed = false
  private retry: NodeJS.Timeout | undefined

  constructor(options: ListenOptions) {
    this.options = options
  }

  async open(): Promise<void> {
    const { connectionString, channels } = this.options
    // Nothing is ever sent on it, so only keep-alive notices that the other end is gone.
    const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000, keepAlive: true })
    // A killed connection says `error` twice, then `end`: only the end counts.
    client.on('error', this.options.onError)
    client.on('notification', ({ channel, payload }) => this.options.notified(channel, payload ?? ''))
    try {
      await client.connect()
      for (const channel of channels) await client.query(`LISTEN ${channel}`)
    } catch (error) {
      await client.end().catch(() => undefined)
      throw error
    }
    this.client = client
    client.once('end', () => this.reconnect(FIRST_PAUSE_MILLISECONDS))
    if (this.closed) await client.end()
  }

  async close(): Promise<void> {
    this.closed = true
    clearTimeout(this.retry)
    await this.client?.end()
  }

  private reconnect(pause: number): void {
    this.client = null
    if (this.closed) return
    this.retry = setTimeout(() => {
      this.open().then(this.options.reconnected, (error) => {
        this.options.onError(error)
        this.reconnect(Math.min(pause * 2, MAX_PAUSE_MILLISECONDS))
      })
    }, pause)
  }
}
