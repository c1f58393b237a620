import { type Claim, type Claimer, type Decide, decideContext } from '../../src/domain/decide.ts'
import { Loaded } from '../../src/domain/loaded.ts'
import type { Needed } from '../../src/domain/need.ts'
import type { ContextRow } from '../../src/domain/rows.ts'
import { isTerminal } from '../../src/domain/task.ts'
import type { WorkingCopy } from '../../src/domain/working-copy.ts'
import { loadFrom } from './core-load.ts'
import { CoreRows } from './core-rows.ts'

export interface Applied<T> {
  /** Of each member, in order; an Error for one that threw. */
  answers: (T | Error)[]
  copy: WorkingCopy
  claims: Claim[]
  /** How often rows had to be loaded, the first time with what was declared included. */
  rounds: number
  /** How many rows that was. */
  loadedRows: number
}

/**
 * One context in memory, in place of the database: it answers needs like the store does, with nothing more, and applies
 * what was decided with the store's guards. Everything that every change must keep is checked as it is applied.
 */
export class CoreMemory {
  readonly rows = new CoreRows()
  context: ContextRow = { key: 'c', tenant: 't', owner: 'o', wireId: 'wire', seq: 0, running: 0, push: 0 }
  claimer: Claimer | null = null
  private created = true
  private millis = Date.parse('2026-01-01T00:00:00.000Z')

  get now(): string {
    return new Date(this.millis).toISOString()
  }

  advance(seconds: number): void {
    this.millis += seconds * 1_000
  }

  /** Decides and applies one change. @throws what it throws */
  change<T>(decide: (w: WorkingCopy) => T, needs: readonly Needed[] = []): T {
    const [answer] = this.apply([decide], needs).answers
    if (answer instanceof Error) throw answer
    return answer as T
  }

  /** Decides and applies the changes of several members, as a group does. */
  apply<T>(members: readonly ((w: WorkingCopy) => T)[], needs: readonly Needed[] = []): Applied<T> {
    this.millis += 1
    const decides: Decide<T>[] = members.map((member) => (w) => {
      const answer = member(w)
      return () => answer
    })
    const { decided, rounds, loadedRows } = this.decide(decides, needs)
    this.write(decided.copy)
    const answers = members.map((_, i) => (decided.answers.get(i)?.() ?? decided.failures.get(i)) as T | Error)
    return { answers, copy: decided.copy, claims: decided.claims, rounds, loadedRows }
  }

  /** Decides only, starting from what is declared. */
  decide<T>(decides: readonly Decide<T>[], declared: readonly Needed[]) {
    const loaded = new Loaded()
    let needs: readonly Needed[] = this.created ? [] : declared
    const needed: Needed[] = [...needs]
    for (let rounds = needs.length > 0 ? 1 : 0; ; rounds += 1) {
      loadFrom(this.rows, needs, loaded)
      const at = { context: this.context, created: this.created, decides }
      const decided = decideContext(at, loaded, this.now, this.claimer)
      if (decided.kind === 'decided') return { decided, rounds, loadedRows: sizeOf(loaded), needed }
      needs = [decided.need, ...decided.need.also]
      for (const { kind, id } of needs) {
        if (loaded.answerOf(kind, id) !== undefined) throw new Error(`${kind} of ${id} is needed again`)
      }
      needed.push(...needs)
      if (rounds > 200) throw new Error('needs without end')
    }
  }

  private write(copy: WorkingCopy): void {
    this.checkEvents(copy)
    for (const [name, table] of copy.tables) {
      for (const row of table.changed) this.rows.update(name, row)
      for (const row of table.inserted) this.rows.insert(name, row)
      for (const key of table.removed) this.rows.remove(name, key)
    }
    for (const [name, rows] of copy.appended) for (const row of rows) this.rows.insert(name, row)
    this.context = Object.freeze({ ...copy.context })
    this.created = false
    this.checkCopy(copy)
  }

  private checkEvents(copy: WorkingCopy): void {
    const seqs = copy.events.map((event) => event.seq - this.context.seq)
    if (seqs.some((seq, i) => seq !== i + 1)) throw new Error(`seqs are not contiguous: ${seqs}`)
    if (copy.context.seq !== this.context.seq + seqs.length) throw new Error('the context lost count of its seqs')
  }

  /** Nothing decided is left undone, and what runs no more was told so. */
  private checkCopy(copy: WorkingCopy): void {
    const left = copy.consequences.length + copy.endings.length + copy.openings.length
    if (left + copy.dirtyPlans.size + copy.dirtyPlanned.size > 0) throw new Error('not settled')
    for (const id of copy.ready) {
      const task = copy.task(id)
      if (isTerminal(task.state) || task.claimableAt === null) throw new Error(`${id} is said to be ready`)
    }
  }
}

function sizeOf(loaded: Loaded): number {
  const { tasks, planned, plans, attempts, artifacts, inputs, edges, pushConfigs } = loaded
  return [tasks, planned, plans, attempts, artifacts, inputs, edges, pushConfigs].reduce(
    (sum, rows) => sum + rows.size,
    0,
  )
}
