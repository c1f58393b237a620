import { stemmer } from 'stemmer'

/** Words that say nothing about what a text is about, and those with which work is asked for. */
const EMPTY_WORDS = new Set(
  `a about above after again all also am an and any are as at be because been before being below between both but by can
  could did do does doing done down each else etc every few for from further had has have having he her here hers him his
  how i if in into is it its itself just like made make may me might more most must my need no nor not now of off on once
  one only or other our out over own same she should since so some such than that the their them then there these they
  this those through to too under until up upon us use used uses using very via was we were what when where whether which
  while who whom whose why will with within without would you your please tell find search look research investigate
  explore collect gather list explain describe write summarize summarise summary report review check paper papers finding
  findings step task question based first next finally short brief markdown cited citation citations word words`
    .split(/\s+/)
    .filter(Boolean),
)

/** Lower-case words of letters and digits, as they stand. */
export function wordsOf(text: string): string[] {
  return text.toLowerCase().match(/[\p{L}\p{N}]+(?:['’][\p{L}]+)?/gu) ?? []
}

/** A word's stem, or undefined for a word that says nothing. */
export function stemOf(word: string): string | undefined {
  const lower = word.toLowerCase()
  return lower.length < 2 || EMPTY_WORDS.has(lower) ? undefined : stemmer(lower)
}

/** The stems of a text, each as often as it stands there. */
export function stemsOf(text: string): string[] {
  return wordsOf(text).flatMap((word) => stemOf(word) ?? [])
}

/** How much of two sets is shared, from 0 to 1. */
export function overlap(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  let shared = 0
  for (const each of a) if (b.has(each)) shared += 1
  return shared === 0 ? 0 : shared / (a.size + b.size - shared)
}

/** Sentences as the language's own rules cut them. */
export function sentencesOf(text: string): string[] {
  const segmenter = new Intl.Segmenter('en', { granularity: 'sentence' })
  return Array.from(segmenter.segment(text), ({ segment }) => segment.trim()).filter((sentence) => sentence !== '')
}
