import type { JsonPart } from './work.ts'

/** A passage that speaks to a question, and where it stands: lines `line` to `endLine` of `file`. */
export interface Finding {
  /** Relative to the folder that was searched. */
  file: string
  line: number
  endLine: number
  /** The heading above it; empty when there is none. */
  heading: string
  text: string
  /** How well it fits, against the best finding of its search: above 0, up to 1. */
  score: number
}

/** What a search hands on, in a data part. */
export interface FindingsData {
  /** What was searched for, in words. */
  topic: string
  findings: Finding[]
}

const MAX_FINDINGS = 500

/** Every well-formed finding among the parts, once, best first; `undefined` when no part carries findings. */
export function findingsIn(parts: readonly JsonPart[]): FindingsData | undefined {
  const found = parts.flatMap((part) => (isFindingsData(part.data) ? [part.data] : []))
  const first = found[0]
  if (first === undefined) return undefined
  const all = found.flatMap((data) => data.findings.filter(isFinding))
  const once = new Map(all.map((finding) => [`${finding.file}:${finding.line}`, finding]))
  const findings = [...once.values()].toSorted((a, b) => b.score - a.score).slice(0, MAX_FINDINGS)
  return { topic: first.topic, findings }
}

function isFindingsData(data: unknown): data is FindingsData {
  const { topic, findings } = (data ?? {}) as Partial<FindingsData>
  return typeof topic === 'string' && Array.isArray(findings)
}

/** Other agents send these: what is not as it should be is left out, not trusted. */
function isFinding(value: unknown): value is Finding {
  const finding = (value ?? {}) as Partial<Finding>
  const texts = [finding.file, finding.heading, finding.text]
  const numbers = [finding.line, finding.endLine, finding.score]
  return texts.every((text) => typeof text === 'string') && numbers.every((number) => Number.isFinite(number))
}
