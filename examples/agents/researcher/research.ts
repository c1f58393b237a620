import type { Finding, FindingsData } from '../findings.ts'
import { stemsOf } from '../words.ts'
import type { Work, WorkResult } from '../work.ts'
import { Refusal } from '../work.ts'
import { readDocuments } from './documents.ts'
import { PassageIndex } from './search.ts'

const FINDINGS = 24

/** Indexes the folder's documents, a file a turn, so that the agent answers meanwhile. */
export async function indexFolder(folder: string): Promise<PassageIndex> {
  const index = new PassageIndex()
  for await (const document of readDocuments(folder)) index.add(document)
  return index
}

/** Searches what `index` resolves to for what the request is about. */
export function researchWork(index: Promise<PassageIndex>): Work {
  return async ({ text, signal, say }) => {
    const topic = topicOf(text)
    if (topic === '') throw new Refusal('The request names nothing to search for.')
    say('Reading the documents')
    const ready = await index
    signal.throwIfAborted()
    say(`Searching ${ready.passages} passages of ${ready.files} documents`)
    return resultOf(topic, ready.search(topic, FINDINGS), ready)
  }
}

const ASKED = /^\W*(?:please\s+)?(?:(?:research|investigate|explore|find|search|look|gather|collect)\b\s*)+/i
const LEAD = /^(?:(?:out|for|into|up|about|on)\b\s*)+/i

/**
 * What a request is about, without the words that only ask: its first line that says more than a single word does. A
 * task's name may be as short as "Search papers", with the topic in the lines below it.
 */
export function topicOf(text: string): string {
  const topics = text.split('\n').map((line) =>
    line
      .replace(ASKED, '')
      .replace(LEAD, '')
      .replace(/[\s.:;,!?]+$/, '')
      .trim(),
  )
  const telling = (words: number) => topics.find((topic) => stemsOf(topic).length >= words)
  return telling(2) ?? telling(1) ?? ''
}

function resultOf(topic: string, findings: Finding[], index: PassageIndex): WorkResult {
  const files = new Set(findings.map((finding) => finding.file)).size
  const searched = `${index.passages} passages of ${index.files} documents`
  const summary = `${findings.length} findings in ${files} documents, from ${searched}.`
  const data: FindingsData = { topic, findings }
  return {
    artifacts: [
      {
        name: 'findings',
        description: `What ${index.files} documents say about: ${topic}`,
        parts: [{ text: `${summary}\n\n${listOf(findings)}`, mediaType: 'text/markdown' }, { data }],
      },
    ],
    summary,
  }
}

function listOf(findings: Finding[]): string {
  return findings.map((finding) => `- \`${finding.file}:${finding.line}\` ${snippet(finding.text)}`).join('\n')
}

function snippet(text: string): string {
  return text.length <= 200 ? text : `${text.slice(0, 199).replace(/\s+\S*$/, '')} …`
}
