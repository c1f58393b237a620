import { isUtf8 } from 'node:buffer'
import { invalidParams, TrellisError } from '../base/errors.ts'

/** Deeper JSON is refused before it is parsed: what recursion walks later must not overflow its stack. */
const MAX_DEPTH = 200

/** What makes a parsed value worth a second look: escapes that hide characters, and names that reach prototypes. */
const SUSPICIOUS = /\\u|__proto__|"constructor"/

const UNDERSCORED = /"[a-z0-9]+(?:_[a-z0-9]+)+"\s*:/i

export interface Parsed {
  value: unknown
  /** Fields may be spelled `like_this`. */
  underscored: boolean
  /** `refuseUnsafe` may find something in it; otherwise it would look in vain. */
  suspicious: boolean
}

/** Parses a request's body. Throws `parseError`; what JSON allows and Trellis does not is `invalidRequest`. */
export function parseJson(body: string | Buffer): Parsed {
  if (typeof body !== 'string' && !isUtf8(body)) throw new TrellisError('parseError', 'Parse error: it is not UTF-8')
  const text = String(body)
  if (depthOf(text) > MAX_DEPTH) {
    throw new TrellisError('invalidRequest', `The JSON is nested deeper than the ${MAX_DEPTH} levels that are allowed`)
  }
  try {
    return { value: JSON.parse(text), suspicious: SUSPICIOUS.test(text), underscored: UNDERSCORED.test(text) }
  } catch (error) {
    throw new TrellisError('parseError', `Parse error: ${(error as Error).message}`, { cause: error })
  }
}

/** How deep brackets nest. Text inside strings is jumped over. */
function depthOf(text: string): number {
  let depth = 0
  let deepest = 0
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at)
    if (code === 0x22) at = stringEnd(text, at)
    else if (code === 0x7b || code === 0x5b) {
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (code === 0x7d || code === 0x5d) depth -= 1
  }
  return deepest
}

/** The index of the quote that closes the string opened at `start`; the text's end if none does. */
function stringEnd(text: string, start: number): number {
  let end = text.indexOf('"', start + 1)
  while (end !== -1) {
    let slashes = 0
    while (text.charCodeAt(end - 1 - slashes) === 0x5c) slashes += 1
    if (slashes % 2 === 0) return end
    end = text.indexOf('"', end + 1)
  }
  return text.length
}

/** Postgres stores neither NUL nor half a surrogate pair, and no object may bring a prototype of its own. */
export function refuseUnsafe(value: unknown, at = ''): void {
  if (typeof value === 'string') refuseUnsafeText(value, at)
  if (typeof value !== 'object' || value === null) return
  if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) refuseUnsafe(item, `${at}[${index}]`)
    return
  }
  for (const [key, field] of Object.entries(value)) {
    const path = at === '' ? key : `${at}.${key}`
    refuseUnsafeText(key, path)
    if (key === '__proto__' || (key === 'constructor' && hasPrototype(field))) {
      throw invalidParams(path, 'this name is not allowed')
    }
    refuseUnsafe(field, path)
  }
}

function refuseUnsafeText(text: string, at: string): void {
  if (text.isWellFormed() && !text.includes('\0')) return
  throw invalidParams(at === '' ? 'params' : at, 'has a NUL character or half a surrogate pair, which is not allowed')
}

function hasPrototype(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.hasOwn(value, 'prototype')
}
