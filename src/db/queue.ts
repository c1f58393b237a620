import { fromPglite, fromPrisma, PgBoss } from 'pg-boss'
import type { Database, Sql } from './client.ts'
import type { PrismaClient } from './generated/client.ts'

/** A job to run after the transaction that enqueues it. */
export interface QueuedJob {
  queue: string
  payload: Record<string, unknown>
}

/** Does one job; throwing puts it back, to be tried again later. */
export type JobHandler = (payload: Record<string, unknown>, signal: AbortSignal) => Promise<void>

export interface QueueOptions {
  database: Database
  databaseUrl: string | undefined
  /** A handler for each queue there is. */
  handlers: Readonly<Record<string, JobHandler>>
  onError: (error: unknown) => void
}

/** Tried again with growing pauses for about a day. */
const RETRIES = { retryLimit: 40, retryDelay: 2, retryBackoff: true, retryDelayMax: 3_600 }
/** A job whose process died is due again after so long. */
const HEARTBEAT_SECONDS = 10
/**
 * What a process that died had begun is due at once: where no other process can have the database open, it need not be
 * waited for that a heartbeat is missed. As the queue itself does it then.
 */
const BEGIN_AGAIN = `UPDATE pgboss.job SET state = 'retry', start_after = now() WHERE name = ANY($1::text[]) AND state = 'active'`
/** Workers of one queue in one process; a NOTIFY wakes them at a commit. Retries send none: the poll finds them. */
const AT_ONCE = 3
const POLL = { pollingIntervalSeconds: 2, notifyPollingIntervalSeconds: 2 }

/** The jobs around tasks: what must happen, but not at once, even if this process dies. Tasks themselves are not jobs. */
export class Queue {
  private readonly boss: PgBoss
  private readonly handlers: QueueOptions['handlers']
  /** The embedded database, which is this process's alone. */
  private readonly only: PrismaClient | null

  constructor({ database, databaseUrl, handlers, onError }: QueueOptions) {
    const timing = { superviseIntervalSeconds: 10, monitorIntervalSeconds: 10, schedule: false, useListenNotify: true }
    this.boss = database.embedded
      ? new PgBoss({ ...timing, db: fromPglite(database.embedded), backend: 'pglite' })
      : new PgBoss({ ...timing, connectionString: databaseUrl as string, max: 3 })
    this.boss.on('error', onError)
    this.handlers = handlers
    this.only = database.embedded ? database.prisma : null
  }

  /** Opens the queue. Queues are created here, outside any transaction: on the embedded database it would hang inside one. */
  async start(): Promise<void> {
    await this.boss.start()
    for (const name of Object.keys(this.handlers)) {
      await this.boss.createQueue(name)
      await this.boss.updateQueue(name, { ...RETRIES, heartbeatSeconds: HEARTBEAT_SECONDS, notify: true })
      await this.boss.getQueue(name)
    }
    await this.only?.$executeRawUnsafe(BEGIN_AGAIN, Object.keys(this.handlers))
    for (const [name, handler] of Object.entries(this.handlers)) await this.work(name, handler)
  }

  /** Enqueues jobs as part of a transaction. */
  async enqueue(sql: Sql, jobs: readonly QueuedJob[]): Promise<void> {
    const byQueue = Map.groupBy(jobs, (job) => job.queue)
    for (const [name, group] of byQueue) {
      await this.boss.insert(
        name,
        group.map(({ payload }) => ({ data: payload })),
        { db: fromPrisma(sql) },
      )
    }
  }

  /** Ends the workers: what they have begun is finished, or due again elsewhere. */
  async stop(): Promise<void> {
    await this.boss.stop({ graceful: true, timeout: 5_000, close: true })
  }

  private async work(name: string, handler: JobHandler): Promise<void> {
    await this.boss.work<Record<string, unknown>>(
      name,
      { ...POLL, batchSize: 1, localConcurrency: AT_ONCE },
      async ([job]) => {
        if (job !== undefined) await handler(job.data, job.signal)
      },
    )
  }
}
