import { digits } from './digits.ts'
import { inlineItems } from './inline-list.ts'
import { cut, type Span, trim } from './span.ts'

interface At {
  /** Columns of white space before it; a tab is four. */
  indent: number
  span: Span
}

/** One line, by what it is. */
export type Line =
  | { kind: 'blank' }
  | ({ kind: 'heading'; level: number; label: string | null } & At)
  | ({ kind: 'item'; marker: 'number' | 'bullet'; label: string | null; done: boolean; called: boolean } & At)
  | ({ kind: 'text' } & At)

/** A heading that is bold or underlined instead of marked stands below those that are marked. */
const BOLD_LEVEL = 7

const NUMBER = '(\\d{1,4}|[一二三四五六七八九十]{1,3})'
/** `Task 1:`, `Step 2 -`, `任务 3：`. */
const CALLED = new RegExp(
  `^(?:\\*\\*|__)?(?:(task|step|to-?do|item)\\s*#?|任务\\s*|任務\\s*|步骤\\s*|步驟\\s*|第)${NUMBER}(?:步|项|項)?(?:\\*\\*|__)?\\s*(?:[:：.)、,，]|[-–—](?=\\s))(?:\\*\\*|__)?\\s*(?=\\S)`,
  'i',
)
const NUMBERED = /^(?:\((\d{1,4})\)|(\d{1,4})(?:[.):]\s+|[)）、．]\s*|\.(?=[\p{L}])|\ufe0f?\u20e3\s*))(?=\S)/u
const CHINESE = /^([一二三四五六七八九十]{1,3})[、．.]\s*(?=\S)/
const PATH = /^(\d{1,3}(?:\.\d{1,3}){1,4})[.)]?\s+(?=\S)/
const LETTERED = /^(?:\(([a-z])\)|([a-z])[.)]|([ivx]{2,4})[.)])\s+(?=\S)/
const BULLET = /^(?:[-*+•‣◦▪●○·–—]\s+|[•‣◦▪●]\s*|\p{Extended_Pictographic}\ufe0f?\s+)(?=\S)/u
const CHECKBOX = /^\[([ xX])\]\s+/
const HEADING = /^(#{1,6})\s+(?=\S)/
const PHASE =
  /^(?:phase|part|stage|plan|milestone|阶段|第[一二三四五六七八九十]阶段)\s*#?(\d{1,3}|[一二三四五六七八九十])?\s*(?:[:：.)]|[-–—](?=\s))\s*(?=\S)/i
const BOLD = /^(?:\*\*[^*]{1,200}\*\*|__[^_]{1,200}__)\s*[:：]?\s*$/

/** The text as lines, each with what marks it taken off. Linear in the text's length. */
export function linesOf(text: Span): Line[] {
  const lines: Line[] = []
  let from = 0
  for (const mask of text.mask.split('\n')) {
    const line = cut(text, from, from + mask.length)
    from += mask.length + 1
    const last = lines[lines.length - 1]
    if (/^\s*(?:=+|-{3,})\s*$/.test(mask) && last?.kind === 'text') {
      lines[lines.length - 1] = { ...last, kind: 'heading', level: mask.includes('=') ? 1 : 2, label: null }
    } else if (/^\s*(?:-{3,}|\*{3,}|_{3,})\s*$/.test(mask)) lines.push({ kind: 'blank' })
    // Items within a line count like items on lines of their own.
    else lines.push(...(inlineItems(line) ?? [line]).map(lineOf))
  }
  return lines
}

/** One line, without regard to those around it. */
export function lineOf(line: Span): Line {
  const span = trim(line)
  if (span.mask === '') return { kind: 'blank' }
  const indent = /^\s*/.exec(line.mask)?.[0].replaceAll('\t', '    ').length ?? 0
  return headingOf(span, indent) ?? itemOf(span, indent) ?? { kind: 'text', indent, span }
}

function headingOf(span: Span, indent: number): Line | null {
  const marked = HEADING.exec(span.mask)
  if (marked) return labelled(cut(span, marked[0].length), indent, marked[1]?.length ?? 1)
  if (BOLD.test(span.mask) || PHASE.test(span.mask)) return labelled(span, indent, BOLD_LEVEL)
  return null
}

/** A heading, without the number or "Phase 1:" in front of its name. */
function labelled(span: Span, indent: number, level: number): Line {
  const plain = trimMarks(span)
  const phase = PHASE.exec(plain.mask)
  if (phase) return { kind: 'heading', level, indent, label: digits(phase[1]), span: cut(plain, phase[0].length) }
  const item = itemOf(plain, indent)
  if (item?.kind === 'item' && item.marker === 'number')
    return { kind: 'heading', level, indent, label: item.label, span: trimMarks(item.span) }
  return { kind: 'heading', level, indent, label: null, span: plain }
}

function itemOf(span: Span, indent: number): Line | null {
  const bullet = BULLET.exec(span.mask)
  const inner = bullet ? cut(span, bullet[0].length) : span
  const box = bullet && CHECKBOX.exec(inner.mask)
  const body = box ? cut(inner, box[0].length) : inner
  const done = box !== null && box[1] !== ' '
  const number = numberOf(body.mask)
  if (number) {
    return {
      kind: 'item',
      marker: 'number',
      indent,
      done,
      label: number.label,
      called: number.called,
      span: trim(cut(body, number.length)),
    }
  }
  return bullet && { kind: 'item', marker: 'bullet', indent, done, label: null, called: false, span: trim(body) }
}

function numberOf(mask: string): { label: string | null; called: boolean; length: number } | null {
  const called = CALLED.exec(mask)
  // "Step" is an order of things; "Task" is only a name for one.
  if (called)
    return { label: digits(called[2]), called: !/^\W*(?:step|步|第)/i.test(called[0]), length: called[0].length }
  const found = PATH.exec(mask) ?? NUMBERED.exec(mask) ?? CHINESE.exec(mask) ?? LETTERED.exec(mask)
  return found && { label: digits(found[1] ?? found[2] ?? found[3]), called: false, length: found[0].length }
}

/** Without emphasis around the whole, a colon at the end, and closing `#`. */
export function trimMarks(span: Span): Span {
  const end = /(?:[:：\s]|\*\*|__|#)+$/.exec(span.mask.slice(-20))?.[0].length ?? 0
  const start = /^(?:\*\*|__|\s)+/.exec(span.mask)?.[0].length ?? 0
  return cut(span, start, Math.max(start, span.mask.length - end))
}
