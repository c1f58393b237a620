/**
 * A piece of the text, and the same piece with everything that must not be taken apart blanked out, character for
 * character. Structure is looked for in `mask`; what is found is cut out of `text`.
 */
export interface Span {
  readonly text: string
  readonly mask: string
}

/** Stands for a character of code, a quotation, a link or an address. From the private use area: no text has it. */
const BLANK = '\uE000'

/**
 * Fenced and inline code, quoted lines, quotations, links and e-mail addresses. Lengths within a line are bounded, so
 * that an opening mark without its closing one costs no more than that. A fence that is not closed goes on to the end.
 */
const OPAQUE = new RegExp(
  [
    '```[^]*?(?:```|(?![^]))',
    '~~~[^]*?(?:~~~|(?![^]))',
    '`[^`\\n]{1,500}`',
    '^[ \\t]*>.*$',
    '"[^"\\n]{1,500}"',
    '“[^”]{1,500}”',
    '„[^“”]{1,500}[“”]',
    '«[^»]{1,500}»',
    '「[^」]{1,500}」',
    '『[^』]{1,500}』',
    '\\b[a-z][a-z0-9+]{1,10}:\\/\\/[^\\s<>"]*[^\\s<>".,;:!?)\\]。，；]',
    '[\\w.+-]{1,64}@[\\w-]{1,64}(?:\\.[\\w-]{1,64}){1,5}',
  ].join('|'),
  'gim',
)

/** The text with its line ends as `\n`, and its mask. */
export function spanOf(text: string): Span {
  const unix = text.replace(/\r\n?|\u2028|\u2029/g, '\n')
  const mask = unix.replace(OPAQUE, (found) => BLANK.repeat(found.length))
  return { text: unix, mask }
}

export function cut(span: Span, from: number, to: number = span.mask.length): Span {
  return { text: span.text.slice(from, to), mask: span.mask.slice(from, to) }
}

/** Without the white space at both ends. */
export function trim(span: Span): Span {
  const from = span.text.length - span.text.trimStart().length
  return cut(span, from, Math.max(from, span.text.trimEnd().length))
}

/** Without what the pattern, anchored to the start of the mask, finds there. */
export function without(span: Span, start: RegExp): Span {
  const found = start.exec(span.mask)
  return found && found.index === 0 ? cut(span, found[0].length) : span
}
