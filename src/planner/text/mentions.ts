import { withoutLead } from './lead.ts'
import type { Step } from './steps.ts'
import { COURTESY, firstWord, isVerb } from './verbs.ts'

/** "it" and the like as what the order is about, with no other noun before it that it could mean. */
const PRONOUN =
  /^\s+(?:(?:up|out|down|in|into|on|to|from|with|for|about|over|through|all|both|each|of|based|me|us|him|her)\s+){0,3}(it|them|these|those|both|this|that|its|their|one)\b(?!\s+(?:is|are|was|clear|sure|that|possible|easy)\b)(?:\s+(\p{L}+))?/iu
/** Orders that need something to do it to: without one they mean what came before. */
const NEEDS_OBJECT =
  /^(?:translate|summari[sz]e|review|proofread|edit|test|deploy|publish|send|e-?mail|print|format|compile|submit|share|present|verify|validate|sort|rank|save|refactor|compare|combine|merge|illustrate|evaluate|upload|post|report|rewrite|shorten|polish|revise|rate)(?:\s+(?:into|in|to|for|by|as|with|on|from)\b|\s*$)/i
const RESULT =
  /\b(?:the|your|these|those|its|their|all)\s+(?:\p{L}+\s+)?(?:results?|outputs?|outcomes?|findings|answers?|responses?|drafts?|notes)\b|\b(?:based on|using|with|from|after)\s+(?:it|that|this|them|these|those|both)\b|基于此|基于它|根据结果|据此/iu
const DEFINITE = /\b(?:the|this|that|these|those|said)\s+((?:[\p{L}-]+\s*){1,4})/giu
const INDEFINITE = /\b(?:an?|another|some|one|two|three|several|new)\s+((?:[\p{L}-]+\s*){1,4})/giu
const NAMED_IN_BRACKETS = /[(（](?:after|depends on|based on|once|requires|needs|using)\s*:?\s+([\p{L}\s-]{2,60})/giu
/** What an order makes, where the noun is not the verb. */
const MADE: Readonly<Record<string, string>> = {
  summarize: 'summary',
  summarise: 'summary',
  translate: 'translation',
  reserve: 'reservation',
  book: 'booking',
  analyze: 'analysis',
  analyse: 'analysis',
  compare: 'comparison',
  illustrate: 'illustration',
  implement: 'implementation',
  evaluate: 'evaluation',
  research: 'research',
  draw: 'drawing',
  paint: 'painting',
}
/** Gathering, and making something of what was gathered: the second needs the first, though no word says so. */
const GATHERS =
  /^(?:research|search|find|look (?:up|into|for)|collect|gather|investigate|read|fetch|download|survey|analy[sz]e|explore|study|review|scan|query|retrieve|identify|interview|compare|browse|evaluate|test|measure|benchmark|inspect|examine|assess|check|audit|monitor)\b/i
const MAKES =
  /^(?:summari[sz]e|(?:write|draft|compose|create|make|prepare|produce|generate|compile)\s+(?:up\s+)?(?:an?|the|some|me|us|your)?\s*(?:[\p{L}-]+\s+){0,3}?(?:summary|report|overview|essay|article|post|paper|brief|briefing|review|conclusion|recommendations?|comparison|analysis|digest|memo|presentation|proposal|plan|table|chart|document|conclusions|synthesis)\b|synthesi[sz]e|conclude|recommend|draw conclusions|visuali[sz]e|report)/iu
const STOP = new Set(
  'and or of to in on at for with from by the a an it is are be as based task step then after about into all that this user following'.split(
    ' ',
  ),
)

/** What a step adds to the world for later ones to speak of, and what it speaks of. */
export interface Nouns {
  makes: ReadonlySet<string>
}

/** The nouns that a step brings up: those after "a", its bare object, and the noun of its verb. */
export function nounsOf(step: Step): Nouns {
  const order = orderOf(step)
  const made = new Set<string>()
  for (const found of order.matchAll(INDEFINITE)) for (const word of wordsOf(found[1])) made.add(word)
  const verb = firstWord(order)
  if (verb) {
    if (!/^\s+(?:the|this|that|my|our|your|it|them)\b/i.test(verb.rest))
      for (const word of objectOf(verb.rest)) made.add(word)
    if (isVerb(verb.word)) made.add(MADE[verb.word] ?? verb.word)
  }
  return { makes: made }
}

/**
 * The earlier step that a step speaks of in words: "the hotel booking" is the one that books a hotel. Of several, the
 * one with the most words in common, then the latest. Undefined where there is none.
 */
export function spokenOf(step: Step, earlier: readonly Nouns[]): number | undefined {
  let best: number | undefined
  let bestScore = 0
  for (const words of definitePhrases(step)) {
    for (let index = earlier.length - 1; index >= Math.max(0, earlier.length - NEAR); index -= 1) {
      const score = words.filter((word) => earlier[index]?.makes.has(word)).length
      if (score > bestScore) [best, bestScore] = [index, score]
    }
  }
  return best
}

/** How many steps back "the …" reaches; a bound that keeps long lists linear. */
const NEAR = 50

function definitePhrases(step: Step): string[][] {
  const mask = step.span.mask.slice(0, 2_000)
  const phrases = [...mask.matchAll(DEFINITE)].map((found) => wordsOf(found[1]))
  for (const found of mask.matchAll(NAMED_IN_BRACKETS)) phrases.push(wordsOf(found[1]))
  const lead = /^(?:after|following|once|when|based on|using|with)\s+([^,]{1,100}),/i.exec(mask)
  return lead ? [...phrases, wordsOf(lead[1])] : phrases
}

/** Whether a step means what came right before it without naming it: "translate it", "summarize the findings". */
export function meansPrevious(step: Step): boolean {
  const mask = step.span.mask.slice(0, 2_000)
  if (RESULT.test(mask)) return true
  const order = orderOf(step)
  if (NEEDS_OBJECT.test(order)) return true
  const verb = firstWord(order)
  const found = verb && PRONOUN.exec(verb.rest)
  if (!found) return false
  // "make that book" speaks of a book; "do that" of what came before.
  const isDeterminer = /^(?:this|that|these|those|one)$/i.test(found[1] ?? '') && found[2] !== undefined
  return !isDeterminer || /^(?:to|into|in|as|with|for|by|and|on|again)$/i.test(found[2] ?? '')
}

/** Whether it means several: "compare them", "combine both". */
export function meansSeveral(step: Step): boolean {
  return /\b(?:them|these|those|both|results|findings|outputs|answers|all)\b/i.test(step.span.mask.slice(0, 2_000))
}

/** Whether a step makes something of what the one before gathers: "research …" and "write a report". */
export function buildsOn(step: Step, previous: Step): boolean {
  return MAKES.test(orderOf(step)) && GATHERS.test(orderOf(previous))
}

function orderOf(step: Step): string {
  return withoutLead(step.span).mask.slice(0, 2_000).replace(COURTESY, '')
}

/** The nouns of a bare object: "papers" in "search papers about whales". */
function objectOf(rest: string): string[] {
  const found = /^\s+((?:[\p{L}-]+\s*){1,4})/u.exec(rest)
  return wordsOf(found?.[1])
}

/** Content words up to the first preposition, without their plural's s. */
function wordsOf(phrase: string | undefined): string[] {
  const words: string[] = []
  for (const word of (phrase ?? '').toLowerCase().split(/\s+/)) {
    if (/^(?:to|in|on|at|for|with|from|by|about|into|of|that|which|and|or|is|are|as)$/.test(word) && words.length > 0)
      break
    if (word.length > 2 && !STOP.has(word)) words.push(word.replace(/(?<=\p{L}{3})s$/u, ''))
  }
  return words
}
