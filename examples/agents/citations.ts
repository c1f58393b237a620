/** A numbered source under a text: where the words that cite it stand. */
export interface Source {
  number: number
  file: string
  line: number
  endLine: number
}

/** What a writer hands on beside its text, in a data part: the sources, and the findings they came from. */
export interface SummaryData {
  topic: string
  sources: Source[]
}

/** A sentence that cites, without its citation. */
export interface Citation {
  number: number
  quote: string
}

/** Every `sentence [n]` of a Markdown text, by line. */
export function citationsIn(markdown: string): Citation[] {
  return markdown.split('\n').flatMap((line) => {
    const match = /^(?:[-*]\s+)?(.*\S)\s+\[(\d+)\]$/.exec(line.trim())
    return match?.[1] && match[2] ? [{ quote: match[1], number: Number(match[2]) }] : []
  })
}

/** The text above its list of sources. */
export function bodyOf(markdown: string): string {
  return markdown.split(/^## Sources$/m)[0] ?? ''
}

export function isSummaryData(value: unknown): value is SummaryData {
  const { topic, sources } = (value ?? {}) as Partial<SummaryData>
  return typeof topic === 'string' && Array.isArray(sources) && sources.every(isSource)
}

function isSource(value: unknown): value is Source {
  const source = (value ?? {}) as Partial<Source>
  const whole = [source.number, source.line, source.endLine]
  return typeof source.file === 'string' && whole.every((number) => Number.isInteger(number))
}
