import { type Line, linesOf } from './lines.ts'
import { takePlace } from './markers.ts'
import { cut, type Span } from './span.ts'

/** An item of a list, with what stands below it. */
export interface Item {
  span: Span
  marker: 'number' | 'bullet'
  /** Its number or letter, as written. */
  label: string | null
  /** Called "Task N": the number is a name, rather than a place in an order. */
  called: boolean
  /** Ticked off in a list of checkboxes. */
  done: boolean
  /** What was said right before it about when it begins. */
  direction: Span | null
  /** Further lines of the item itself. */
  more: Span[]
  children: Item[]
}

export type Block = { kind: 'paragraph'; span: Span } | { kind: 'list'; items: Item[] }

/** What stands under one heading; the first section of a text may have none. */
export interface Section {
  heading: Span | null
  label: string | null
  level: number
  blocks: Block[]
}

interface Open {
  indent: number
  item: Item
}

/** The text as sections of paragraphs and nested lists. Linear in the text's length. */
export function sectionsOf(text: Span): Section[] {
  const builder = new SectionBuilder()
  for (const line of linesOf(text)) builder.add(line)
  return builder.sections
}

/** A line such as "(After Task 1 finishes)": when what follows it begins. */
const DIRECTION = /^[(（](?:after|once|when|while|as soon as)\b[^()（）]*[)）][.:]?$/i
/** The same at the end of an item. It is about the next one where it names this one. */
const TRAILING_DIRECTION = /\s[(（](?:after|once|when)\b[^()（）]{1,200}[)）]\s*$/i

class SectionBuilder {
  readonly sections: Section[] = []
  /** The items that the next one may belong to, outermost first. */
  #open: Open[] = []
  #afterBlank = true
  #direction: Span | null = null

  add(line: Line): void {
    if (line.kind === 'blank') this.#afterBlank = true
    else if (line.kind === 'heading') this.#addHeading(line)
    else if (line.kind === 'item') this.#addItem(line)
    else this.#addText(line)
    if (line.kind !== 'blank') this.#afterBlank = false
  }

  #addHeading(line: Line & { kind: 'heading' }): void {
    this.#open = []
    this.sections.push({ heading: line.span, label: line.label, level: line.level, blocks: [] })
  }

  #addItem(line: Line & { kind: 'item' }): void {
    const { marker, label, called, done } = line
    const { span, direction } = withoutDirection(line.span, label)
    const item: Item = { span, marker, label, called, done, direction: this.#direction, more: [], children: [] }
    this.#direction = direction
    this.#close(line.indent, marker)
    const parent = this.#open[this.#open.length - 1]
    if (parent) parent.item.children.push(item)
    else this.#list().push(item)
    this.#open.push({ indent: line.indent, item })
  }

  /** Ends the items that one at this indent does not stand below. One column is no indent: people slip. */
  #close(indent: number, marker: Item['marker']): void {
    for (let top = this.#open.at(-1); top; top = this.#open.at(-1)) {
      const deeper = indent > top.indent + 1
      const level = Math.abs(indent - top.indent) <= 1
      // Bullets right below a number, not indented, are its children; the next number ends them.
      const ofAnotherKind = level && top.item.marker !== marker && !this.#hasOuter(indent, marker)
      if (deeper || ofAnotherKind) return
      this.#open.pop()
    }
  }

  #hasOuter(indent: number, marker: Item['marker']): boolean {
    return this.#open.slice(0, -1).some((open) => Math.abs(open.indent - indent) <= 1 && open.item.marker === marker)
  }

  #list(): Item[] {
    const blocks = this.#section().blocks
    const last = blocks.at(-1)
    if (last?.kind === 'list') return last.items
    const items: Item[] = []
    blocks.push({ kind: 'list', items })
    return items
  }

  #addText(line: Line & { kind: 'text' }): void {
    if (DIRECTION.test(line.span.mask)) {
      this.#direction = line.span
      return
    }
    const top = this.#open.at(-1)
    // "Finally, …" right below a list is about the list, though no blank line says so.
    const lazy = !this.#afterBlank && takePlace(line.span).place === null
    const continues = top && (line.indent > top.indent + 1 || lazy)
    if (continues) {
      top.item.more.push(line.span)
      return
    }
    this.#open = []
    const blocks = this.#section().blocks
    const last = blocks.at(-1)
    if (last?.kind === 'paragraph' && !this.#afterBlank) last.span = joined(last.span, line.span)
    else blocks.push({ kind: 'paragraph', span: line.span })
  }

  #section(): Section {
    const last = this.sections.at(-1)
    if (last) return last
    const first: Section = { heading: null, label: null, level: 0, blocks: [] }
    this.sections.push(first)
    return first
  }
}

function withoutDirection(span: Span, label: string | null): { span: Span; direction: Span | null } {
  const tail = Math.max(0, span.mask.length - 220)
  const found = TRAILING_DIRECTION.exec(span.mask.slice(tail))
  if (!found || label === null || !new RegExp(`\\D${label}(?!\\d)`).test(found[0])) return { span, direction: null }
  return { span: cut(span, 0, tail + found.index), direction: cut(span, tail + found.index) }
}

function joined(one: Span, other: Span): Span {
  return { text: `${one.text}\n${other.text}`, mask: `${one.mask}\n${other.mask}` }
}
