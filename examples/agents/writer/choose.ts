import type { Finding } from '../findings.ts'
import { overlap, sentencesOf, stemsOf, wordsOf } from '../words.ts'

/** A sentence as it stands in a finding. */
export interface Quote {
  text: string
  finding: Finding
}

interface Candidate extends Quote {
  stems: Set<string>
  words: number
  worth: number
}

/** Sentences that share more than this say the same. */
const SAME = 0.5
const MAX_PER_FILE = 3

/**
 * Picks whole sentences until the words are used up: those that fit the topic best, that others bear out, and that say
 * something no sentence picked before says.
 */
export function chooseQuotes(topic: string, findings: readonly Finding[], maxWords: number): Quote[] {
  const candidates = weigh(topic, findings.flatMap(candidatesOf))
  const chosen: Candidate[] = []
  let words = 0
  for (const candidate of candidates) {
    const fromFile = chosen.filter((other) => other.finding.file === candidate.finding.file).length
    const told = chosen.some((other) => overlap(other.stems, candidate.stems) > SAME)
    if (told || fromFile === MAX_PER_FILE || words + candidate.words > maxWords) continue
    words += candidate.words
    chosen.push(candidate)
  }
  return chosen.map(({ text, finding }) => ({ text, finding }))
}

function candidatesOf(finding: Finding): Candidate[] {
  const sentences = sentencesOf(finding.text).filter(standsAlone)
  return sentences.map((text) => ({
    text,
    finding,
    stems: new Set(stemsOf(text)),
    words: wordsOf(text).length,
    worth: 0,
  }))
}

/** A whole sentence that is understood without the one before it. */
function standsAlone(sentence: string): boolean {
  const words = wordsOf(sentence).length
  if (words < 7 || words > 45 || /\[\d+\]$/.test(sentence)) return false
  if (!/^["'“‘(]?[\p{Lu}\p{N}]/u.test(sentence) || !/[.!?]["'”’)]?$/.test(sentence)) return false
  return !/^(?:this|that|these|those|it|they|he|she|but|and|or|so|however|also|in (?:the )?other words|therefore|see|e\.g)\b/i.test(
    sentence,
  )
}

/** Best first: the finding's own score, the share of the topic that the sentence has, and how far others agree. */
function weigh(topic: string, candidates: Candidate[]): Candidate[] {
  const wanted = new Set(stemsOf(topic))
  const worthOf = ({ finding, stems }: Candidate) => {
    const hit = [...wanted].filter((stem) => stems.has(stem)).length / Math.max(1, wanted.size)
    const borneOut = candidates.reduce((sum, other) => sum + overlap(other.stems, stems), 0) / candidates.length
    return finding.score + hit + borneOut
  }
  return candidates
    .map((candidate) => ({ ...candidate, worth: worthOf(candidate) }))
    .toSorted((a, b) => b.worth - a.worth)
}
