import type { Database, Sql } from '../db/client.ts'
import { type Claim, type Claimer, type Decide, type Decided, decideContext } from './decide.ts'
import { Loaded } from './loaded.ts'
import type { ContextRow } from './rows.ts'
import { loadNeeds, type NeedRef } from './store/load.ts'
import {
  claimMessageKeys,
  databaseNow,
  ensureContexts,
  lockContexts,
  type MessageKeyRow,
  type NewContext,
  releaseMessageKeys,
  sameMessage,
} from './store/lock.ts'
import { writeRows } from './store/write.ts'
import type { Job, WorkingCopy } from './working-copy.ts'
import { writesOf } from './writes.ts'

/** Which context a change is made to. */
export type Target =
  /** One that exists. */
  | { kind: 'known'; key: string }
  /** One that this change creates, under an id made by the server. */
  | { kind: 'new'; context: NewContext }
  /** One that a client named: created if it is not there. */
  | { kind: 'named'; context: NewContext }

/** One change among others of a group. */
export interface Member {
  target: Target
  /** Rows that it will need for sure: loaded before it is decided. */
  needs: readonly NeedRef[]
  messageKey?: MessageKeyRow
  decide: Decide<unknown>
}

/** What became of one member. */
export type Outcome =
  | { kind: 'answered'; answer: () => unknown }
  | { kind: 'failed'; error: unknown }
  /** The message was sent before. */
  | { kind: 'duplicate'; of: MessageKeyRow }
  /** Its context is locked elsewhere, or the change is too large to share a transaction: it goes alone next. */
  | { kind: 'deferred' }

/** One context that a group changed. */
export interface Changed {
  copy: WorkingCopy
  claims: Claim[]
}

export interface GroupResult {
  outcomes: Outcome[]
  changed: Changed[]
}

export interface GroupOptions {
  alone: boolean
  claimer: Claimer | null
  enqueue: (sql: Sql, jobs: readonly Job[]) => Promise<void>
  fault?: (point: string) => Promise<void> | void
}

/** A change that moves more rows than this runs alone. (design §5.2) */
const MAX_SHARED_ROWS = 500
const TRANSACTION = { timeout: 60_000, maxWait: 15_000 }

/** Runs a group of changes in one transaction. Its order is that of design §5.2. */
export async function runGroup(
  database: Database,
  members: readonly Member[],
  options: GroupOptions,
): Promise<GroupResult> {
  let group: Group | undefined
  try {
    return await database.prisma.$transaction(async (tx) => {
      group = new Group(tx as Sql, members, options)
      const result = await group.run()
      await options.fault?.('group:before-commit')
      return result
    }, TRANSACTION)
  } catch (error) {
    options.claimer?.release(group?.claimed ?? 0)
    throw error
  }
}

class Group {
  /** How many tasks its decisions have claimed room for. */
  claimed = 0
  private readonly sql: Sql
  private readonly members: readonly Member[]
  private readonly options: GroupOptions
  private readonly outcomes: Outcome[]
  private readonly contexts = new Map<string, { context: ContextRow; created: boolean }>()
  private readonly keyOf: string[]
  /** The database's time, as of the last statement that said it. */
  private now: string | null = null

  constructor(sql: Sql, members: readonly Member[], options: GroupOptions) {
    this.sql = sql
    this.members = members
    this.options = options
    this.outcomes = members.map(() => ({ kind: 'deferred' }))
    this.keyOf = members.map(({ target }) => (target.kind === 'known' ? target.key : target.context.key))
  }

  async run(): Promise<GroupResult> {
    await this.claimKeys()
    await this.openContexts()
    const now = this.now ?? (await databaseNow(this.sql))
    const changed = await this.decide(now)
    await writeRows(this.sql, writesOf(changed.map(({ copy }) => copy)))
    await this.releaseKeys()
    const jobs = changed.flatMap(({ copy }) => copy.jobs)
    if (jobs.length > 0) await this.options.enqueue(this.sql, jobs)
    return { outcomes: this.outcomes, changed }
  }

  private async claimKeys(): Promise<void> {
    const keys = this.members.flatMap((member) => member.messageKey ?? [])
    if (keys.length === 0) return
    const { now, before: taken } = await claimMessageKeys(this.sql, keys)
    this.now = now
    for (const [i, { messageKey }] of this.members.entries()) {
      const before = messageKey && taken.find((row) => sameMessage(row, messageKey))
      if (before !== undefined) this.outcomes[i] = { kind: 'duplicate', of: before }
    }
  }

  /** Creates the contexts that are new, and locks the others. */
  private async openContexts(): Promise<void> {
    const open = [...this.members.entries()].filter(([i]) => this.outcomes[i]?.kind === 'deferred')
    await this.ensureNamed(open.filter(([, { target }]) => target.kind === 'named'))
    for (const [, { target }] of open) if (target.kind === 'new') this.create(target.context)
    const existing = new Set(
      open.filter(([, { target }]) => target.kind !== 'new').map(([i]) => this.keyOf[i] as string),
    )
    for (const key of this.contexts.keys()) existing.delete(key)
    if (existing.size === 0) return
    const { now, contexts } = await lockContexts(this.sql, [...existing], !this.options.alone)
    this.now = now ?? this.now
    for (const context of contexts) this.contexts.set(context.key, { context, created: false })
  }

  private async ensureNamed(named: [number, Member][]): Promise<void> {
    if (named.length === 0) return
    const wanted = named.flatMap(([, { target }]) => (target.kind === 'named' ? [target.context] : []))
    const found = await ensureContexts(this.sql, wanted)
    for (const [i, { target }] of named) {
      if (target.kind !== 'named') continue
      const { tenant, owner, wireId } = target.context
      const row = found.find((c) => c.tenant === tenant && c.owner === owner && c.wireId === wireId)
      if (row !== undefined) this.keyOf[i] = row.key
    }
  }

  private create(context: NewContext): void {
    this.contexts.set(context.key, { context: { ...context, seq: 0, running: 0, push: 0 }, created: true })
  }

  /** Decides every context, loading what they turn out to need, until all are decided. */
  private async decide(now: string): Promise<Changed[]> {
    const loaded = new Loaded()
    let undecided = this.byContext()
    let needs = undecided.flatMap(([key, indices]) => [
      ...indices.flatMap((i) => this.members[i]?.needs ?? []),
      ...this.configsOf(key),
    ])
    const changed: Changed[] = []
    while (undecided.length > 0) {
      if (needs.length > 0) await loadNeeds(this.sql, unique(needs), loaded)
      needs = []
      undecided = undecided.filter(([key, indices]) => {
        const decided = this.decideOne(key, indices, loaded, now)
        if (decided.kind === 'needs') needs.push(decided.need, ...decided.need.also)
        else this.settleOne(indices, decided, changed)
        return decided.kind === 'needs'
      })
    }
    return changed
  }

  /** Where somebody wants to be told of what happens, who that is will be needed. */
  private configsOf(key: string): NeedRef[] {
    return (this.contexts.get(key)?.context.push ?? 0) > 0 ? [{ kind: 'pushConfigs', id: key }] : []
  }

  private byContext(): [string, number[]][] {
    const groups = new Map<string, number[]>()
    for (const [i] of this.members.entries()) {
      const key = this.keyOf[i] as string
      if (this.outcomes[i]?.kind !== 'deferred' || !this.contexts.has(key)) continue
      groups.set(key, [...(groups.get(key) ?? []), i])
    }
    return [...groups]
  }

  private decideOne(key: string, indices: number[], loaded: Loaded, now: string): Decided {
    const { context, created } = this.contexts.get(key) as { context: ContextRow; created: boolean }
    const decides = indices.map((i) => (this.members[i] as Member).decide)
    return decideContext({ context, created, decides }, loaded, now, this.options.claimer)
  }

  private settleOne(indices: number[], decided: Extract<Decided, { kind: 'decided' }>, changed: Changed[]): void {
    if (!this.options.alone && this.members.length > 1 && decided.copy.size > MAX_SHARED_ROWS) {
      this.options.claimer?.release(decided.claims.length)
      return
    }
    for (const [n, i] of indices.entries()) {
      const answer = decided.answers.get(n)
      this.outcomes[i] = answer ? { kind: 'answered', answer } : { kind: 'failed', error: decided.failures.get(n) }
    }
    this.claimed += decided.claims.length
    changed.push({ copy: decided.copy, claims: decided.claims })
  }

  /** A member that did nothing must not leave its message looking as if it had been handled. */
  private async releaseKeys(): Promise<void> {
    const unused = this.members.flatMap(({ messageKey }, i) => {
      const kind = this.outcomes[i]?.kind
      return messageKey !== undefined && (kind === 'deferred' || kind === 'failed') ? [messageKey] : []
    })
    if (unused.length > 0) await releaseMessageKeys(this.sql, unused)
  }
}

function unique(needs: readonly NeedRef[]): NeedRef[] {
  return [...new Map(needs.map((need) => [`${need.kind}:${need.id}`, need])).values()]
}
