import type { Block, Item, Section } from './blocks.ts'
import { withoutLead } from './lead.ts'
import type { Order } from './link.ts'
import { orderIn, takePlace } from './markers.ts'
import type { Span } from './span.ts'
import { proseOf, type Step, stepOfItem } from './steps.ts'
import { isOrder } from './verbs.ts'

/** What a section asks for. */
export interface SectionReading {
  steps: Step[]
  order: Order
  /** What leads up to the list, where that names it: "Plan a trip to Finland:". */
  title: string | null
  context: string[]
}

/** Longer running text is something to work on, rather than a request. */
const MAX_PROSE = 3_000
const MAX_TITLE = 100
/** Says that a list follows, and nothing else. */
const GENERIC =
  /^(?:please\s+)?(?:(?:can|could) you\s+)?(?:do|perform|carry out|complete|execute|run|here (?:is|are)|these are|i need|my|the|we need|follow)?\s*(?:(?:the|these|this|all|following|my|our|below|things?|tasks?|steps?|to-?dos?|to-?do list|list|plan|work|in|order|parallel|of|at|same|time|one|by|after|another|for me|that|sequence)[\s,]*){1,12}[:：.]?$/i
const MEANS_TASKS =
  /\b(?:tasks?|steps?|to-?dos?|to-?do list|do (?:the|these|this|all)|following things|plan)\b|任务|步骤|待办/i

export function readSection(section: Section): SectionReading {
  const reading: SectionReading = { steps: [], order: 'parallel', title: null, context: [] }
  for (const [index, block] of section.blocks.entries()) {
    const next = section.blocks[index + 1]
    const alone = block.kind === 'list' ? loneItem(block.items) : null
    if (alone) readProse(alone, reading, false)
    else if (block.kind === 'list') readList(block.items, introOf(section.blocks[index - 1]), reading)
    else if (next?.kind === 'list' && areTasks(next.items, block.span)) readIntro(block.span, reading)
    else readProse(block.span, reading, section.blocks.slice(0, index).some(isList))
  }
  return reading
}

/** One bullet is no list: it may hold several things to do. */
function loneItem(items: readonly Item[]): Span | null {
  const [only] = items
  const isAlone =
    items.length === 1 && only?.marker === 'bullet' && !only.done && only.children.length + only.more.length === 0
  return isAlone ? only.span : null
}

function isList(block: Block): boolean {
  return block.kind === 'list'
}

function introOf(block: Block | undefined): Span | null {
  return block?.kind === 'paragraph' ? block.span : null
}

function readIntro(intro: Span, reading: SectionReading): void {
  const plain = intro.text.replace(/\s+/g, ' ').trim()
  if (GENERIC.test(plain)) return
  if (plain.length <= MAX_TITLE && reading.title === null) reading.title = plain.replace(/\s*[:：.]$/, '')
  reading.context.push(plain)
}

function readProse(span: Span, reading: SectionReading, afterList: boolean): void {
  if (span.mask.length > MAX_PROSE) {
    reading.context.push(span.text)
    return
  }
  const { steps, context } = proseOf(span)
  // An order after a list is about what the list does.
  if (afterList) for (const step of steps) step.place ??= 'finally'
  reading.steps.push(...steps)
  reading.context.push(...context)
}

function readList(items: readonly Item[], intro: Span | null, reading: SectionReading): void {
  const last = reading.steps.at(-1)
  if (areTasks(items, intro)) {
    const said = intro && orderIn(intro.mask)
    const numbered = items.some((item) => item.marker === 'number')
    reading.order = said ?? (numbered ? 'sequence' : reading.order)
    reading.steps.push(...items.filter((item) => !item.done).map(readItem))
  } else if (last) last.notes.push(...items.map((item) => lines(item, '- ')))
  else reading.context.push(...items.map((item) => lines(item, '- ')))
}

/** An item with its children as steps, where they are; details become notes. */
function readItem(item: Item): Step {
  const step = stepOfItem(item)
  if (item.children.length === 0) return step
  if (areTasks(item.children, item.span)) step.children = item.children.filter((child) => !child.done).map(readItem)
  else step.notes.push(...item.children.map((child) => lines(child, '- ')))
  return step
}

function lines(item: Item, mark: string): string {
  const below = item.children.map((child) => lines(child, `  ${mark}`))
  return [mark + item.span.text, ...item.more.map((line) => line.text), ...below].join('\n')
}

/**
 * Whether the items of a list are things to do, or details of what is said before it. Most of them being orders decides;
 * else it is a list of things to do unless what is before it is an order or a question itself.
 */
export function areTasks(items: readonly Item[], intro: Span | null): boolean {
  const doable = items.filter(isDoable).length
  if (doable * 2 >= items.length) return true
  if (intro === null) return true
  return MEANS_TASKS.test(intro.mask) || !(isOrder(intro.mask) || /[?？]\s*$/.test(intro.mask))
}

function isDoable(item: Item): boolean {
  const { place, rest } = takePlace(item.span)
  const order = withoutLead(rest).mask
  // Orders are known in English only: elsewhere the list itself has to do.
  return place !== null || item.called || isOrder(order) || !/^[\p{Script=Latin}\p{N}\p{P}\p{S}\s\uE000]/u.test(order)
}
