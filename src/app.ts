import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createTrellis } from './a2a/core/core.ts'
import type { CoreDeps } from './a2a/core/deps.ts'
import type { Config } from './base/config.ts'
import { type Database, openDatabase } from './db/client.ts'
import { Listener } from './db/listen.ts'
import { Changes } from './domain/change.ts'
import { createEventReader } from './domain/queries/events.ts'
import { createLookup } from './domain/queries/lookup.ts'
import { createStateReader } from './domain/queries/state.ts'
import { createTaskReader } from './domain/queries/tasks.ts'
import { createWorkReader } from './domain/queries/work.ts'
import { announce } from './events/committed.ts'
import { Hub } from './events/hub.ts'
import { Notifier } from './events/notifier.ts'
import { AgentRegistry } from './executors/registry.ts'
import { SimpleRequestContextBuilder } from './executors/request-context.ts'
import { buildHttp } from './http/app.ts'
import { loadPlaybooks } from './planner/load-playbooks.ts'
import { createStandardPlanner } from './planner/standard-planner.ts'
import { AttemptRunner } from './scheduler/attempt-runner.ts'
import { Heartbeat } from './scheduler/heartbeat.ts'
import { Runner } from './scheduler/runner.ts'
import { Slots } from './scheduler/slots.ts'
import { VERSION } from './version.ts'

export interface AppOptions {
  config: Config
  log: Logger
  /** Opened already, by a test; else what config names is opened. */
  database?: Database
  /** Called at named points of the write path and of attempts; tests kill the process there. */
  fault?: (point: string) => Promise<void> | void
}

/** A server that does not listen yet. */
export interface App {
  http: FastifyInstance
  database: Database
  trellis: CoreDeps
  /** Where the server is reached, once it listens. */
  setPublicUrl(url: string): void
  /** Stops taking requests, gives back what runs, and closes the database. */
  close(): Promise<void>
}

const MIGRATIONS = new URL('../prisma/migrations', import.meta.url).pathname

/** Wires everything, and starts what runs in the background. The only place that knows all rooms. */
export async function buildApp({ config, log, database: given, fault }: AppOptions): Promise<App> {
  const { data, limits, runner: running } = config
  const database =
    given ??
    (await openDatabase({
      ...(data.databaseUrl !== undefined && { databaseUrl: data.databaseUrl }),
      dir: data.dir,
      poolSize: data.poolSize,
      migrations: MIGRATIONS,
    }))
  const sql = database.prisma
  const warn = (error: unknown) => log.warn({ err: error }, 'in the background')
  const hub = new Hub()
  const notifier = database.embedded ? null : new Notifier(sql, warn)
  const agents = new AgentRegistry({
    agents: config.agents,
    defaultAgent: config.defaultAgent,
    onProblem: (agent, error) => log.warn({ agent, err: error }, 'agent card could not be read; trying again'),
  })
  await agents.loadModules()
  const changes = new Changes({
    database,
    maxMembers: config.groupCommit.maxMembers,
    lanes: database.embedded ? 1 : config.groupCommit.lanes,
    enqueue: () => Promise.resolve(),
    committed: (changed) => announce(listeners, changed),
    ...(fault && { fault }),
  })
  const attempts = new AttemptRunner({
    changes,
    agents,
    readWork: createWorkReader(sql),
    builder: new SimpleRequestContextBuilder(),
    log,
    ...(fault && { fault }),
  })
  const slots = new Slots(sql, agents, log)
  const runner = new Runner({
    sql,
    changes,
    agents,
    attempts,
    slots,
    log,
    capacity: running.capacity,
    maxRunning: limits.concurrentTasksPerObjective,
    pollSeconds: running.pollSeconds,
  })
  const listeners = { hub, notifier, runner, attempts, onError: warn }
  changes.claimer = runner
  const heartbeat = new Heartbeat({
    sql,
    changes,
    attempts,
    slots,
    log,
    ...running,
    only: database.embedded !== undefined,
  })
  const deps: CoreDeps = {
    database,
    sql,
    changes,
    hub,
    readTask: createTaskReader(sql),
    readState: createStateReader(sql),
    readEvents: createEventReader(sql),
    lookup: createLookup(sql),
    attempts,
    agents,
    planner: createStandardPlanner(await loadPlaybooks(config.planner.playbooks), limits),
    server: { name: config.card.name, description: config.card.description, skills: [] },
    defaults: config.defaults,
    limits,
    idempotency: config.idempotency === 'on',
  }
  let publicUrl = config.server.publicUrl ?? ''
  const http = buildHttp({
    trellis: createTrellis(deps),
    card: {
      ...config.card,
      version: VERSION,
      publicUrl: () => publicUrl,
      skills: skillsOf(agents),
      optLimits: {
        maxPlansPerObjective: limits.maxPlansPerObjective,
        maxTasksPerPlan: limits.maxTasksPerPlan,
        maxDepth: limits.maxDepth,
      },
    },
    ready: () => checkDatabase(database),
    limits: {
      bodyBytes: limits.bodyBytes,
      bufferBytes: limits.streamBufferBytes,
      heartbeatSeconds: limits.heartbeatSeconds,
    },
    logger: log,
  })
  const listener = database.embedded ? null : listen(config, { hub, runner, attempts, warn })
  await listener?.open()
  await slots.provide()
  await heartbeat.start()
  agents.start()
  runner.start()
  return {
    http,
    database,
    trellis: deps,
    setPublicUrl: (url) => {
      if (config.server.publicUrl === undefined) publicUrl = url
    },
    close: async () => {
      await http.close()
      await runner.stop()
      await changes.drained()
      await heartbeat.stop()
      await agents.close()
      await listener?.close()
      await notifier?.stop()
      await database.close()
    },
  }
}

/** What other processes announce. */
function listen(
  config: Config,
  to: { hub: Hub; runner: Runner; attempts: AttemptRunner; warn: (error: unknown) => void },
): Listener {
  return new Listener({
    connectionString: config.data.databaseUrl as string,
    channels: ['trellis_event', 'trellis_abort', 'trellis_ready'],
    notified: (channel, payload) => {
      if (channel === 'trellis_event') for (const key of payload.split(',')) to.hub.wake(key)
      else if (channel === 'trellis_ready') to.runner.wake()
      else for (const taskId of payload.split(',')) to.attempts.active.cancel(taskId).catch(to.warn)
    },
    reconnected: () => {
      to.hub.wakeAll()
      to.runner.wake()
    },
    onError: to.warn,
  })
}

async function checkDatabase(database: Database): Promise<{ ready: true } | { ready: false; why: string }> {
  try {
    await database.prisma.$queryRawUnsafe('SELECT 1')
    return { ready: true }
  } catch {
    return { ready: false, why: 'the database cannot be reached' }
  }
}

function skillsOf(agents: AgentRegistry) {
  return agents.agents().flatMap((agent) =>
    (agent.skills ?? []).map((skill) => ({
      id: skill.id,
      name: skill.name,
      description: skill.description ?? '',
      tags: [...(skill.tags ?? [])],
      examples: [...(skill.examples ?? [])],
    })),
  )
}
