import * as library from 'math-expression-evaluator'

/** The library is an ES module that its package does not declare as one, so types and runtime disagree on `default`. */
const Mexp = library.default as unknown as new () => { eval(expression: string): number }

const ASKED =
  /^(?:please\s+)?(?:what(?:['’]?s|\s+is)|how\s+much\s+is|calculate|compute|evaluate|solve|work\s+out)\b:?\s*/i
const ENDING = /\s*(?:=\s*\??|\?+|\.)\s*$/
/** Longer ones are nothing a person asks in passing. */
const MAX_LENGTH = 120
/** Significant digits that a double carries without noise, and those that are shown. */
const EXACT_DIGITS = 15
const SHOWN_DIGITS = 12

/**
 * The text as a sum with its result, as in `2 + 2 = 4`; null where it is anything else. Asked outright ("What is …") any
 * sum will do; a bare one must not look like a date, a fraction or a telephone number.
 */
export function arithmeticAnswer(text: string): string | null {
  if (text.length > MAX_LENGTH) return null
  const trimmed = text.trim()
  const shown = trimmed.replace(ASKED, '').replace(ENDING, '').replace(/\s+/g, ' ').trim()
  const expression = toExpression(shown)
  if (!isSum(expression) || isIdiom(shown)) return null
  if (!ASKED.test(trimmed) && !/=\s*\??$/.test(trimmed) && !standsAlone(shown)) return null
  const value = evaluate(expression)
  return value === null ? null : `${shown} ${format(value)}`
}

/** The words and signs that people use, as the operators that the library knows. */
function toExpression(shown: string): string {
  return shown
    .toLowerCase()
    .replace(/(\d+(?:\.\d+)?)\s*(?:%|percent)\s+of\s+/g, '($1/100)*')
    .replace(/(\d),(?=\d{3}(?!\d))/g, '$1')
    .replace(/\bplus\b/g, '+')
    .replace(/\bminus\b|−/g, '-')
    .replace(/\b(?:times|multiplied by)\b|×|·|(?<=\d\s?)x(?=\s?\d)/g, '*')
    .replace(/\b(?:divided by|over)\b|÷/g, '/')
    .replace(/\bto the power of\b|\*\*/g, '^')
    .replace(/\s+/g, '')
}

/** Only numbers, operators and balanced brackets, with something to work out. */
function isSum(expression: string): boolean {
  if (!/^[\d.+\-*/^()]+$/.test(expression)) return false
  if (!/[\d)][+\-*/^]+[-(]*[\d.]/.test(expression)) return false
  // Powers in a row have a meaning that people and libraries disagree about.
  if (/\^[^+*/()]*\^|\d\.\d*\.|[+\-*/^]{3}|\d\(|\)[\d(]/.test(expression)) return false
  let depth = 0
  for (const character of expression) {
    if (character === '(') depth += 1
    if (character === ')') depth -= 1
    if (depth < 0) return false
  }
  return depth === 0
}

/** Written like a sum, and meant as something else. */
function isIdiom(shown: string): boolean {
  return (
    /^(?:9\/11|24\/7|50\/50|\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}\/\d{1,2}\/\d{2,4})$/.test(shown) || /^0\d/.test(shown)
  )
}

/** Without a question around it: 2+2 and 7 - 5, but no 2024-01-02, 10/4 or 555-1234. */
function standsAlone(shown: string): boolean {
  return /^-?[\d.]+ [-/−] [\d.]+$/.test(shown) || !/^\d+(?:\s?[-/]\s?\d+)+$/.test(shown)
}

function evaluate(expression: string): number | null {
  try {
    const value = new Mexp().eval(expression)
    return Number.isFinite(value) ? value : null
  } catch {
    return null // not a sum after all, as in `2 +`
  }
}

/** With `=` where the digits shown are all there are, with `≈` where they are not. */
function format(value: number): string {
  if (Number.isInteger(value) && Math.abs(value) <= Number.MAX_SAFE_INTEGER) return `= ${value}`
  const exact = Number(value.toPrecision(EXACT_DIGITS))
  const shown = Number(value.toPrecision(SHOWN_DIGITS))
  return exact === shown && Math.abs(value) <= Number.MAX_SAFE_INTEGER ? `= ${shown}` : `≈ ${shown}`
}
