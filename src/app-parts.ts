import type { Logger } from 'pino'
import type { CoreDeps } from './a2a/core/deps.ts'
import { skillsOf } from './app-card.ts'
import type { Config } from './base/config.ts'
import type { Database } from './db/client.ts'
import { Listener } from './db/listen.ts'
import { Queue } from './db/queue.ts'
import { Upkeep } from './db/upkeep.ts'
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
import { type Resolve, UrlGuard } from './events/webhook-guard.ts'
import { AgentRegistry } from './executors/registry.ts'
import { SimpleRequestContextBuilder } from './executors/request-context.ts'
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

export type Fault = (point: string) => Promise<void> | void

export interface AppOptions {
  config: Config
  log: Logger
  /** Opened already, by a test; else what config names is opened. */
  database?: Database
  /** Called at named points of the write path and of attempts; tests kill the process there. */
  fault?: Fault
  /** How names of webhooks become addresses; absent: as the system says. */
  resolve?: Resolve
}

/** What everything else stands on: the write path, the agents, and who hears of commits. */
export async function buildBase(database: Database, { config, log, fault }: AppOptions) {
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
export type Base = Awaited<ReturnType<typeof buildBase>>

/** What claims tasks and runs them. */
export function buildRunning(base: Base, { config, log, fault }: AppOptions) {
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
  const { embedded } = base.database
  const only = embedded !== undefined
  const heartbeat = new Heartbeat({ ...{ sql, changes, attempts, slots, log }, ...config.runner, only })
  const onDeclined = ({ planner, error }: { planner: string; error: unknown }) =>
    log.warn({ planner, err: error }, 'a planner was passed over')
  return {
    attempts,
    slots,
    runner,
    heartbeat,
    onDeclined,
    upkeep: embedded ? new Upkeep(embedded, base.onError) : null,
    listener: only ? null : listen(config, base, runner, attempts),
  }
}
export type Running = ReturnType<typeof buildRunning>

/** What the operations of every binding stand on. */
export async function buildCore(
  base: Base,
  { attempts, onDeclined }: Running,
  { config, resolve }: AppOptions,
): Promise<CoreDeps> {
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
    server: {
      name: config.card.name,
      description: config.card.description,
      // Those of remote agents are known only later.
      get skills() {
        return skillsOf(agents)
      },
    },
    defaults: config.defaults,
    limits: config.limits,
    idempotency: config.idempotency === 'on',
    push: config.push.enabled
      ? { guard: new UrlGuard(config.push, resolve), maxConfigsPerTask: config.push.maxConfigsPerTask }
      : null,
  }
}

/** The jobs around tasks. */
export function buildQueue(base: Base, core: CoreDeps, { config, log, fault }: AppOptions): Queue {
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
