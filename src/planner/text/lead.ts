import { cut, type Span, trim } from './span.ts'

/** "Based on task 1," and "once the flight is booked" before the order itself. */
const LEAD =
  /^(?:(?:and|but)\s+)?(?:(?:(?:based|building|depending) (?:up)?on|after|following|once|when|as soon as|using|with|from|given|for|in addition to|before|to|基于|基於|根据|根據|使用|在|依据)[^,，:.;]{1,160}?[,，]\s*|(?:after|once|when|as soon as) [^,，:.;]{1,80}? (?:is|are|has been|have been) (?:\w{2,20}ed|done|ready|complete|written|found|known|made|sent|built)\s+)(?:then\s+|please\s+)?/i

/** The order, without what leads up to it. */
export function withoutLead(span: Span): Span {
  const length = leadLength(span.mask)
  return length === 0 ? span : trim(cut(span, length))
}

/** In characters; 0 where nothing leads up to it. */
export function leadLength(mask: string): number {
  return LEAD.exec(mask)?.[0].length ?? 0
}
