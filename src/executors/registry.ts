import { TrellisError } from '../base/errors.ts'
import { A2aExecutor } from './a2a.ts'
import type { RemoteCard } from './a2a-card.ts'
import type { Fault } from './a2a-exchange.ts'
import { type A2aOptions, DEFAULT_A2A_OPTIONS } from './a2a-options.ts'
import type { AgentConfig, AgentKind } from './agent-config.ts'
import { EchoExecutor } from './echo.ts'
import type { AgentExecutor } from './executor.ts'
import { ManualExecutor } from './manual.ts'
import { ModuleExecutor } from './module.ts'
import {
  createRouter,
  type NoRoute,
  type RoutableAgent,
  type RoutableTask,
  type Route,
  type Router,
} from './routing.ts'

/** An agent as the rest of the server sees it. */
export interface Agent extends RoutableAgent {
  kind: AgentKind
  maxConcurrent?: number
  timeoutSeconds?: number
  url?: string
}

export interface AgentRegistryOptions {
  agents: readonly AgentConfig[]
  /** Takes what fits no other agent; the built-in `echo` when absent. */
  defaultAgent?: string
  a2a?: Partial<A2aOptions>
  /** Called at named points of talk with remote agents; tests kill the process there. */
  fault?: Fault | undefined
  /** Told when a remote card cannot be read; it is tried again. */
  onProblem?: (agent: string, error: unknown) => void
  /** The first pause between tries at a card; doubles up to 60 times itself. */
  cardRetryMs?: number
}

interface Entry {
  agent: Agent
  executor: AgentExecutor
  builtIn: boolean
}

/** The agents that this server knows: what runs them, and which of them takes a task. (design §6) */
export class AgentRegistry {
  readonly #options: AgentRegistryOptions
  readonly #entries = new Map<string, Entry>()
  readonly #defaultAgent: string
  readonly #closing = new AbortController()
  #router: Router | undefined
  #reading: Promise<unknown> | undefined

  constructor(options: AgentRegistryOptions) {
    this.#options = options
    this.#defaultAgent = options.defaultAgent ?? 'echo'
    for (const config of options.agents) this.#add(config, false)
    // Always there, so that every task can be seen through to its end, and manual tasks have an agent to name.
    for (const kind of ['echo', 'manual'] as const) {
      if (!this.#entries.has(kind)) this.#add({ name: kind, kind }, true)
    }
    if (!this.#entries.has(this.#defaultAgent)) throw this.#unknown(this.#defaultAgent)
  }

  /**
   * Begins to read the cards of remote agents without configured skills, in the background, again and again until each was
   * read once. Returns at once; a second call changes nothing.
   */
  start(): void {
    this.#reading ??= Promise.all([...this.#entries.values()].map((entry) => this.#readSkills(entry)))
  }

  /** Loads the modules of all `module` agents; rejects with what is wrong with the first that cannot be loaded. */
  async loadModules(): Promise<void> {
    for (const { executor } of this.#entries.values()) {
      if (executor instanceof ModuleExecutor) await executor.load()
    }
  }

  /** All agents in the order of the configuration, the built-in ones last. */
  agents(): Agent[] {
    return [...this.#entries.values()].map((entry) => entry.agent)
  }

  agent(name: string): Agent | undefined {
    return this.#entries.get(name)?.agent
  }

  /** @throws TrellisError `invalidParams` that names the known agents */
  executorFor(name: string): AgentExecutor {
    const entry = this.#entries.get(name)
    if (!entry) throw this.#unknown(name)
    return entry.executor
  }

  /** Which agent takes a task, and why. Reads nothing and waits for nothing. */
  route(task: RoutableTask): Route | NoRoute {
    if (this.#configured().length === 0 && task.agent !== undefined && !this.#entries.has(task.agent)) {
      return { agent: this.#defaultAgent, reason: `no agent is configured, so none is named "${task.agent}"` }
    }
    this.#router ??= createRouter(this.agents(), this.#defaultAgent)
    return this.#router(task)
  }

  /** Stops reading cards, and whatever executors still do in the background. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort()
    await this.#reading
    const remote = [...this.#entries.values()].flatMap(({ executor }) =>
      executor instanceof A2aExecutor ? [executor] : [],
    )
    await Promise.all(remote.map((executor) => executor.close()))
  }

  #add(config: AgentConfig, builtIn: boolean): void {
    if (this.#entries.has(config.name)) throw new TrellisError('invalidParams', `Two agents are named "${config.name}"`)
    this.#entries.set(config.name, { agent: agentOf(config), executor: this.#executor(config), builtIn })
  }

  #executor(config: AgentConfig): AgentExecutor {
    switch (config.kind) {
      case 'a2a':
        return this.#remote(config)
      case 'module':
        if (!config.path) throw missing(config, 'path')
        return new ModuleExecutor({ ...config, path: config.path })
      case 'manual':
        return new ManualExecutor()
      case 'echo':
        return new EchoExecutor(() => this.#configured())
    }
  }

  #remote(config: AgentConfig): A2aExecutor {
    const { url, checkSeconds } = config
    if (!url) throw missing(config, 'url')
    const check = checkSeconds === undefined ? {} : { minCheckMs: checkSeconds * 1_000 }
    const options = { ...DEFAULT_A2A_OPTIONS, ...this.#options.a2a, ...check }
    const executor = new A2aExecutor({ ...config, url }, options, this.#options.fault)
    executor.cards.onCard = (card) => this.#learn(config, card)
    return executor
  }

  /** What the configuration says goes before what the card says. */
  #learn(config: AgentConfig, card: RemoteCard): void {
    const entry = this.#entries.get(config.name)
    if (!entry) return
    const { description, skills, inputModes, outputModes } = card
    entry.agent = { description, skills, inputModes, outputModes, ...agentOf(config) }
    this.#router = undefined
  }

  async #readSkills({ agent, executor }: Entry): Promise<void> {
    if (!(executor instanceof A2aExecutor) || agent.skills) return
    const { signal } = this.#closing
    const first = this.#options.cardRetryMs ?? 1_000
    for (let pause = first; !signal.aborted; pause = Math.min(pause * 2, first * 60)) {
      try {
        await executor.cards.get()
        return
      } catch (error) {
        if (!signal.aborted) this.#options.onProblem?.(agent.name, error)
        await sleep(pause, signal)
      }
    }
  }

  #configured(): string[] {
    return [...this.#entries.values()]
      .filter((one) => !one.builtIn && one.agent.kind !== 'echo')
      .map((one) => one.agent.name)
  }

  #unknown(name: string): TrellisError {
    const known = [...this.#entries.keys()].join(', ')
    return new TrellisError('invalidParams', `No agent is named "${name}"; known are ${known}`)
  }
}

/** The agent as configured: what is empty there counts as not said. */
function agentOf(config: AgentConfig): Agent {
  const { name, kind, description, skills, inputModes, outputModes, maxConcurrent, timeoutSeconds, url } = config
  const known = skills?.length ? skills : config.kind === 'a2a' ? undefined : []
  return {
    name,
    kind,
    ...(description && { description }),
    ...(known && { skills: known }),
    ...(inputModes?.length && { inputModes }),
    ...(outputModes?.length && { outputModes }),
    ...(maxConcurrent !== undefined && { maxConcurrent }),
    ...(timeoutSeconds !== undefined && { timeoutSeconds }),
    ...(url !== undefined && { url }),
  }
}

function missing(config: AgentConfig, key: string): TrellisError {
  return new TrellisError('invalidParams', `The agent "${config.name}" of kind ${config.kind} needs ${key}`)
}

/** Resolves after so long, or at once when the signal fires. */
function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
