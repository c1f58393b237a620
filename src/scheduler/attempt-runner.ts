import { newId } from '../base/ids.ts'
import type { AttemptRef } from '../domain/commands/run.ts'
import type { Claim } from '../domain/decide.ts'
import type { Work } from '../domain/queries/work.ts'
import { ActiveTaskRegistry } from '../executors/active-task.ts'
import { AttemptLease, type AttemptOptions, type Left } from './attempt-lease.ts'

/** Runs claimed attempts: calls their executors and commits what comes of it, guarded by the lease. (design §6) */
export class AttemptRunner {
  readonly runnerId = newId('runner')
  readonly active = new ActiveTaskRegistry()
  private readonly options: AttemptOptions
  private readonly firstEvents = new Map<string, Promise<void>>()

  constructor(options: AttemptOptions) {
    this.options = options
  }

  /** Resolves once the task's executor has published something, if it runs here. */
  firstEvent(taskId: string): Promise<void> | undefined {
    return this.firstEvents.get(taskId)
  }

  /** Runs an attempt to the end of this lease. Never rejects. `known`: what there is to know of it, if nothing needs reading. */
  async run(claim: Claim, known: Work | null): Promise<Left> {
    const { task, attempt } = claim
    const ref: AttemptRef = { taskId: task.id, number: attempt.number, lease: task.lease, runner: this.runnerId }
    const log = this.options.log.child({ taskId: task.id, attempt: attempt.number, agent: attempt.agent })
    const gate = Promise.withResolvers<void>()
    this.firstEvents.set(task.id, gate.promise)
    try {
      const active = { taskId: task.id, attemptId: attempt.id, attempt: attempt.number, lease: task.lease }
      return await this.active.run(active, (one) =>
        new AttemptLease(this.options, ref, claim, one, log).run(known, gate.resolve),
      )
    } catch (error) {
      log.error({ err: error }, 'attempt could not be run')
      return 'waiting'
    } finally {
      gate.resolve()
      this.firstEvents.delete(task.id)
    }
  }

  /** Gives back what runs and waits until it has settled. */
  stop(): Promise<void> {
    return this.active.close()
  }
}
