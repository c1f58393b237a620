import type { Logger } from 'pino'
import type { Sql } from '../db/client.ts'
import { freeSlots, freeStaleSlots, provideSlots, takeSlot } from '../domain/queries/slots.ts'
import type { Agent, AgentRegistry } from '../executors/registry.ts'

/** How many blocked tasks are remembered; beyond that they are looked at again and again. */
const MAX_BLOCKED = 10_000
/** A slot is taken before its task is claimed, so a new one may have no attempt yet. */
const GRACE_SECONDS = 60

/** The slots of agents that config limits, across all processes, as this process sees them. (design §6, Limits) */
export class Slots {
  private readonly sql: Sql
  private readonly agents: AgentRegistry
  private readonly log: Logger
  /** Tasks with a slot that are about to be claimed. */
  private readonly taken = new Set<string>()
  /** Tasks that cannot be claimed now, with the agent they wait for; null: no agent is known yet. */
  private readonly waiting = new Map<string, string | null>()

  constructor(sql: Sql, agents: AgentRegistry, log: Logger) {
    this.sql = sql
    this.agents = agents
    this.log = log
  }

  /** Makes as many slots as config says. */
  async provide(): Promise<void> {
    for (const agent of this.limited()) await provideSlots(this.sql, agent.name, agent.maxConcurrent as number)
  }

  /** Whether the agent is limited and the task has no slot of it yet. */
  wants(taskId: string, agent: string): boolean {
    return this.isLimited(agent) && !this.taken.has(taskId)
  }

  block(taskId: string, agent: string | null): void {
    if (this.waiting.size < MAX_BLOCKED) this.waiting.set(taskId, agent)
  }

  /** Tasks not worth looking at before a slot is freed or some time has passed. */
  get blocked(): string[] {
    return [...this.waiting.keys()]
  }

  unblock(agent?: string): void {
    for (const [taskId, waitsFor] of this.waiting) {
      if (agent === undefined || waitsFor === agent) this.waiting.delete(taskId)
    }
  }

  /** Takes a slot for a task that is blocked for want of one. False: none is free, or that is not what it wants. */
  async take(taskId: string): Promise<boolean> {
    const agent = this.waiting.get(taskId)
    if (agent === undefined || agent === null || !(await takeSlot(this.sql, agent, taskId))) return false
    this.waiting.delete(taskId)
    this.taken.add(taskId)
    return true
  }

  /** The task was claimed: from now on its open attempt holds the slot, whatever process goes on with it. */
  claimed(taskId: string): void {
    this.taken.delete(taskId)
  }

  async giveBack(taskId: string): Promise<void> {
    this.taken.delete(taskId)
    await this.freeRow(taskId)
  }

  /** Frees the slot of a task that is done with an agent. */
  async free(taskId: string, agent: string): Promise<void> {
    if (!this.isLimited(agent)) return
    await this.freeRow(taskId)
    this.unblock(agent)
  }

  /** Frees what processes that died have left taken. */
  async sweep(): Promise<void> {
    if (this.limited().length > 0) await freeStaleSlots(this.sql, GRACE_SECONDS)
  }

  private async freeRow(taskId: string): Promise<void> {
    // If this fails the sweep frees it.
    await freeSlots(this.sql, [taskId]).catch((error) => this.log.warn({ err: error, taskId }, 'slot not freed'))
  }

  private isLimited(agent: string): boolean {
    return this.agents.agent(agent)?.maxConcurrent !== undefined
  }

  private limited(): Agent[] {
    return this.agents.agents().filter((agent) => agent.maxConcurrent !== undefined)
  }
}
