import { digits } from './digits.ts'
import { cut, type Span } from './span.ts'

/** `Task 1:`, and in Chinese; then `1)`, `(1)`, `1.`, `1、`. */
const CALLED =
  /(?<=^|[\s;；,，。.(（*])(?:(?:task|step)\s*#?|任务\s*|任務\s*|步骤\s*|步驟\s*)(\d{1,4}|[一二三四五六七八九十]{1,3})\s*[:：)、](?!\d)/gi
const NUMBERED = /(?<=^|[\s;；,，。:：])(?:\((\d{1,4})\)|(\d{1,4})(?:\)|）|、|\.(?=\s)))\s*(?=\S)/g

/**
 * A line in which items stand one after another, as in "1) book a flight 2) book a hotel", taken apart: what comes
 * before the first, then the items, marks and all. Null unless there are at least two that count up from 1.
 */
export function inlineItems(line: Span): Span[] | null {
  const starts = countingUp(line.mask, CALLED) ?? countingUp(line.mask, NUMBERED)
  if (!starts) return null
  const ends = [...starts.slice(1), line.mask.length]
  const items = starts.map((start, index) => cut(line, start, ends[index]))
  const before = cut(line, 0, starts[0])
  return before.mask.trim() === '' ? items : [before, ...items]
}

/** Where the marks stand that count up from 1; other numbers in between are part of the text. */
function countingUp(mask: string, pattern: RegExp): number[] | null {
  const starts: number[] = []
  for (const found of mask.matchAll(pattern)) {
    const number = digits(found[1] ?? found[2])
    if (number === String(starts.length + 1)) starts.push(found.index)
  }
  return starts.length > 1 ? starts : null
}
