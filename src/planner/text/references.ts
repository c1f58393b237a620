import { digits } from './digits.ts'
import type { Step } from './steps.ts'

/** The steps that a text names, as positions among the steps; `before` are those that must wait for it in turn. */
export interface References {
  after: Set<number>
  before: Set<number>
  /** It names what it uses in brackets, as in "(after 1)". */
  annotated: boolean
}

const ONE = '#?(\\d{1,4}(?:\\.\\d{1,3}){0,4}|[a-z](?=[\\s,.;:)]|$))'
const MORE =
  '((?:\\s*(?:,|，|、|&|和|与|及|-|–|(?:,\\s*)?\\b(?:and|or|to|through)\\b)\\s*(?:(?:tasks?|steps?|任务|步骤)\\s*)?#?\\d{1,4}(?:\\.\\d{1,3}){0,4})*)'
/** "task 1", "steps 1, 2 and 3", "任务 1". */
const NAMED = new RegExp(
  `(?:\\b(?:tasks?|steps?|items?|points?|number|no\\.)\\s*|#|任务\\s*|任務\\s*|步骤\\s*|步驟\\s*|第(?=\\s*[\\d一二三四五六七八九十]+\\s*(?:步|项|个)))${ONE.replace('|[a-z]', '|[一二三四五六七八九十]{1,3}|[a-z]')}${MORE}`,
  'gi',
)
/** "after 1", "based on 1 and 2", "(depends on: 3)": a bare number only where nothing is counted by it. */
const BARE = new RegExp(
  `\\b(?:after|based on|following|using|from|depends on|depending on|requires|needs|builds on|compare|combine|merge|join|review)\\s*:?\\s*#?${ONE}${MORE}(?=\\s*(?:[,.;:)\\]]|$|(?:is|are|finish|finishes|complete|completes)\\b))`,
  'gi',
)
const ORDINALS = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth', 'ninth', 'tenth']
const ORDINAL = new RegExp(`\\bthe (${ORDINALS.join('|')}) (?:task|step|item|one|result|point)\\b`, 'gi')
const PREVIOUS =
  /\bthe (?:previous|preceding|last|prior) (two |three |four )?(?:tasks?|steps?|items?|ones?|results?)\b|上一步|前一步|上一个任务/gi
const ALL =
  /\b(?:all|each|every one) (?:of )?(?:the )?(?:above|previous|preceding|prior|earlier)\b|\beverything (?:above|so far)\b|\ball (?:the )?(?:other )?(?:tasks|steps|results|findings)\b|以上所有|上述所有|所有任务/i
/** What is named after these is not waited for. */
const NOT_WAITED =
  /(?:\bwhile|\bunlike|\bwithout|\binstead of|\bindependent(?:ly)? of|\bin parallel (?:with|to)|\bnot|\bsame time as)\s+(?:waiting for\s+)?$/i
const BEFORE = /\bbefore\s+$/i

/** Finds what a step says about others by their numbers or places. `labels` are the numbers that they go by. */
export function referencesIn(text: string, at: number, labels: ReadonlyMap<string, number>, count: number): References {
  const found: References = { after: new Set(), before: new Set(), annotated: false }
  for (const pattern of [NAMED, BARE]) {
    for (const match of text.matchAll(pattern)) {
      const lead = text.slice(Math.max(0, match.index - 40), match.index)
      if (NOT_WAITED.test(lead)) continue
      const target = BEFORE.test(lead) ? found.before : found.after
      for (const label of labelsIn(match[1], match[2])) addTo(target, labels.get(label), at)
      if (/[(（]\s*(?:[a-z]+\s+){0,3}$/i.test(lead) || /^[(（]/.test(match[0])) found.annotated = true
    }
  }
  for (const match of text.matchAll(ORDINAL))
    addTo(found.after, ORDINALS.indexOf((match[1] ?? '').toLowerCase()), at, count)
  for (const match of text.matchAll(PREVIOUS)) {
    const howMany = ['two', 'three', 'four'].indexOf((match[1] ?? '').trim().toLowerCase()) + 2
    for (let back = 1; back <= (match[1] ? howMany : 1); back += 1) addTo(found.after, at - back, at)
  }
  if (ALL.test(text)) for (let earlier = 0; earlier < at; earlier += 1) found.after.add(earlier)
  return found
}

function addTo(target: Set<number>, index: number | undefined, at: number, count = Number.POSITIVE_INFINITY): void {
  if (index !== undefined && index >= 0 && index < count && index !== at) target.add(index)
}

/** "1", with ", 2 and 4" or "-3": every label that is meant. */
function labelsIn(first: string | undefined, more: string | undefined): string[] {
  const one = digits(first?.toLowerCase())
  if (one === null) return []
  const labels = [one]
  for (const match of (more ?? '').matchAll(
    /(-|–|\bto\b|\bthrough\b)?\s*(?:tasks?|steps?)?\s*#?(\d{1,4}(?:\.\d{1,3}){0,4})/gi,
  )) {
    const next = match[2] ?? ''
    const from = Number(labels[labels.length - 1])
    const isRange = match[1] !== undefined && Number(next) - from <= 1_000
    for (let number = from + 1; isRange && number < Number(next); number += 1) labels.push(String(number))
    labels.push(next)
  }
  return labels
}

/** The numbers that steps go by. A number that two have means neither. */
export function labelsOf(steps: readonly Step[]): Map<string, number> {
  const labels = new Map<string, number>()
  const twice = new Set<string>()
  for (const [index, { label }] of steps.entries()) {
    if (label === null) continue
    if (labels.has(label)) twice.add(label)
    labels.set(label, index)
  }
  for (const label of twice) labels.delete(label)
  return labels
}
