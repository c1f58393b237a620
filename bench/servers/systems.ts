import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Options } from '../options.ts'
import type { Postgres } from './database.ts'
import { type RunningServer, startServer } from './process.ts'

export const SYSTEM_NAMES = ['trellis', 'sdkPostgres', 'sdkMemory', 'trellisEmbedded'] as const
export type SystemName = (typeof SYSTEM_NAMES)[number]

export const TITLES: Readonly<Record<SystemName, string>> = {
  trellis: 'Trellis, Postgres',
  sdkPostgres: 'SDK, Postgres',
  sdkMemory: 'SDK, memory',
  trellisEmbedded: 'Trellis, embedded',
}

export interface System {
  name: SystemName
  url: string
}

const AGENT = new URL('./agent.ts', import.meta.url).pathname

/** All systems that can run here, started, each in a process of its own. */
export class Systems {
  readonly #servers: RunningServer[] = []
  readonly #options: Options
  #folder = ''

  constructor(options: Options) {
    this.#options = options
  }

  async start(postgres: Postgres | null): Promise<System[]> {
    this.#folder = await mkdtemp(join(tmpdir(), 'bench-'))
    const config = join(this.#folder, 'trellis.yaml')
    await writeFile(
      config,
      JSON.stringify({ agents: [{ kind: 'module', name: 'none', path: AGENT }], defaultAgent: 'none' }),
    )
    const trellis = { TRELLIS_CONFIG: config, PORT: '0', HOST: '127.0.0.1', LOG_LEVEL: 'warn', PUBLIC_URL: '' }
    const systems: System[] = []
    const add = async (name: SystemName, script: string, env: () => Promise<object> | object) => {
      if (!this.#options.systems.includes(name)) return
      systems.push({ name, url: await this.#startOne(script, { DATABASE_URL: undefined, ...(await env()) }) })
    }
    if (postgres !== null) {
      await add('trellis', 'src/main.ts', async () => ({ ...trellis, DATABASE_URL: await postgres.create('trellis') }))
      await add('sdkPostgres', 'bench/servers/sdk.ts', async () => ({ DATABASE_URL: await postgres.createForSdk() }))
    }
    await add('sdkMemory', 'bench/servers/sdk.ts', () => ({}))
    await add('trellisEmbedded', 'src/main.ts', () => ({ ...trellis, DATA_DIR: join(this.#folder, 'data') }))
    return systems
  }

  async stop(): Promise<void> {
    await Promise.all(this.#servers.splice(0).map((server) => server.stop()))
    await rm(this.#folder, { recursive: true, force: true })
  }

  async #startOne(script: string, env: Record<string, string | undefined>): Promise<string> {
    const server = await startServer(script, env, this.#options.profiles)
    this.#servers.push(server)
    return server.url
  }
}
