import type { FastifyInstance } from 'fastify'
import type { CoreDeps } from './a2a/core/deps.ts'
import { type Addresses, buildCards } from './app-card.ts'
import { buildGrpc, type Grpc } from './app-grpc.ts'
import { httpOptions, offeredTrellis } from './app-http.ts'
import { buildMetrics } from './app-metrics.ts'
import {
  type AppOptions,
  type Base,
  buildBase,
  buildCore,
  buildQueue,
  buildRunning,
  type Running,
} from './app-parts.ts'
import { buildWebhooks, type Webhooks } from './app-push.ts'
import type { Config } from './base/config.ts'
import { type Database, openDatabase } from './db/client.ts'
import type { Queue } from './db/queue.ts'
import type { WebhookDeliverer } from './events/webhooks.ts'
import { buildHttp } from './http/app.ts'
import { MIGRATIONS } from './migrations.ts'

/** A server that does not listen yet. */
export interface App {
  http: FastifyInstance
  /** Where gRPC is on. It listens after HTTP does, whose address the card's goes by. */
  grpc?: Grpc
  core: CoreDeps
  database: Database
  /** Null: push notifications are switched off. */
  webhooks: WebhookDeliverer | null
  /** Where the server is reached, once it listens; config's own URL goes before it. */
  setPublicUrl(url: string): void
  /** Stops taking requests, gives back what runs, and closes the database. */
  close(): Promise<void>
}

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
  const core = await buildCore(base, running, options)
  const queue = buildQueue(base, core, options)
  const webhooks = await buildWebhooks(base, core, options)
  const { hub, notifier, onError } = base
  base.listeners = {
    hub,
    notifier,
    runner: running.runner,
    attempts: running.attempts,
    planning: core.planning,
    webhooks: webhooks?.deliverer ?? null,
    onError,
  }
  base.enqueue = (sql, jobs) => queue.enqueue(sql, jobs)
  const addresses: Addresses = { publicUrl: config.server.publicUrl ?? '' }
  const cards = await buildCards(base.agents, config, addresses)
  const trellis = offeredTrellis(core, cards.cards, config)
  const served = httpOptions(core, trellis, cards, config, log, webhooks?.signer)
  const http = buildHttp({ ...served, metrics: buildMetrics(running, webhooks?.deliverer ?? null) })
  const grpc = await buildGrpc(served, config, addresses)
  await start(base, running, queue)
  await webhooks?.deliverer.start()
  return {
    http,
    ...(grpc && { grpc }),
    core,
    database,
    webhooks: webhooks?.deliverer ?? null,
    setPublicUrl: (found) => {
      addresses.publicUrl = config.server.publicUrl ?? found
    },
    close: async () => {
      await grpc?.close()
      await close(http, base, running, queue, webhooks)
    },
  }
}

async function start(
  { agents }: Base,
  { listener, slots, heartbeat, runner, upkeep }: Running,
  queue: Queue,
): Promise<void> {
  await listener?.open()
  await queue.start()
  await slots.provide()
  await heartbeat.start()
  agents.start()
  upkeep?.start()
  runner.start()
}

/** In the order in which one stops needing the other. */
async function close(
  http: FastifyInstance,
  base: Base,
  { listener, heartbeat, runner, upkeep }: Running,
  queue: Queue,
  webhooks: Webhooks | null,
): Promise<void> {
  await http.close()
  await runner.stop()
  await queue.stop()
  await webhooks?.deliverer.stop()
  await base.changes.drained()
  await heartbeat.stop()
  await base.agents.close()
  await upkeep?.stop()
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
