import { readFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { bodyOf, citationsIn, isSummaryData, type Source } from '../citations.ts'
import { lengthLimitIn } from '../length-limit.ts'
import { passagesOf } from '../markdown.ts'
import { wordsOf } from '../words.ts'
import { artifactOf, type JsonPart, Refusal, type Work, type WorkResult } from '../work.ts'

/** The text under review, with the sources that its writer listed. */
interface Draft {
  markdown: string
  sources: Source[]
}

/** Reviews texts that cite files of `folder`. */
export function reviewWork(folder: string): Work {
  return async ({ text, parts, signal, say }) => {
    const draft = draftIn(parts)
    if (draft === undefined) throw new Refusal('No text with sources was given to review.')
    say(`Checking ${citationsIn(draft.markdown).length} citations`)
    const problems = [...lengthProblems(draft, text), ...(await citationProblems(draft, folder))]
    signal.throwIfAborted()
    return resultOf(draft, problems)
  }
}

/** The newest artifact among the parts that has both a text and its sources. */
function draftIn(parts: readonly JsonPart[]): Draft | undefined {
  const listed = parts.findLast((part) => isSummaryData(part.data))
  if (listed === undefined || !isSummaryData(listed.data)) return undefined
  const body = parts.findLast((part) => part.text !== undefined && artifactOf(part) === artifactOf(listed))
  if (!body?.text) return undefined
  return { markdown: body.text, sources: listed.data.sources }
}

function lengthProblems({ markdown }: Draft, request: string): string[] {
  const words = wordsOf(bodyOf(markdown)).length
  const { min, max } = lengthLimitIn(request)
  if (words > max) return [`It has ${words} words; at most ${max} fit.`]
  return words < min ? [`It has ${words} words; at least ${min} are needed.`] : []
}

/** What keeps a citation from resolving: no such source, no such place, or other words at that place. */
async function citationProblems({ markdown, sources }: Draft, folder: string): Promise<string[]> {
  const citations = citationsIn(markdown)
  const byNumber = new Map(sources.map((source) => [source.number, source]))
  const problems = await Promise.all(
    citations.map(async ({ number, quote }) => {
      const source = byNumber.get(number)
      if (source === undefined) return [`[${number}] is not among the sources.`]
      const found = await textAt(folder, source)
      if (found === undefined) return [`[${number}] does not resolve: there is no ${source.file}:${source.line}.`]
      return found.includes(quote) ? [] : [`[${number}] ${source.file}:${source.line} does not say “${quote}”`]
    }),
  )
  const cited = new Set(citations.map((citation) => citation.number))
  const idle = sources
    .filter((source) => !cited.has(source.number))
    .map((each) => `Source ${each.number} is not cited.`)
  const none = citations.length === 0 ? ['It cites nothing.'] : []
  return [...none, ...problems.flat(), ...idle]
}

/** The passage at a source's place. A path that leads out of the folder is answered like one that does not exist. */
async function textAt(folder: string, source: Source): Promise<string | undefined> {
  const path = resolve(folder, source.file)
  if (relative(resolve(folder), path).startsWith('..')) return undefined
  const text = await readFile(path, 'utf8').catch(() => undefined)
  return text === undefined ? undefined : passagesOf(text).find((passage) => passage.line === source.line)?.text
}

function resultOf(draft: Draft, problems: string[]): WorkResult {
  const citations = citationsIn(draft.markdown).length
  const words = wordsOf(bodyOf(draft.markdown)).length
  const verdict = problems.length === 0 ? 'approved' : 'changes needed'
  const checked = `${citations} citations checked, ${words} words: ${verdict}.`
  const list = problems.map((problem) => `- ${problem}`).join('\n')
  return {
    artifacts: [
      { name: 'summary', description: 'The text as it was reviewed.', parts: [textPart(draft.markdown)] },
      {
        name: 'review',
        description: 'Whether every citation resolves and the length fits.',
        parts: [
          textPart(problems.length === 0 ? checked : `${checked}\n\n${list}`),
          { data: { verdict, citations, words, problems } },
        ],
      },
    ],
    summary: checked,
  }
}

function textPart(text: string): JsonPart {
  return { text, mediaType: 'text/markdown' }
}
