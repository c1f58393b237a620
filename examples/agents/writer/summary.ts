import type { Source, SummaryData } from '../citations.ts'
import { type Finding, type FindingsData, findingsIn } from '../findings.ts'
import { lengthLimitIn } from '../length-limit.ts'
import { Refusal, type WorkRequest, type WorkResult } from '../work.ts'
import { chooseQuotes, type Quote } from './choose.ts'

/** Words of each section's heading and of the lead, set aside before sentences are picked. */
const FRAME = 40

/**
 * Writes a summary in the sources' own words from the findings among the request's parts. Every sentence is a quote with
 * its citation; nothing is made up.
 */
export async function writeSummary({ text, parts }: WorkRequest): Promise<WorkResult> {
  const given = findingsIn(parts)
  if (given === undefined)
    throw new Refusal('No findings were given to write from: a data part with findings is needed.')
  const room = Math.max(20, Math.floor((lengthLimitIn(text).max - FRAME) * 0.9))
  const quotes = chooseQuotes(given.topic, given.findings, room)
  const { sources, numberOf } = numberSources(quotes)
  const data: SummaryData & FindingsData = { topic: given.topic, sources, findings: quotes.map((each) => each.finding) }
  const summary = `${quotes.length} sentences from ${sources.length} passages, all cited.`
  return {
    artifacts: [
      {
        name: 'summary',
        description: `A cited summary of what was found about: ${given.topic}`,
        parts: [
          { text: markdownOf(given, quotes, sources, numberOf), mediaType: 'text/markdown' },
          { data: { ...data, findings: once(data.findings) } },
        ],
      },
    ],
    summary,
  }
}

function once(findings: Finding[]): Finding[] {
  return [...new Set(findings)]
}

function numberSources(quotes: Quote[]): { sources: Source[]; numberOf: Map<Finding, number> } {
  const findings = once(inSections(quotes).flatMap(([, section]) => section.map((quote) => quote.finding)))
  const numberOf = new Map(findings.map((finding, index) => [finding, index + 1]))
  const sources = findings.map(({ file, line, endLine }, index) => ({ number: index + 1, file, line, endLine }))
  return { sources, numberOf }
}

/** By document, in the order in which each was first quoted; within one, as it reads. */
function inSections(quotes: Quote[]): [title: string, quotes: Quote[]][] {
  const sections = Map.groupBy(quotes, ({ finding }) => titleOf(finding.file))
  return [...sections].map(([title, section]) => [title, section.toSorted((a, b) => a.finding.line - b.finding.line)])
}

/** The innermost package of a path, else the file. */
function titleOf(file: string): string {
  const own = file.split('/node_modules/').at(-1) ?? file
  const [scope = '', name] = own.split('/')
  if (name === undefined) return own
  return scope.startsWith('@') ? `${scope}/${name}` : scope
}

function markdownOf(given: FindingsData, quotes: Quote[], sources: Source[], numberOf: Map<Finding, number>): string {
  const title = given.topic.charAt(0).toUpperCase() + given.topic.slice(1)
  if (quotes.length === 0) return `# ${title}\n\nNothing was found that could be quoted.\n`
  const files = new Set(given.findings.map((finding) => finding.file)).size
  const lead = `What ${files} documents say, in their own words.`
  const sections = inSections(quotes).map(([name, section]) => {
    const lines = section.map(({ text, finding }) => `- ${text} [${numberOf.get(finding)}]`)
    return `## ${name}\n\n${lines.join('\n')}`
  })
  const list = sources.map(({ number, file, line }) => `${number}. \`${file}:${line}\``)
  return `# ${title}\n\n${lead}\n\n${sections.join('\n\n')}\n\n## Sources\n\n${list.join('\n')}\n`
}
