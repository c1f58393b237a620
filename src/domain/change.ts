import type { Database, Sql } from '../db/client.ts'
import { databaseAway, gaveWay, isUnavailable } from '../db/unavailable.ts'
import type { Claimer } from './decide.ts'
import { type Changed, type Member, type Outcome, runGroup } from './group.ts'
import type { MessageKeyRow } from './store/lock.ts'
import type { Job } from './working-copy.ts'

/** A change to one context, and how to answer when the same message was there before. */
export interface Change<T> extends Omit<Member, 'decide'> {
  decide: (w: Changed['copy']) => () => T
  /** Answers a message that was sent before; its row says what it became then. */
  replay?: (row: MessageKeyRow) => T
}

export interface ChangeOptions {
  database: Database
  /** Members of one transaction at most. */
  maxMembers: number
  /** Transactions at once. */
  lanes: number
  enqueue: (sql: Sql, jobs: readonly Job[]) => Promise<void>
  /** Told of every context a committed group changed, before its members are answered. */
  committed: (changed: readonly Changed[]) => void
  fault?: (point: string) => Promise<void> | void
}

interface Waiting {
  member: Member
  replay: ((row: MessageKeyRow) => unknown) | undefined
  resolve: (answer: unknown) => void
  reject: (error: unknown) => void
  /** It was deferred or its group failed: it runs alone now. */
  alone: boolean
}

/**
 * The one write path: every change to a context goes through `apply`. Changes of many contexts share a transaction;
 * those of one context are decided in the order they came. (design §5.1, §5.2)
 */
export class Changes {
  claimer: Claimer | null = null
  private readonly options: ChangeOptions
  private readonly waiting: Waiting[] = []
  private readonly busy = new Set<string>()
  private running = 0
  private scheduled = false

  constructor(options: ChangeOptions) {
    this.options = options
  }

  /** Decides and commits a change; resolves with its answer once it is durable. */
  apply<T>(change: Change<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const { replay, ...member } = change
      this.waiting.push({ member, replay, resolve: resolve as (answer: unknown) => void, reject, alone: false })
      this.schedule()
    })
  }

  /** Waits for the changes under way and those waiting. */
  async drained(): Promise<void> {
    while (this.running > 0 || this.waiting.length > 0) await new Promise((resolve) => setImmediate(resolve))
  }

  /** What arrives in the same turn of the event loop goes together. */
  private schedule(): void {
    if (this.scheduled) return
    this.scheduled = true
    setImmediate(() => {
      this.scheduled = false
      while (this.running < this.options.lanes) {
        const group = this.takeGroup()
        if (group.length === 0) return
        void this.run(group)
      }
    })
  }

  /** The oldest waiting members whose context and message nobody is at; one that must go alone goes alone. */
  private takeGroup(): Waiting[] {
    const group: Waiting[] = []
    const passed = new Set<string>()
    for (let i = 0; i < this.waiting.length && group.length < this.options.maxMembers; ) {
      const next = this.waiting[i] as Waiting
      const claims = claimsOf(next.member)
      const blocked = claims.some((claim) => this.busy.has(claim) || passed.has(claim)) || sameMessageIn(group, next)
      if (blocked || (next.alone && group.length > 0)) {
        for (const claim of claims) passed.add(claim)
        i += 1
        continue
      }
      this.waiting.splice(i, 1)
      group.push(next)
      if (next.alone) break
    }
    for (const { member } of group) for (const claim of claimsOf(member)) this.busy.add(claim)
    return group
  }

  private async run(group: Waiting[]): Promise<void> {
    this.running += 1
    try {
      await this.runOnce(group)
    } catch (error) {
      this.failed(group, error)
    } finally {
      for (const { member } of group) for (const claim of claimsOf(member)) this.busy.delete(claim)
      this.running -= 1
      this.schedule()
    }
  }

  private async runOnce(group: Waiting[]): Promise<void> {
    const alone = group.length === 1
    const { database, enqueue, fault } = this.options
    const members = group.map(({ member }) => member)
    const { outcomes, changed } = await runGroup(database, members, {
      alone,
      claimer: this.claimer,
      enqueue,
      ...(fault && { fault }),
    })
    await fault?.('group:after-commit')
    this.options.committed(changed)
    const deferred = group.filter((waiting, i) => !answer(waiting, outcomes[i] as Outcome))
    this.again(deferred)
  }

  /** Deferred members go first next time, each alone. */
  private again(members: Waiting[]): void {
    for (const waiting of members) waiting.alone = true
    this.waiting.unshift(...members)
  }

  /** On any error of a group each member runs alone, once: only the bad one fails. (design §5.2) */
  private failed(group: Waiting[], error: unknown): void {
    const away = isUnavailable(error)
    if (group.length > 1 && !away) {
      this.again(group)
      return
    }
    const reason = away || gaveWay(error) ? databaseAway(error) : error
    for (const { reject } of group) reject(reason)
  }
}

/** What no two transactions of this process may be at together, besides what the database locks. */
function claimsOf({ target, messageKey }: Member): string[] {
  const context = target.kind === 'named' ? namedClaim(target.context) : target.kind === 'known' ? target.key : null
  const message = messageKey && messageClaim(messageKey)
  return [...(context === null ? [] : [context]), ...(message === undefined ? [] : [message])]
}

function namedClaim({ tenant, owner, wireId }: { tenant: string; owner: string; wireId: string }): string {
  return JSON.stringify(['named', tenant, owner, wireId])
}

function messageClaim(key: MessageKeyRow): string {
  return JSON.stringify(['message', key.tenant, key.owner, key.messageId, key.taskId, key.contextId])
}

/** The same message twice waits for the first: the second finds its key taken. */
function sameMessageIn(group: readonly Waiting[], next: Waiting): boolean {
  const key = next.member.messageKey
  if (key === undefined) return false
  const claim = messageClaim(key)
  return group.some(({ member }) => member.messageKey !== undefined && messageClaim(member.messageKey) === claim)
}

/** Answers a member; false: it has to run again. */
function answer({ resolve, reject, replay }: Waiting, outcome: Outcome): boolean {
  try {
    if (outcome.kind === 'answered') resolve(outcome.answer())
    else if (outcome.kind === 'failed') reject(outcome.error)
    else if (outcome.kind === 'duplicate') resolve(replay?.(outcome.of))
    return outcome.kind !== 'deferred'
  } catch (error) {
    reject(error)
    return true
  }
}
