import type { Logger } from 'pino'
import type { Sql } from '../db/client.ts'
import type { Changes } from '../domain/change.ts'
import { takeOver } from '../domain/commands/run.ts'
import { beat, findHeld, findLost, forgetLostRunners, forgetRunners, type Held } from '../domain/queries/queue.ts'
import type { AttemptRunner } from './attempt-runner.ts'
import type { Slots } from './slots.ts'

export interface HeartbeatOptions {
  sql: Sql
  changes: Changes
  attempts: AttemptRunner
  slots: Slots
  log: Logger
  beatSeconds: number
  lostSeconds: number
  sweepSeconds: number
  /** No other process can have this database open: runners of before are gone. */
  only: boolean
}

const TAKEOVERS_AT_ONCE = 500

/** Says that this process is alive, and takes over from processes that are not. (design §6, Takeover) */
export class Heartbeat {
  private readonly options: HeartbeatOptions
  private readonly timers: NodeJS.Timeout[] = []
  private lastBeat = Date.now()
  /** What this process held at the last beat and did not run. */
  private idle = new Set<string>()

  constructor(options: HeartbeatOptions) {
    this.options = options
  }

  async start(): Promise<void> {
    const { sql, attempts, only, beatSeconds, sweepSeconds } = this.options
    await beat(sql, attempts.runnerId)
    if (only) await forgetRunners(sql, { otherThan: attempts.runnerId })
    await this.sweep()
    this.every(beatSeconds, () => this.beat())
    this.every(sweepSeconds, () => this.sweep())
  }

  async stop(): Promise<void> {
    for (const timer of this.timers.splice(0)) clearInterval(timer)
    await forgetRunners(this.options.sql, { leaving: this.options.attempts.runnerId }).catch(() => undefined)
  }

  private every(seconds: number, act: () => Promise<void>): void {
    let running = false
    const tick = async () => {
      if (running) return
      running = true
      await act().catch((error) => this.options.log.warn({ err: error }, 'heartbeat failed'))
      running = false
    }
    this.timers.push(setInterval(() => void tick(), seconds * 1_000))
  }

  private async beat(): Promise<void> {
    const { sql, attempts, lostSeconds } = this.options
    try {
      await beat(sql, attempts.runnerId)
      this.lastBeat = Date.now()
    } catch (error) {
      // Unseen for so long, others have taken over: going on would do the work twice.
      if (Date.now() - this.lastBeat > lostSeconds * 1_000) this.abortAll()
      throw error
    }
    await this.checkHeld()
  }

  /**
   * Stops what runs here and is not this process's any more: canceled, or taken over. And lets go of what is its own and
   * does not run here: the answer to the commit of a claim was lost, or the database was away for so long that all was aborted.
   */
  private async checkHeld(): Promise<void> {
    const { attempts, sql } = this.options
    const running = attempts.active.list().filter((task) => Date.now() - task.startedAt.getTime() > 1_000)
    const held = await findHeld(sql, attempts.runnerId)
    const leases = new Map(held.map((one) => [one.taskId, one.lease]))
    for (const task of running) if (leases.get(task.taskId) !== task.lease) task.abort('leaseLost')
    // Twice in a row, because a claim is committed a moment before its attempt begins.
    const idle = held.filter(({ taskId }) => attempts.active.get(taskId) === undefined)
    const forgotten = idle.filter((one) => this.idle.has(leaseOf(one)))
    this.idle = new Set(idle.map(leaseOf))
    await this.takeOverAll(forgotten, 'going on with attempts that this process had lost sight of')
  }

  private abortAll(): void {
    for (const task of this.options.attempts.active.list()) task.abort('leaseLost')
  }

  private async sweep(): Promise<void> {
    const { sql, lostSeconds, slots } = this.options
    for (;;) {
      const lost = await findLost(sql, lostSeconds, TAKEOVERS_AT_ONCE)
      const taken = await this.takeOverAll(lost, 'taking over attempts of a lost process')
      // Those that could not be taken over would be found again: they are tried at the next sweep.
      if (lost.length < TAKEOVERS_AT_ONCE || taken < lost.length) break
    }
    await forgetLostRunners(sql, lostSeconds)
    await slots.sweep()
  }

  /**
   * Each by itself: one context that cannot be written keeps no other from being taken over. Resolves with how many were.
   */
  private async takeOverAll(all: readonly Held[], why: string): Promise<number> {
    if (all.length === 0) return 0
    const { log } = this.options
    log.warn({ count: all.length }, why)
    const tried = await Promise.allSettled(all.map((held) => this.takeOver(held)))
    for (const [i, { status, ...end }] of tried.entries()) {
      if ('reason' in end) log.warn({ err: end.reason, taskId: all[i]?.taskId }, 'not taken over yet')
    }
    return tried.filter(({ status }) => status === 'fulfilled').length
  }

  private async takeOver({ contextKey, ...ref }: Held): Promise<void> {
    await this.options.changes.apply({
      target: { kind: 'known', key: contextKey },
      needs: [
        { kind: 'lineage', id: ref.taskId },
        { kind: 'dependents', id: ref.taskId },
      ],
      decide: (w) => {
        takeOver(w, ref)
        return () => undefined
      },
    })
  }
}

function leaseOf({ taskId, lease }: Held): string {
  return `${taskId} ${lease}`
}
