import MiniSearch, { type SearchResult } from 'minisearch'
import type { Finding } from '../findings.ts'
import { type Passage, passagesOf } from '../markdown.ts'
import { overlap, stemOf, stemsOf, wordsOf } from '../words.ts'
import type { Document } from './documents.ts'

interface Entry extends Passage {
  id: number
  file: string
}

const MIN_WORDS = 8
const MAX_CHARACTERS = 1_200
/** Passages that share more than this are one finding told twice. */
const SAME = 0.7
const PER_FILE = 3

/** A full-text index over passages: what to read about a topic, best first. */
export class PassageIndex {
  files = 0
  readonly #entries: Entry[] = []
  /** In how many passages a stem stands. */
  readonly #spread = new Map<string, number>()
  readonly #index = new MiniSearch<Entry>({
    fields: ['text', 'heading', 'file'],
    tokenize: wordsOf,
    processTerm: (term) => stemOf(term) ?? null,
  })

  get passages(): number {
    return this.#entries.length
  }

  add(document: Document): void {
    this.files += 1
    const worthwhile = passagesOf(document.text).filter(isWorthwhile)
    const entries = worthwhile.map((passage, offset) => ({
      ...passage,
      id: this.#entries.length + offset,
      file: document.file,
    }))
    this.#entries.push(...entries)
    this.#index.addAll(entries)
    for (const entry of entries) this.#count(entry.text)
  }

  /** The `limit` best passages, no two alike and no file more than three times. */
  search(topic: string, limit: number): Finding[] {
    const rarity = this.#rarityOf(new Set(stemsOf(topic)))
    const total = sum(rarity.values())
    const results = this.#index.search(topic, {
      boost: { text: 1, heading: 1.3, file: 0.5 },
      boostTerm: (term) => rarity.get(term) ?? 0,
      boostDocument: (id) => weightOf(this.#entries[id as number]?.file ?? ''),
    })
    // A passage that has only the topic's everyday words is about something else.
    const fitting = results.filter(
      (result) => sum(result.queryTerms.map((term) => rarity.get(term) ?? 0)) >= total * 0.3,
    )
    const chosen = pickDistinct(fitting.slice(0, limit * 10), this.#entries, limit)
    const best = chosen[0]?.score ?? 1
    return chosen.map(({ entry, score }) => findingOf(entry, score / best))
  }

  #count(text: string): void {
    for (const stem of new Set(stemsOf(text))) this.#spread.set(stem, (this.#spread.get(stem) ?? 0) + 1)
  }

  /** What each stem of a topic weighs: 0 for one that stands everywhere, more the rarer it is. Unknown ones weigh nothing. */
  #rarityOf(stems: ReadonlySet<string>): Map<string, number> {
    const known = [...stems].filter((stem) => this.#spread.has(stem))
    return new Map(known.map((stem) => [stem, Math.log(1 + this.passages / (this.#spread.get(stem) ?? 1)) ** 2]))
  }
}

function sum(numbers: Iterable<number>): number {
  let total = 0
  for (const number of numbers) total += number
  return total
}

/** Sentences, not labels, paths or licence boilerplate. */
function isWorthwhile({ text }: Passage): boolean {
  if (text.length > MAX_CHARACTERS || wordsOf(text).length < MIN_WORDS) return false
  const letters = text.match(/[\p{L}\s]/gu)?.length ?? 0
  return letters / text.length > 0.75
}

/** What a project says of itself counts more than its history or its licence. */
function weightOf(file: string): number {
  if (/licen[cs]e|notice|copying|patents/i.test(file)) return 0.1
  if (file.startsWith('.github/') || file.includes('/.github/')) return 0.2
  if (/change|history|releases?|migrat|upgrad|security|code_of_conduct|contributing/i.test(file)) return 0.3
  return /readme/i.test(file) ? 1.2 : 1
}

function pickDistinct(results: SearchResult[], entries: readonly Entry[], limit: number) {
  const chosen: { entry: Entry; score: number; stems: Set<string> }[] = []
  const perFile = new Map<string, number>()
  for (const result of results) {
    const entry = entries[result.id as number]
    if (!entry || chosen.length === limit || (perFile.get(entry.file) ?? 0) >= PER_FILE) continue
    const stems = new Set(stemsOf(entry.text))
    if (chosen.some((other) => overlap(other.stems, stems) > SAME)) continue
    perFile.set(entry.file, (perFile.get(entry.file) ?? 0) + 1)
    chosen.push({ entry, score: result.score, stems })
  }
  return chosen
}

function findingOf({ file, line, endLine, heading, text }: Entry, score: number): Finding {
  return { file, line, endLine, heading, text, score: Number(Math.max(score, 0.001).toFixed(3)) }
}
