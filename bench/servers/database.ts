import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import pg from 'pg'

const DEFAULT_URL = 'postgres://postgres@127.0.0.1:5432/postgres'
const SDK_TABLES = new URL('../../node_modules/@a2a-js/sdk/dist/cli/a2a_db.js', import.meta.url).pathname

/** A Postgres server on which the bench makes databases of its own. */
export class Postgres {
  readonly version: string
  /** Settings that decide what a commit costs. */
  readonly durability: string
  readonly #client: pg.Client
  readonly #url: string
  readonly #made: string[] = []

  private constructor(client: pg.Client, url: string, facts: { version: string; durability: string }) {
    this.#client = client
    this.#url = url
    this.version = facts.version
    this.durability = facts.durability
  }

  /** Connects to DATABASE_URL, or to a local Postgres. Resolves with null, and says why, if there is none. */
  static async find(): Promise<Postgres | null> {
    const url = process.env['DATABASE_URL'] || DEFAULT_URL
    const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 })
    try {
      await client.connect()
    } catch (error) {
      console.log(`No Postgres: ${(error as Error).message}. Running what needs none; set DATABASE_URL for the rest.\n`)
      return null
    }
    const { rows } = await client.query<{ version: string; durability: string }>(
      `SELECT current_setting('server_version') AS version,
         'fsync ' || current_setting('fsync') || ', synchronous_commit ' || current_setting('synchronous_commit') AS durability`,
    )
    return new Postgres(client, url, rows[0] as { version: string; durability: string })
  }

  /** Makes an empty database; resolves with its URL. */
  async create(purpose: string): Promise<string> {
    const name = `bench_${purpose}_${process.pid}`
    await this.#client.query(`CREATE DATABASE ${name}`)
    this.#made.push(name)
    const url = new URL(this.#url)
    url.pathname = `/${name}`
    return url.href
  }

  /** Makes a database with the SDK's tables, by the SDK's own tool. */
  async createForSdk(): Promise<string> {
    const url = await this.create('sdk')
    await promisify(execFile)(process.execPath, [SDK_TABLES, 'upgrade', '--url', url])
    return url
  }

  /** Writes back what is dirty, so that no system pays for what another wrote. */
  async settle(): Promise<void> {
    await this.#client.query('CHECKPOINT')
  }

  /** Drops the databases that it made. */
  async close(): Promise<void> {
    for (const name of this.#made.splice(0)) await this.#client.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
    await this.#client.end()
  }
}
