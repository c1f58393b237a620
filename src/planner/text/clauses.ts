import { leadLength } from './lead.ts'
import { cut, type Span, trim } from './span.ts'
import { beginsClause, COURTESY, isOrder, isVerb } from './verbs.ts'

/** Ends of sentences that may be none: what stands before the full stop. */
const ABBREVIATION =
  /(?:\b(?:e\.g|i\.e|etc|vs|approx|ca|cf|al|resp|incl|excl|min|max|fig|figs|eq|sec|ch|vol|pp?|ed|eds|no|nos|nr|dr|mr|mrs|ms|prof|st|jr|sr|inc|ltd|co|corp|dept|est|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec|z\.b|d\.h|u\.a)|\b[A-Z]|\b(?:[A-Za-z]\.)+[A-Za-z])$/i
const NEXT_STARTS =
  /^(?:then|after|next|finally|lastly|meanwhile|also|and|first|second|third|in parallel|at the same time|based|once|when|using)\b/i

/** The sentences of a paragraph. "e.g.", "3.5" and initials do not end one, and neither does a stop within a word. */
export function sentencesOf(paragraph: Span): Span[] {
  const { mask } = paragraph
  const ends: number[] = []
  for (const found of mask.matchAll(/[.!?…]+["”’)\]]*(?=\s|$)|[。！？]+|\n+/g)) {
    const at = found.index + found[0].length
    if (endsSentence(mask, found[0], found.index, at)) ends.push(at)
  }
  return pieces(paragraph, ends)
}

function endsSentence(mask: string, mark: string, from: number, to: number): boolean {
  const next = mask.slice(to, to + 200).trimStart()
  // A line break alone is only a break in the text, unless the next line is an order.
  if (mark.startsWith('\n')) return isOrder(next) || NEXT_STARTS.test(next)
  if (!mark.startsWith('.') || mark.length > 1) return true
  if (ABBREVIATION.test(mask.slice(Math.max(0, from - 12), from)) && !isOrder(next)) return false
  return !/^\p{Ll}/u.test(next) || isOrder(next) || NEXT_STARTS.test(next)
}

/** The marks between clauses. What stands on the right of one decides whether it is one. */
const JOINT =
  /\s*[;；]\s*|,?\s+(?:and|&)\s+(?:also\s+)?|,\s*|\s+(?=then\s)|\s+[–—]\s+|(?:，|,)?(?=然后|然後|接着|接著|接下来|随后|之后|最后|最後|同时|同時|再)|，/g
const MARKED =
  /^(?:(?:and |but )?(?:then|after (?:that|which|wards?)|afterwards?|finally|lastly|subsequently|meanwhile|at the same time|in parallel|simultaneously|next,|in the meantime)\b|(?:然后|然後|接着|接著|接下来|随后|之后|最后|最後|同时|同時|再))/i
/** A clause that orders nothing by itself but holds what follows: "if it rains, …", "to learn more, …". */
const CONDITION =
  /^(?:if|when|whenever|unless|until|while|whether|in case|as long as|after|before|once|based on|using|with|given|from|for)\b/i
/** Within the clause so far, something whose own verbs "and" would join: "a script to fetch pages and …". */
const SUBORDINATE =
  /\b(?:that|which|who|how|whether|where|why|to|can|could|should|will|must|may|cannot|can['’]t)\s+([\p{L}-]+)/giu

/** The clauses of a sentence, each with an order of its own, and the mark that joined it to the one before. */
export function clausesOf(sentence: Span): Span[] {
  const { mask } = sentence
  if (/^(?:if|whenever|unless)\b/i.test(mask)) return [sentence]
  const ends: number[] = []
  const starts: number[] = [0]
  for (const found of mask.matchAll(JOINT)) {
    const from = starts[starts.length - 1] ?? 0
    const to = found.index + found[0].length
    if (found.index <= from || !joins(mask, from, found.index, to, found[0])) continue
    ends.push(found.index)
    starts.push(to)
  }
  return starts.map((start, index) => trim(cut(sentence, start, ends[index]))).filter((clause) => clause.mask !== '')
}

function joins(mask: string, from: number, at: number, to: number, joint: string): boolean {
  const right = mask.slice(to, to + 200)
  const left = mask.slice(from, Math.min(at, from + 1_000))
  const marked = MARKED.exec(right)
  if (marked) return followsOn(left, right.slice(marked[0].length))
  const lead = leadLength(right)
  if (lead > 0 ? !isOrder(right.slice(lead)) : !beginsClause(right)) return false
  if (/[;；]/.test(joint)) return true
  return canEndHere(left)
}

/** What a mark such as "then" introduces is a clause where it is an order, or a thing for the order before it. */
function followsOn(left: string, right: string): boolean {
  const after = right.replace(/^[\s,，:]+/, '')
  if (after === '' || isOrder(after) || !isOrder(left) || /^[\p{Script=Han}]/u.test(after)) return after !== ''
  return /^(?:an?|another|some|\d+)\s/i.test(after) && canEndHere(left)
}

/** Whether the clause so far is whole: an order with something to do it to, and nothing open that "and" would join to. */
function canEndHere(before: string): boolean {
  const left = before.replace(COURTESY, '')
  const words = left.trim().split(/\s+/)
  if (/\s(?:if|unless|until)\s/i.test(left)) return false
  if (words.length < 2 || (CONDITION.test(left) && !left.includes(','))) return false
  for (const found of left.matchAll(SUBORDINATE)) {
    const word = found[0].toLowerCase()
    if (!word.startsWith('to ') || isVerb(found[1] ?? '')) return false
  }
  return true
}

function pieces(span: Span, ends: readonly number[]): Span[] {
  const starts = [0, ...ends]
  return starts.map((start, index) => trim(cut(span, start, ends[index]))).filter((piece) => piece.mask !== '')
}
