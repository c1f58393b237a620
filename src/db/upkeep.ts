import type { PGlite } from '@electric-sql/pglite'

const EVERY_MILLISECONDS = 60_000

/** Tables that a server's autovacuum would see to by its default thresholds, by what the database counted. */
const NEGLECTED = `SELECT format('%I.%I', schemaname, relname) AS name FROM pg_stat_user_tables
  WHERE n_dead_tup > 50 + n_live_tup * 0.2 OR n_mod_since_analyze > 50 + n_live_tup * 0.1`

/**
 * Does for the embedded database what autovacuum does on a server: it has no processes of its own, so without this its
 * tables would only grow, and its planner would never learn how large they are.
 */
export class Upkeep {
  private readonly embedded: PGlite
  private readonly onError: (error: unknown) => void
  private timer: NodeJS.Timeout | undefined
  private running: Promise<unknown> = Promise.resolve()

  constructor(embedded: PGlite, onError: (error: unknown) => void) {
    this.embedded = embedded
    this.onError = onError
  }

  start(): void {
    this.timer = setInterval(() => {
      this.running = this.running.then(() => this.run()).catch(this.onError)
    }, EVERY_MILLISECONDS)
  }

  /** Resolves when it does nothing any more. */
  async stop(): Promise<void> {
    clearInterval(this.timer)
    await this.running
  }

  /** Cleans the tables that need it, one at a time: other statements go between. Resolves with their names. */
  async run(): Promise<string[]> {
    // What was counted is told about once a second; it is to be told now.
    await this.embedded.query('SELECT pg_stat_force_next_flush()')
    const { rows } = await this.embedded.query<{ name: string }>(NEGLECTED)
    const names = rows.map(({ name }) => name)
    for (const name of names) await this.embedded.query(`VACUUM (ANALYZE) ${name}`)
    return names
  }
}
