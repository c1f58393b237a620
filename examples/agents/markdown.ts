/** A paragraph or list item in plain words, with the lines that it stands on, counted from 1. */
export interface Passage {
  line: number
  endLine: number
  /** The nearest heading above. */
  heading: string
  text: string
}

const FENCE = /^\s*(```|~~~)/
const HEADING = /^\s{0,3}#{1,6}\s+(.+?)\s*#*\s*$/
const ITEM = /^\s*(?:[-*+]|\d{1,3}[.)])\s+/
/** Tables, rules, link definitions and underlines carry no sentences. */
const NOISE = /^\s*(?:\||[-=_*]{3,}\s*$|\[[^\]]+\]:\s)/

/** Cuts Markdown or plain text into passages. Code blocks and tables are left out. */
export function passagesOf(source: string): Passage[] {
  const passages: Passage[] = []
  let heading = ''
  let open: { line: number; lines: string[] } | undefined
  let fenced = false
  const close = () => {
    if (open) passages.push(passage(open.line, open.lines, heading))
    open = undefined
  }
  for (const [index, line] of source.split(/\r?\n/).entries()) {
    if (FENCE.test(line)) fenced = !fenced
    const title = HEADING.exec(line)?.[1]
    const ends = fenced || FENCE.test(line) || line.trim() === '' || title !== undefined || NOISE.test(line)
    if (ends || ITEM.test(line)) close()
    if (title !== undefined && !fenced) heading = plain(title)
    if (ends) continue
    open ??= { line: index + 1, lines: [] }
    open.lines.push(line)
  }
  close()
  return passages.filter((each) => each.text !== '')
}

function passage(line: number, lines: string[], heading: string): Passage {
  const unquoted = lines.map((each) => each.replace(/^\s*(?:>\s?)+/, ''))
  return { line, endLine: line + lines.length - 1, heading, text: plain(unquoted.join(' ')) }
}

/** The words without their markup: what a reader sees. */
export function plain(markdown: string): string {
  return markdown
    .replace(/<!--.*?-->/g, ' ')
    .replace(/!\[[^\]]*\](?:\([^)]*\)|\[[^\]]*\])/g, ' ')
    .replace(/\[([^\]]*)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/<\/?[A-Za-z][^>]*>/g, ' ')
    .replace(/<(https?:[^>]+)>/g, '$1')
    .replace(/^\s*(?:[-*+]|\d{1,3}[.)])\s+(?:\[[ xX]\]\s+)?/, '')
    .replace(/^\s*\[!(?:NOTE|TIP|IMPORTANT|WARNING|CAUTION)\]\s*/i, '')
    .replace(/(`+)([^`]+)\1/g, '$2')
    .replace(/(\*\*|__|\*|~~)(?=\S)(.*?)(?<=\S)\1/g, '$2')
    .replaceAll('&nbsp;', ' ')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .replace(/\s+/g, ' ')
    .trim()
}
