import type { AddressInfo } from 'node:net'
import pg from 'pg'
import { type App, buildApp } from '../../src/app.ts'
import { loadConfig } from '../../src/base/config.ts'
import { createLogger } from '../../src/base/log.ts'
import { type ScriptedAgent, scripted } from './scripted-agent.ts'
import { createDatabase, type TestDatabase } from './test-database.ts'

export interface ServerOptions {
  /** As it would stand in config/trellis.yaml, over the tests' own settings. */
  config?: Record<string, unknown>
  /** Names of scripted agents; the first takes what fits none. */
  agents?: readonly string[]
  /** More members of each scripted agent. */
  agentConfig?: Record<string, unknown>
  /** Shared with another server; this one's own when absent. */
  database?: TestDatabase
  fault?: (point: string) => Promise<void> | void
  /** What names of webhooks resolve to. */
  resolve?: (hostname: string) => Promise<readonly string[]>
}

export interface ServerUnderTest {
  baseUrl: string
  /** Where gRPC is reached, if config has it on. */
  grpc?: string
  app: App
  database: TestDatabase
  /** The first scripted agent. */
  agent: ScriptedAgent
  close(): Promise<void>
  /** Reads what is stored, on Postgres by a connection of its own. */
  query<T>(sql: string, ...params: unknown[]): Promise<T[]>
}

const MODULE = new URL('./scripted-agent.ts', import.meta.url).pathname
let started = 0

/** The real server in this process, on a free port of loopback and a database of its own, until the test ends. */
export async function startServer(
  t: { teardown(end: () => unknown): void },
  options: ServerOptions = {},
): Promise<ServerUnderTest> {
  started += 1
  const names = options.agents ?? [`agent-${started}`]
  const database = options.database ?? (await createDatabase())
  const log = createLogger(process.env['LOG_LEVEL'] ?? 'silent')
  let app: App | undefined
  let closing: Promise<void> | undefined
  // There is none where the settings are refused.
  const close = () => {
    closing ??= app?.close() ?? Promise.resolve()
    return closing
  }
  t.teardown(async () => {
    await close()
    if (options.database === undefined) await database.drop()
  })
  app = await buildApp({
    config: configOf(options, names, database),
    log,
    ...(database.embedded && { database: database.embedded }),
    ...(options.fault && { fault: options.fault }),
    ...(options.resolve && { resolve: options.resolve }),
  })
  await app.http.listen({ host: '127.0.0.1', port: 0 })
  const baseUrl = `http://127.0.0.1:${(app.http.server.address() as AddressInfo).port}`
  app.setPublicUrl(baseUrl)
  const grpc = await app.grpc?.listen()
  const running = app
  const query = <T>(sql: string, ...params: unknown[]) => queryOf<T>(running, database, sql, params)
  return { baseUrl, ...(grpc !== undefined && { grpc }), app, database, agent: scripted(names[0] ?? ''), close, query }
}

function configOf(options: ServerOptions, names: readonly string[], database: TestDatabase) {
  const given = options.config ?? {}
  const agents = names.map((name) => ({ kind: 'module', name, path: MODULE, ...options.agentConfig }))
  const config = {
    agents,
    defaults: { retry: { backoffSeconds: 0.02 } },
    limits: { firstEventSeconds: 0.25 },
    ...given,
    ...(database.url !== undefined && { data: { databaseUrl: database.url, ...(given['data'] as object) } }),
  }
  // JSON is YAML.
  return loadConfig({ TRELLIS_CONFIG: 'test.yaml' }, () => JSON.stringify(config))
}

async function queryOf<T>(app: App, { url }: TestDatabase, sql: string, params: unknown[]): Promise<T[]> {
  if (url === undefined) return app.database.prisma.$queryRawUnsafe<T[]>(sql, ...params)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return (await client.query(sql, params)).rows as T[]
  } finally {
    await client.end()
  }
}
