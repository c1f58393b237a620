import type { Item } from './blocks.ts'
import { clausesOf, sentencesOf } from './clauses.ts'
import { withoutLead } from './lead.ts'
import { type Place, takePlace } from './markers.ts'
import { cut, type Span, spanOf, without } from './span.ts'
import { COURTESY, firstWord, isOrder } from './verbs.ts'

/** One thing to do, as the text says it. */
export interface Step {
  /** All that was said of it, without its number and its place. */
  span: Span
  place: Place | null
  label: string | null
  /** Its number is a name, rather than a place in an order. */
  called: boolean
  /** It stands in one sentence with the step before it. */
  continues: boolean
  direction: Span | null
  /** What was said about it in sentences of their own. */
  notes: string[]
  children: Step[]
}

/** A sentence that says how to do what was just asked for, rather than what to do next. */
const REMARK =
  /^(?:please )?(?:keep|make (?:sure|it|them|this)|ensure|use|include|limit|avoid|do not|don['’]t|never|always|note|remember|focus|be|cite|mention|consider|assume|let me know|let us know|stick to|follow|thank|thanks|add (?:some|more)|look (?:for|at)|start with|try to|no |it |they |this |these |that |the |there )\b/i
const PLEASANTRY =
  /^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening)|thanks|thank you|many thanks|cheers|regards|best regards|please)\b[^.!?\n]{0,24}[.!,]*$/i
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
    if (PLEASANTRY.test(sentence.mask)) continue
    const steps = clausesOf(sentence).flatMap(stepsOfClause)
    if (isWork(sentence, steps, prose.steps.length > 0)) {
      for (const [index, step] of steps.entries()) {
        prose.steps.push({ ...withVerb(step, prose.steps.at(-1)), continues: index > 0 })
      }
      continue
    }
    const last = prose.steps.at(-1)
    if (last) last.notes.push(sentence.text)
    else prose.context.push(sentence.text)
  }
  return prose
}

/** "Book a flight, then a hotel": the verb counts on. */
function withVerb(step: Step, previous: Step | undefined): Step {
  const order = previous && without(withoutLead(previous.span), COURTESY)
  const verb = order && DISTRIBUTES.test(order.mask) ? firstWord(order.mask)?.word : undefined
  if (!order || verb === undefined || !/^(?:an?|another)\s/i.test(step.span.mask)) return step
  return { ...step, span: joinedWith(cut(order, 0, verb.length), step.span, ' ') }
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
  // "then a hotel and a spa": the second begins with the first, not after it.
  const beside = plain.place === 'then' || plain.place === 'finally' ? 'parallel' : plain.place
  return distributed(plain.rest).map((span, index) => stepOf(span, index === 0 ? plain.place : beside))
}

function stepOf(span: Span, place: Place | null): Step {
  return { span, place, label: null, called: false, continues: false, direction: null, notes: [], children: [] }
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

/** A name of a step: its first sentence's order, in one line, with a capital. */
export function nameOfStep({ span }: Step): string {
  const [first] = sentencesOf(firstLine(span))
  const plain = without(withoutLead(withoutAside(first ?? span)), COURTESY)
  const name = withoutEnd(plain)
    .text.replace(/\s+/g, ' ')
    .replace(/\*\*|__/g, '')
    .trim()
  return name === '' ? span.text : name.charAt(0).toUpperCase() + name.slice(1)
}

function firstLine(span: Span): Span {
  const end = span.text.indexOf('\n')
  return end > 0 ? cut(span, 0, end) : span
}

/** "(after 1)" at the end says when, not what. */
function withoutAside(span: Span): Span {
  const found =
    /\s*[(（](?:after|before|depends|based|needs|requires|once|using|in parallel|parallel)\b[^()（）]{0,100}[)）]\s*[.!。]?$/i.exec(
      span.mask,
    )
  return found ? cut(span, 0, found.index) : span
}

function withoutEnd(span: Span): Span {
  const end = /(?:[\s.,;:!?。；，：！？]|\s(?:and|then))+$/i.exec(span.mask.slice(-12))
  return end ? cut(span, 0, span.mask.length - end[0].length) : span
}

/** A heading as the step that its section is. */
export function stepOfText(text: string, label: string | null): Step {
  const { place, rest } = takePlace(spanOf(text))
  return { ...stepOf(rest.mask === '' ? spanOf(text) : rest, rest.mask === '' ? null : place), label }
}
