import type { Item } from './blocks.ts'
import { clausesOf, sentencesOf } from './clauses.ts'
import { type Place, takePlace } from './markers.ts'
import { cut, type Span, spanOf, trim, without } from './span.ts'
import { COURTESY, firstWord, isOrder } from './verbs.ts'

/** One thing to do, as the text says it. */
export interface Step {
  /** All that was said of it, without its number and its place. */
  span: Span
  place: Place | null
  label: string | null
  /** Its number is a name, rather than a place in an order. */
  called: boolean
  direction: Span | null
  /** What was said about it in sentences of their own. */
  notes: string[]
  children: Step[]
}

/** A sentence that says how to do what was just asked for, rather than what to do next. */
const REMARK =
  /^(?:please )?(?:keep|make (?:sure|it|them|this)|ensure|use|include|limit|avoid|do not|don['’]t|never|always|note|remember|focus|be|cite|mention|consider|assume|let me know|let us know|stick to|follow|thank|thanks|add (?:some|more)|look (?:for|at)|start with|try to|no |it |they |this |these |that |the |there )\b/i
/** What someone takes one of, and another: "book a hotel and a table" is two things to do. */
const DISTRIBUTES = /^(?:book|reserve|rent|schedule|hire)\b/i
const ANOTHER = /(?:\s*,\s*(?:and\s+)?|\s+and\s+)(?=(?:an?|another)\s)/gi

/** A text's sentences, apart: what is to be done, and what is said around it. */
export interface Prose {
  steps: Step[]
  /** What was said before the first step. */
  context: string[]
}

/**
 * The steps in running text. A sentence that orders nothing belongs to the step before it, or to the context where
 * there is none.
 */
export function proseOf(paragraph: Span): Prose {
  const prose: Prose = { steps: [], context: [] }
  for (const sentence of sentencesOf(paragraph)) {
    const steps = clausesOf(sentence).flatMap(stepsOfClause)
    if (isWork(sentence, steps, prose.steps.length > 0)) {
      prose.steps.push(...steps)
      continue
    }
    const last = prose.steps.at(-1)
    if (last) last.notes.push(sentence.text)
    else prose.context.push(sentence.text)
  }
  return prose
}

function isWork(sentence: Span, steps: readonly Step[], followsAnother: boolean): boolean {
  const [first] = steps
  if (!first) return false
  if (first.place !== null) return true
  if (followsAnother && REMARK.test(sentence.mask) && !/^the\b.{0,40}\bthen\b/i.test(sentence.mask)) return false
  return isOrder(first.span.mask) || isOrder(withoutLead(first.span).mask) || /^(?:if|unless)\b/i.test(sentence.mask)
}

function stepsOfClause(clause: Span): Step[] {
  const { place, rest } = takePlace(withoutEnd(clause))
  const plain = place === null ? takePlace(without(rest, COURTESY)) : { place, rest }
  if (plain.rest.mask === '') return []
  return distributed(plain.rest).map((span) => stepOf(span, plain.place))
}

function stepOf(span: Span, place: Place | null): Step {
  return { span, place, label: null, called: false, direction: null, notes: [], children: [] }
}

/** "Book a hotel and a snowmobile" as "Book a hotel" and "book a snowmobile", each with what leads to both. */
function distributed(span: Span): Span[] {
  const order = without(withoutLead(span), COURTESY)
  const lead = span.mask.length - order.mask.length
  const verb = firstWord(order.mask)
  if (!verb || !DISTRIBUTES.test(order.mask)) return [span]
  const before = cut(span, 0, lead + verb.word.length)
  const pieces: Span[] = []
  let from = 0
  for (const found of order.mask.matchAll(ANOTHER)) {
    // "between a sea and a lake" is one thing.
    if (found.index === 0 || /\b(?:between|with|of|for)\s[^,]*$/i.test(order.mask.slice(from, found.index))) continue
    pieces.push(cut(order, from, found.index))
    from = found.index + found[0].length
  }
  pieces.push(cut(order, from))
  return pieces.map((piece, index) =>
    index === 0 ? joinedWith(cut(span, 0, lead), piece, '') : joinedWith(before, piece, ' '),
  )
}

function joinedWith(one: Span, other: Span, between: string): Span {
  return { text: one.text + between + other.text, mask: one.mask + between + other.mask }
}

/** A list item as a step; its sentences stay together. */
export function stepOfItem(item: Item): Step {
  const { place, rest } = takePlace(withoutEnd(item.span))
  return {
    ...stepOf(rest.mask === '' ? item.span : rest, rest.mask === '' ? null : place),
    label: item.label,
    called: item.called,
    direction: item.direction,
    notes: item.more.map((line) => line.text),
  }
}

/** "Based on task 1," and the like before the order itself. */
const LEAD =
  /^(?:(?:based|building|depending) (?:up)?on|after|following|once|when|as soon as|using|with|from|given|for|in addition to|基于|基於|根据|根據|使用|在|依据)[^,，:.;]{1,160}?[,，]\s*(?:then\s+|please\s+)?/i

/** The order, without what leads up to it. */
export function withoutLead(span: Span): Span {
  const found = LEAD.exec(span.mask)
  return found ? trim(cut(span, found[0].length)) : span
}

/** A name of a step: its first sentence's order, in one line, with a capital. */
export function nameOfStep({ span }: Step): string {
  const [first] = sentencesOf(span)
  const plain = without(withoutLead(withoutAside(first ?? span)), COURTESY)
  const name = withoutEnd(plain)
    .text.replace(/\s+/g, ' ')
    .replace(/\*\*|__/g, '')
    .trim()
  return name === '' ? span.text : name.charAt(0).toUpperCase() + name.slice(1)
}

/** "(after 1)" at the end says when, not what. */
function withoutAside(span: Span): Span {
  const found =
    /\s*[(（](?:after|depends|based|needs|requires|once|using|in parallel|parallel)\b[^()（）]{0,100}[)）]\s*[.!。]?$/i.exec(
      span.mask,
    )
  return found ? cut(span, 0, found.index) : span
}

function withoutEnd(span: Span): Span {
  const end = /(?:[\s.,;:!。；，：！]|\s(?:and|then))+$/i.exec(span.mask.slice(-12))
  return end ? cut(span, 0, span.mask.length - end[0].length) : span
}

/** A heading as the step that its section is. */
export function stepOfText(text: string, label: string | null): Step {
  const { place, rest } = takePlace(spanOf(text))
  return { ...stepOf(rest.mask === '' ? spanOf(text) : rest, rest.mask === '' ? null : place), label }
}
