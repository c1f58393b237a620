import type { AgentExecutor } from './executor.ts'
import { ExecutorError } from './executor-error.ts'

/**
 * Stands for whoever moves tasks through `tasks/updateStatus`. A manual task is never claimed by a runner, so this is
 * never executed; if a task comes here all the same, it fails and says why instead of waiting for ever. (design §8.2)
 */
export class ManualExecutor implements AgentExecutor {
  async execute(): Promise<never> {
    throw new ExecutorError('A manual task is moved by tasks/updateStatus: no agent runs it', { retryable: false })
  }

  async cancel(): Promise<void> {
    // Nothing runs, so there is nothing to stop.
  }
}
