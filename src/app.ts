import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import type { Logger } from 'pino'
import { createTrellis } from './a2a/core/core.ts'
import type { CoreDeps } from './a2a/core/deps.ts'
import type { Config } from './base/config.ts'
import { type Database, openDatabase } from './db/client.ts'
import { Listener } from './db/listen.ts'
import { Queue } from './db/queue.ts'
import { Changes } from './domain/change.ts'
import { createEventReader } from './domain/queries/events.ts'
import { rememberFinished } from './domain/queries/finished-tasks.ts'
import { createLookup } from './domain/queries/lookup.ts'
import { createStateReader } from './domain/queries/state.ts'
import { createTaskReader } from './domain/queries/tasks.ts'
import { createWorkReader } from './domain/queries/work.ts'
import { announce, type Listeners } from './events/committed.ts'
import { Hub } from './events/hub.ts'
import { Notifier } from './events/notifier.ts'
import { AgentRegistry } from './executors/registry.ts'
import { SimpleRequestContextBuilder } from './executors/request-context.ts'
import { buildHttp } from './http/app.ts'
import { loadPlanners } from './planner/load-planners.ts'
import { loadPlaybooks } from './planner/load-playbooks.ts'
import { createStandardPlanner } from './planner/standard-planner.ts'
import { AttemptRunner } from './scheduler/attempt-runner.ts'
import { Heartbeat } from './scheduler/heartbeat.ts'
import { planJob } from './scheduler/plan-job.ts'
import { Planning } from './scheduler/planning.ts'
import { remoteCancelJob } from './scheduler/remote-cancel.ts'
import { Runner } from './scheduler/runner.ts'
import { Slots } from './scheduler/slots.ts'
import { VERSION } from './version.ts'

export type Fault = (point: string) => Promise<void> | void

export interface AppOptions {
  config: Config
  log: Logger
  /** Opened already, by a test; else what config names is opened. */
  database?: Database
  /** Called at named points of the write path and of attempts; tests kill the process there. */
  fault?: Fault
}

/** A server that does not listen yet. */
export interface App {
  http: FastifyInstance
  core: CoreDeps
  database: Database
  /** Where the server is reached, once it listens; config's own URL goes before it. */
  setPublicUrl(url: string): void
  /** Stops taking requests, gives back what runs, and closes the database. */
  close(): Promise<void>
}

const MIGRATIONS = fileURLToPath(new URL('../prisma/migrations', import.meta.url))

/** Wires everything, and starts what runs in the background. The only place that knows all rooms. */
export async function buildApp(options: AppOptions): Promise<App> {
  const { config } = options
  const database = options.database ?? (await openDatabase(databaseOptions(config)))
  try {
    return await buildOn(database, options)
  } catch (error) {
    await database.close()
    throw error
  }
}

async function buildOn(database: Database, options: AppOptions): Promise<App> {
  const { config, log } = options
  const base = await buildBase(database, options)
  const running = buildRunning(base, options)
  const core = await buildCore(base, running, config)
  const queue = buildQueue(base, core, options)
  const { hub, notifier, onError } = base
  base.listeners = {
    hub,
    notifier,
    runner: running.runner,
    attempts: running.attempts,
    planning: core.planning,
    onError,
  }
  base.enqueue = (sql, jobs) => queue.enqueue(sql, jobs)
  const url = { current: config.server.publicUrl ?? '' }
  const http = buildHttp(httpOptions(core, base.agents, config, log, () => url.current))
  await start(base, running, queue)
  return {
    http,
    core,
    database,
    setPublicUrl: (found) => {
      url.current = config.server.publicUrl ?? found
    },
    close: () => close(http, base, running, queue),
  }
}

/** What everything else stands on: the write path, the agents, and who hears of commits. */
async function buildBase(database: Database, { config, log, fault }: AppOptions) {
  const onError = (error: unknown) => log.warn({ err: error }, 'in the background')
  const agents = new AgentRegistry({
    agents: config.agents,
    defaultAgent: config.defaultAgent,
    fault,
    onProblem: (agent, error) => log.warn({ agent, err: error }, 'agent card could not be read; trying again'),
  })
  await agents.loadModules()
  const base = {
    database,
    agents,
    onError,
    sql: database.prisma,
    hub: new Hub(),
    notifier: database.embedded ? null : new Notifier(database.prisma, onError),
    readWork: createWorkReader(database.prisma),
    readEvents: createEventReader(database.prisma),
    builder: new SimpleRequestContextBuilder(),
    enqueue: (async () => undefined) as Queue['enqueue'],
    listeners: undefined as Listeners | undefined,
  }
  const changes = new Changes({
    database,
    maxMembers: config.groupCommit.maxMembers,
    // The embedded database has one connection.
    lanes: database.embedded ? 1 : config.groupCommit.lanes,
    enqueue: (sql, jobs) => base.enqueue(sql, jobs),
    committed: (changed) => base.listeners && announce(base.listeners, changed),
    ...(fault && { fault }),
  })
  return Object.assign(base, { changes })
}
type Base = Awaited<ReturnType<typeof buildBase>>

/** What claims tasks and runs them. */
function buildRunning(base: Base, { config, log, fault }: AppOptions) {
  const { sql, changes, agents, readWork, readEvents, hub, builder } = base
  const attempts = new AttemptRunner({
    ...{ changes, agents, readWork, readEvents, hub, builder, log },
    ...(fault && { fault }),
  })
  const slots = new Slots(sql, agents, log)
  const runner = new Runner({
    ...{ sql, changes, agents, attempts, slots, log },
    capacity: config.runner.capacity,
    maxRunning: config.limits.concurrentTasksPerObjective,
    pollSeconds: config.runner.pollSeconds,
  })
  changes.claimer = runner
  const only = base.database.embedded !== undefined
  const heartbeat = new Heartbeat({ ...{ sql, changes, attempts, slots, log }, ...config.runner, only })
  const onDeclined = ({ planner, error }: { planner: string; error: unknown }) =>
    log.warn({ planner, err: error }, 'a planner was passed over')
  return {
    attempts,
    slots,
    runner,
    heartbeat,
    onDeclined,
    listener: only ? null : listen(config, base, runner, attempts),
  }
}
type Running = ReturnType<typeof buildRunning>

async function buildCore(base: Base, { attempts, onDeclined }: Running, config: Config): Promise<CoreDeps> {
  const { database, sql, changes, hub, agents, readEvents } = base
  const playbooks = await loadPlaybooks(config.planner.playbooks)
  const readTask = createTaskReader(sql)
  const planner = createStandardPlanner(playbooks, config.limits, await loadPlanners(config.planner.modules))
  return {
    ...{ database, sql, changes, hub, agents, attempts, readEvents },
    readTask,
    recallTask: rememberFinished(readTask),
    readState: createStateReader(sql),
    lookup: createLookup(sql),
    planning: new Planning(planner, config.planner.inlineSeconds, onDeclined),
    server: { name: config.card.name, description: config.card.description, skills: skillsOf(agents) },
    defaults: config.defaults,
    limits: config.limits,
    idempotency: config.idempotency === 'on',
  }
}

function buildQueue(base: Base, core: CoreDeps, { config, log, fault }: AppOptions): Queue {
  const { database, sql, changes, agents, readWork, builder, onError } = base
  const { planning, server, defaults } = core
  return new Queue({
    database,
    databaseUrl: config.data.databaseUrl,
    handlers: {
      plan: planJob({ ...{ sql, changes, planning, server, defaults, log }, ...(fault && { fault }) }),
      'remote-cancel': remoteCancelJob({ changes, agents, readWork, builder }),
    },
    onError,
  })
}

async function start({ agents }: Base, { listener, slots, heartbeat, runner }: Running, queue: Queue): Promise<void> {
  await listener?.open()
  await queue.start()
  await slots.provide()
  await heartbeat.start()
  agents.start()
  runner.start()
}

/** In the order in which one stops needing the other. */
async function close(
  http: FastifyInstance,
  base: Base,
  { listener, heartbeat, runner }: Running,
  queue: Queue,
): Promise<void> {
  await http.close()
  await runner.stop()
  await queue.stop()
  await base.changes.drained()
  await heartbeat.stop()
  await base.agents.close()
  await listener?.close()
  await base.notifier?.stop()
  await base.database.close()
}

function databaseOptions({ data, runner }: Config) {
  return {
    ...(data.databaseUrl !== undefined && { databaseUrl: data.databaseUrl }),
    dir: data.dir,
    poolSize: data.poolSize,
    lostSeconds: runner.lostSeconds,
    migrations: MIGRATIONS,
  }
}

function httpOptions(
  core: CoreDeps,
  agents: AgentRegistry,
  { card, limits }: Config,
  logger: Logger,
  publicUrl: () => string,
) {
  const { maxPlansPerObjective, maxTasksPerPlan, maxDepth } = limits
  return {
    trellis: createTrellis(core),
    card: {
      ...card,
      version: VERSION,
      publicUrl,
      skills: skillsOf(agents),
      optLimits: { maxPlansPerObjective, maxTasksPerPlan, maxDepth },
    },
    ready: () => checkDatabase(core.database),
    limits: {
      bodyBytes: limits.bodyBytes,
      bufferBytes: limits.streamBufferBytes,
      heartbeatSeconds: limits.heartbeatSeconds,
    },
    logger,
  }
}

/** What other processes announce. */
function listen(config: Config, base: Base, runner: Runner, { active }: AttemptRunner): Listener {
  const { hub, notifier, onError } = base
  const actions: Record<string, (name: string) => void> = {
    trellis_event: (key) => hub.wake(key),
    trellis_abort: (taskId) => void active.cancel(taskId).catch(onError),
    trellis_ready: () => runner.wake(),
  }
  return new Listener({
    connectionString: config.data.databaseUrl as string,
    channels: Object.keys(actions),
    notified: (channel, payload) => {
      for (const name of notifier?.namesIn(payload) ?? []) actions[channel]?.(name)
    },
    reconnected: () => {
      hub.wakeAll()
      runner.wake()
    },
    onError,
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
    (agent.skills ?? []).map(({ id, name, description = '', tags = [], examples = [] }) => ({
      ...{ id, name, description },
      tags: [...tags],
      examples: [...examples],
    })),
  )
}
