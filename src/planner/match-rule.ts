import type { PlaybookFile } from './playbook-schema.ts'
import type { Groups } from './template.ts'

/** Decides whether a text fits; the groups that it found, or null. */
export interface MatchRule {
  /** The names of groups that templates may ask for; `text` is always the whole text. */
  readonly groups: ReadonlySet<string>
  match(text: string): Groups | null
}

/** In characters. A pattern takes a request in a sentence or two apart; a bound keeps a slow one from being felt. */
const MAX_LENGTH = 500

/**
 * The rule of a playbook: a regular expression for the whole trimmed text (case does not matter), or keywords that all
 * stand in it as words. Throws an Error saying what is wrong with the rule. Patterns that repeat a repetition, as
 * `(a+)+` does, are refused: on some texts they take exponentially long, whatever the length is bounded to.
 */
export function createMatchRule(rule: PlaybookFile['match']): MatchRule {
  const { keywords, maxLength = MAX_LENGTH } = rule
  const pattern = Array.isArray(rule.pattern) ? rule.pattern.join('') : rule.pattern
  if ((pattern === undefined) === (keywords === undefined)) throw new Error('must have either pattern or keywords')
  const test = pattern === undefined ? byKeywords(keywords ?? []) : byPattern(pattern)
  const named = [...(pattern ?? '').matchAll(/\(\?<([A-Za-z_]\w*)>/g)].flatMap((match) => match[1] ?? [])
  return {
    groups: new Set(['text', ...named]),
    match: (text) => {
      if (text.length > maxLength) return null
      const found = test(text.replace(/\s+/g, ' '))
      return found && { ...found, text }
    },
  }
}

function byPattern(pattern: string): (text: string) => Groups | null {
  const expression = compile(pattern)
  return (text) => {
    const found = expression.exec(text)
    return found && { ...found.groups }
  }
}

function compile(pattern: string): RegExp {
  if (repeatsRepetition(pattern)) {
    throw new Error('pattern repeats a group that repeats something itself, which can take exponentially long')
  }
  try {
    return new RegExp(`^(?:${pattern})$`, 'isu')
  } catch (error) {
    throw new Error(`pattern is no regular expression: ${(error as Error).message}`)
  }
}

function byKeywords(keywords: readonly string[]): (text: string) => Groups | null {
  const wanted = keywords.map((keyword) => keyword.toLowerCase())
  return (text) => {
    const words = ` ${text.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, ' ')} `
    return wanted.every((keyword) => words.includes(` ${keyword} `)) ? {} : null
  }
}

/** Whether an unbounded quantifier stands on a group with an unbounded quantifier in it. */
function repeatsRepetition(pattern: string): boolean {
  const open: boolean[] = []
  const plain = pattern.replace(/\\./gs, 'a').replace(/\[[^\]]*\]/g, 'a')
  for (let index = 0; index < plain.length; index += 1) {
    const character = plain[index]
    if (character === '(') open.push(false)
    if (character === ')') {
      const inner = open.pop() ?? false
      const repeated = isUnbounded(plain, index + 1)
      if (inner && repeated) return true
      if ((inner || repeated) && open.length > 0) open[open.length - 1] = true
    } else if (isUnbounded(plain, index) && open.length > 0) open[open.length - 1] = true
  }
  return false
}

function isUnbounded(pattern: string, at: number): boolean {
  return /^(?:[*+]|\{\d+,\})/.test(pattern.slice(at, at + 12))
}
