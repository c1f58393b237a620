import { leadLength } from './lead.ts'
import { buildsOn, meansPrevious, meansSeveral, type Nouns, nounsOf, spokenOf } from './mentions.ts'
import { labelsOf, type References, referencesIn } from './references.ts'
import type { Step } from './steps.ts'

/** How steps follow each other where no word says it. */
export type Order = 'sequence' | 'parallel'

/**
 * For each step, the positions of those it waits for, in ascending order. What a step says about others decides:
 * numbers first, then "finally" (everything so far), then what it speaks of ("the hotel booking", "it"), then "then"
 * (the stage before) and "meanwhile" (the stage it is in). Where nothing is said, the order of the list does.
 *
 * A stage is what has been started together; "then" and "finally" begin a new one.
 */
export function link(steps: readonly Step[], order: Order): number[][] {
  const references = allReferences(steps)
  const linker = new Linker(steps, references, orderSaid(steps, references, order))
  for (let index = 0; index < steps.length; index += 1) linker.add(index)
  return linker.waitsFor.map((keys) => [...keys].sort((a, b) => a - b))
}

/**
 * References say the whole order, so that what names nothing waits for nothing, where the steps are called "Task N" or
 * are annotated with "(after N)". Elsewhere the numbers of a list go on counting for steps without references.
 */
function orderSaid(steps: readonly Step[], references: readonly References[], order: Order): Order {
  const some = references.some(({ after, before }) => after.size + before.size > 0)
  const asNames = steps.some((step) => step.called) || references.some(({ annotated }) => annotated)
  return some && asNames ? 'parallel' : order
}

function allReferences(steps: readonly Step[]): References[] {
  const labels = labelsOf(steps)
  // Steps without numbers are counted.
  if (labels.size === 0) for (const index of steps.keys()) labels.set(String(index + 1), index)
  const references = steps.map((step, index) => {
    const own = referencesIn(textOf(step), index, labels, steps.length)
    if (own.after.size > 0 || step.direction === null) return own
    return referencesIn(step.direction.mask, index, labels, steps.length)
  })
  for (const [index, { before }] of references.entries())
    for (const later of before) references[later]?.after.add(index)
  return references
}

function textOf(step: Step): string {
  return [step.span.mask, ...step.notes].join('\n').slice(0, 4_000)
}

class Linker {
  readonly waitsFor: Set<number>[] = []
  readonly #steps: readonly Step[]
  readonly #references: readonly References[]
  readonly #order: Order
  readonly #nouns: Nouns[] = []
  /** What the present stage waits for, who is in it, and everything that nothing waits for yet. */
  #base = new Set<number>()
  #stage = new Set<number>()
  readonly #open = new Set<number>()
  /** Steps that speak of the one before; what goes on in the same sentence goes on from there. */
  readonly #chained = new Set<number>()

  constructor(steps: readonly Step[], references: readonly References[], order: Order) {
    this.#steps = steps
    this.#references = references
    this.#order = order
  }

  add(index: number): void {
    const step = this.#steps[index]
    if (!step) return
    const waits = this.#waits(step, index)
    this.waitsFor.push(waits)
    for (const earlier of waits) {
      this.#open.delete(earlier)
      this.#stage.delete(earlier)
    }
    this.#open.add(index)
    this.#stage.add(index)
    this.#nouns.push(nounsOf(step))
  }

  #waits(step: Step, index: number): Set<number> {
    const named = this.#references[index]?.after ?? new Set<number>()
    if (named.size > 0) return new Set(named)
    if (step.place === 'finally') return this.#nextStage(this.#open)
    if (step.place === 'first') return new Set()
    const spoken = this.#spoken(step, index)
    if (spoken) return step.place === 'then' ? this.#nextStage(spoken) : spoken
    if (step.continues && step.place === null && this.#chained.has(index - 1)) {
      this.#chained.add(index)
      return new Set([index - 1])
    }
    if (step.place === 'then') return this.#nextStage(this.#stage)
    if (step.place === 'parallel') return this.#beside(index)
    return this.#order === 'sequence' ? this.#nextStage(this.#stage) : new Set(this.#base)
  }

  /** Beside the step before it where that said when it begins; else beside all of the stage. */
  #beside(index: number): Set<number> {
    const previous = this.#steps[index - 1]
    const timed = previous && (previous.place !== null || leadLength(previous.span.mask) > 0)
    return new Set(timed || this.#order === 'sequence' ? this.waitsFor[index - 1] : this.#base)
  }

  #nextStage(waits: ReadonlySet<number>): Set<number> {
    this.#base = new Set(waits)
    this.#stage = new Set()
    return new Set(waits)
  }

  /** What the step speaks of without a number; in an ordered list that is only what its place says anyway. */
  #spoken(step: Step, index: number): Set<number> | null {
    const previous = this.#steps[index - 1]
    if (!previous || (this.#order === 'sequence' && step.place === null)) return null
    const spoken = spokenOf(step, this.#nouns)
    if (spoken !== undefined) return new Set([spoken])
    if (!meansPrevious(step)) return buildsOn(step, previous) ? new Set([index - 1]) : null
    this.#chained.add(index)
    if (meansSeveral(step) || step.place === 'then') return new Set(this.#stage)
    return new Set([index - 1])
  }
}
