import { TrellisError } from '../base/errors.ts'
import type { Part } from '../domain/message.ts'

/**
 * Refuses a part of a media type that the card does not accept. A part without one is taken for what its content is by
 * default; a file of no declared type for anything. (A2A 1.0 §3.3.2, §4.4.1 defaultInputModes)
 */
export function checkMediaTypes(parts: readonly Part[], accepted: readonly string[] | undefined, at: string): void {
  if (accepted === undefined) return
  for (const [index, part] of parts.entries()) {
    const type = typeOf(part)
    if (type === undefined || accepted.some((range) => covers(range, type))) continue
    const field = `${at}[${index}].mediaType`
    throw new TrellisError(
      'contentTypeNotSupported',
      `${field} was ${JSON.stringify(type)}; accepted are ${accepted.join(', ')}`,
      { violations: [{ field, description: `expected one of ${accepted.join(', ')}` }], details: { mediaType: type } },
    )
  }
}

function typeOf(part: Part): string | undefined {
  if (part.mediaType) return part.mediaType
  if ('text' in part) return 'text/plain'
  return 'data' in part ? 'application/json' : undefined
}

/** `*∕*`, `image/*`, or the type itself; parameters and case make no difference. */
export function covers(range: string, type: string): boolean {
  const [wanted, given] = [range, type].map((text) => text.split(';', 1)[0]?.trim().toLowerCase() ?? '')
  if (wanted === '*' || wanted === '*/*' || wanted === given) return true
  return wanted?.endsWith('/*') === true && given?.startsWith(wanted.slice(0, -1)) === true
}
