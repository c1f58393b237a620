export interface LengthLimit {
  min: number
  max: number
}

const UNASKED: LengthLimit = { min: 20, max: 400 }

/** How long a text may be, in words, as a request asks: "in at most 200 words", "about 300 words". */
export function lengthLimitIn(request: string): LengthLimit {
  const match = /(about|around|roughly|~)?\s*(\d{2,5})\s+words/i.exec(request)
  if (!match?.[2]) return UNASKED
  const words = Number(match[2])
  return { min: Math.min(UNASKED.min, words), max: match[1] ? Math.ceil(words * 1.2) : words }
}
