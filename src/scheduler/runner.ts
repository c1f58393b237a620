import type { Logger } from 'pino'
import type { Sql } from '../db/client.ts'
import type { Changes } from '../domain/change.ts'
import { type Assignment, isClaimable } from '../domain/commands/run.ts'
import type { Claim, Claimer } from '../domain/decide.ts'
import type { Changed } from '../domain/group.ts'
import { newWork } from '../domain/new-work.ts'
import { type Candidate, findClaimable, findUnclaimed } from '../domain/queries/queue.ts'
import type { Work } from '../domain/queries/work.ts'
import type { AttemptRow, TaskRow } from '../domain/rows.ts'
import { taskText } from '../executors/compose-message.ts'
import type { AgentRegistry } from '../executors/registry.ts'
import type { AttemptRunner } from './attempt-runner.ts'
import type { Slots } from './slots.ts'

export interface RunnerOptions {
  sql: Sql
  changes: Changes
  agents: AgentRegistry
  attempts: AttemptRunner
  slots: Slots
  log: Logger
  /** Attempts that run in this process at once. */
  capacity: number
  /** Tasks of one objective that work at once. */
  maxRunning: number
  pollSeconds: number
}

/** Agent of an attempt that nobody can run. */
export const NO_AGENT = 'none'

/**
 * Claims ready tasks for this process and runs them. Tasks that this process's own changes make ready are claimed in the
 * same transaction; the others by a loop that is woken, sleeps until the next one is due, and polls slowly behind that.
 * (design §6)
 */
export class Runner implements Claimer {
  readonly id: string
  readonly maxRunning: number
  private readonly options: RunnerOptions
  private readonly slots: Slots
  private used = 0
  private started = false
  private stopped = false
  private wanted = false
  /** Whether tasks are ready that could not be claimed: whenever a task ends it may be their turn. */
  private behind = true
  private wakeUp: (() => void) | null = null
  private lookedAtAll = 0
  private loop: Promise<void> | null = null

  constructor(options: RunnerOptions) {
    this.options = options
    this.id = options.attempts.runnerId
    this.slots = options.slots
    this.maxRunning = options.maxRunning
  }

  start(): void {
    this.started = true
    this.loop ??= this.run()
  }

  /** Claims nothing more, and gives back what runs. */
  async stop(): Promise<void> {
    this.stopped = true
    this.wake()
    await this.loop
    await this.options.attempts.stop()
  }

  wake(): void {
    this.wanted = true
    this.wakeUp?.()
  }

  /** None before the start: what is claimed then belongs to a runner that nobody has seen yet, and would be taken over. */
  private get room(): number {
    return !this.started || this.stopped ? 0 : this.options.capacity - this.used
  }

  reserve(task: TaskRow, open: AttemptRow | undefined): Assignment | null {
    if (this.room <= 0) return null
    const assignment = this.assign(task, open)
    if (assignment === null || (open === undefined && this.slots.wants(task.id, assignment.agent))) {
      this.slots.block(task.id, assignment?.agent ?? null)
      return null
    }
    this.used += 1
    return assignment
  }

  release(count: number): void {
    this.used -= count
    if (count > 0) this.wake()
  }

  /** Starts what a committed change claimed, and looks for more if it left some. */
  committed({ copy, claims }: Changed): void {
    for (const claim of claims) this.launch(claim, newWork(copy, claim))
    if (copy.ready.size > 0) this.behind = true
    // Left to claim, or parked, or to be tried again: then the loop has to learn when it is due.
    if (copy.ready.size > 0 || copy.tasks.changed.some((task) => task.claimableAt !== null)) this.wake()
  }

  /** Who runs a task: whoever its open attempt is with, else whom routing says. Null: not known yet. */
  private assign(task: TaskRow, open: AttemptRow | undefined): Assignment | null {
    if (open !== undefined) return { runner: this.id, agent: open.agent, reason: open.reason }
    const { acceptedOutputModes } = task.request
    const route = this.options.agents.route({
      ...(task.agent !== null && { agent: task.agent }),
      ...(task.skill !== null && { skill: task.skill }),
      text: taskText({ name: task.name, ...(task.description !== null && { description: task.description }) }),
      ...(acceptedOutputModes && { acceptedOutputModes }),
    })
    if ('agent' in route) return { runner: this.id, ...route }
    return route.retryable ? null : { runner: this.id, agent: NO_AGENT, reason: route.error }
  }

  private launch(claim: Claim, known: Work | null): void {
    const { task, attempt } = claim
    void this.options.attempts.run(claim, known).then(async (left) => {
      this.used -= 1
      if (left === 'done') await this.slots.free(task.id, attempt.agent)
      if (this.behind) this.wake()
    })
  }

  private async run(): Promise<void> {
    while (!this.stopped) {
      this.wanted = false
      this.lookAtAllAgain()
      const more = await this.claimSome().catch((error: unknown) => {
        this.options.log.warn({ err: error }, 'could not look for ready tasks')
        return false
      })
      if (more || this.wanted) continue
      await this.sleep(await this.nextPause())
    }
  }

  /** Now and then, however often it is woken: a slot may have been freed elsewhere, an agent may be known by now. */
  private lookAtAllAgain(): void {
    if (performance.now() - this.lookedAtAll < this.options.pollSeconds * 1_000) return
    this.lookedAtAll = performance.now()
    this.slots.unblock()
  }

  /** Resolves with whether there may be more to claim right away: behind those claimed, or those found to be blocked. */
  private async claimSome(): Promise<boolean> {
    const limit = Math.min(this.room, 100)
    if (limit <= 0) return false
    const except = this.slots.blocked
    const candidates = await findClaimable(this.options.sql, { limit, maxRunning: this.maxRunning, except })
    const claimed = await Promise.all(candidates.map((candidate) => this.claim(candidate)))
    return candidates.length === limit && (claimed.some(Boolean) || this.slots.blocked.length > except.length)
  }

  /** Claims one task; false: someone else did, it has no agent yet, or its agent has no free slot. Never rejects. */
  private async claim(candidate: Candidate): Promise<boolean> {
    const { taskId } = candidate
    try {
      if (await this.tryClaim(candidate)) return true
      return (await this.slots.take(taskId)) && (await this.claimWithSlot(candidate))
    } catch (error) {
      this.options.log.warn({ err: error, taskId }, 'could not claim a task')
      this.slots.block(taskId, null)
      return false
    }
  }

  private async claimWithSlot(candidate: Candidate): Promise<boolean> {
    let claimed = false
    try {
      claimed = await this.tryClaim(candidate)
      return claimed
    } finally {
      if (claimed) this.slots.claimed(candidate.taskId)
      else await this.slots.giveBack(candidate.taskId)
    }
  }

  private tryClaim({ contextKey, taskId }: Candidate): Promise<boolean> {
    return this.options.changes.apply({
      target: { kind: 'known', key: contextKey },
      needs: [{ kind: 'lineage', id: taskId }],
      decide: (w) => {
        if (isClaimable(w, w.task(taskId), this.maxRunning)) w.ready.add(taskId)
        return () => w.task(taskId).runner === this.id
      },
    })
  }

  private async nextPause(): Promise<number> {
    const { due, nextIn } = await findUnclaimed(this.options.sql).catch(() => ({ due: true, nextIn: null }))
    this.behind = due
    return Math.max(5, Math.min(nextIn ?? Number.POSITIVE_INFINITY, this.options.pollSeconds * 1_000))
  }

  /** Resolves when the time is over, or when woken. */
  private sleep(milliseconds: number): Promise<void> {
    if (this.wanted) return Promise.resolve()
    return new Promise((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.wakeUp = null
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      this.wakeUp = done
    })
  }
}
