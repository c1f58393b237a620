import { CardSource } from './a2a-card.ts'
import type { A2aOptions } from './a2a-options.ts'
import type { AgentConfig } from './agent-config.ts'
import type { AgentExecutor, Parked } from './executor.ts'
import { ExecutorError } from './executor-error.ts'

/** Runs tasks on a remote agent that speaks A2A. */
export class A2aExecutor implements AgentExecutor {
  readonly cards: CardSource

  constructor(config: AgentConfig & { url: string }, options: A2aOptions) {
    this.cards = new CardSource(config, options)
  }

  async execute(): Promise<void | Parked> {
    throw new ExecutorError('Remote agents cannot be called yet', { retryable: false })
  }

  async cancel(): Promise<void> {}

  async close(): Promise<void> {}
}
