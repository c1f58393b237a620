import { isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { AgentExecutor, EventQueue, Parked, RequestContext } from './executor.ts'
import { ExecutorError } from './executor-error.ts'

/** What a factory in a module is called with. */
export interface ModuleAgent {
  name: string
  path: string
  description?: string
}

/**
 * Runs an executor of one's own. The module's default export, or its export `executor`, is an {@link AgentExecutor}, one
 * written for `@a2a-js/sdk`, a class of either, or a function that returns (or resolves to) either. Loaded once, at the
 * first use or by {@link load}.
 */
export class ModuleExecutor implements AgentExecutor {
  readonly #agent: ModuleAgent
  #loaded: Promise<AgentExecutor> | undefined

  constructor(agent: ModuleAgent) {
    this.#agent = agent
  }

  /** Loads the module; rejects with what is wrong with it. A failed load is tried again at the next call. */
  load(): Promise<AgentExecutor> {
    this.#loaded ??= loadExecutor(this.#agent).catch((error: unknown) => {
      this.#loaded = undefined
      throw error
    })
    return this.#loaded
  }

  async execute(context: RequestContext, events: EventQueue): Promise<void | Parked> {
    const executor = await this.load()
    return executor.execute(context, events)
  }

  async cancel(context: RequestContext, events: EventQueue): Promise<void> {
    const executor = await this.load()
    await executor.cancel(context, events)
  }
}

async function loadExecutor(agent: ModuleAgent): Promise<AgentExecutor> {
  const module = await importModule(agent)
  const exported = module['default'] ?? module['executor']
  if (exported === undefined) throw wrong(agent, 'exports neither `default` nor `executor`')
  const made = await make(agent, exported)
  if (isExecutor(made)) return made
  const { adaptSdkExecutor, isSdkExecutor } = await import('./sdk-adapter.ts')
  if (isSdkExecutor(made)) return adaptSdkExecutor(made)
  throw wrong(
    agent,
    'does not export an executor: an object with execute() and cancel(), or a function that returns one',
  )
}

async function importModule(agent: ModuleAgent): Promise<Record<string, unknown>> {
  try {
    return (await import(specifier(agent.path))) as Record<string, unknown>
  } catch (error) {
    throw wrong(agent, `cannot be loaded: ${messageOf(error)}`, error)
  }
}

/** Paths are relative to the working directory; anything else is a package name. */
function specifier(path: string): string {
  return path.startsWith('.') || isAbsolute(path) ? pathToFileURL(resolve(path)).href : path
}

async function make(agent: ModuleAgent, exported: unknown): Promise<unknown> {
  if (typeof exported !== 'function') return exported
  try {
    if (isClass(exported)) return new exported(agent)
    return await exported(agent)
  } catch (error) {
    throw wrong(agent, `failed to make its executor: ${messageOf(error)}`, error)
  }
}

function isClass(value: unknown): value is new (agent: ModuleAgent) => unknown {
  return typeof value === 'function' && typeof value.prototype?.execute === 'function'
}

function isExecutor(value: unknown): value is AgentExecutor {
  const candidate = value as Partial<AgentExecutor> | null | undefined
  return typeof candidate?.execute === 'function' && typeof candidate.cancel === 'function'
}

function wrong(agent: ModuleAgent, what: string, cause?: unknown): ExecutorError {
  return new ExecutorError(`Agent "${agent.name}": the module ${agent.path} ${what}`, { retryable: false, cause })
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
