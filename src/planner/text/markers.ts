import { cut, type Span, trim } from './span.ts'

/** What a clause says of its place among the others. */
export type Place = 'first' | 'then' | 'finally' | 'parallel'

const END = '(?:[,:，：、]\\s*|\\s+|$)'
const DONE =
  '(?:(?:once|when|as soon as|after) (?:(?:that|this|it|everything|all(?: of (?:that|this|it|them))?|they|these|those|both)(?: (?:is|are|has been|have been))? )?(?:done|finished|complete|completed|ready|finishes|complete[sd]?))'

/** Each is looked for at the start of a clause. The order matters: "and then finally" is `finally`. */
const LEADING: readonly [Place, RegExp][] = [
  [
    'finally',
    new RegExp(
      `^(?:and |then |and then |but )?(?:finally|lastly|last of all|at the end|in the end|to finish|to conclude)${END}`,
      'i',
    ),
  ],
  [
    'parallel',
    new RegExp(
      `^(?:and |but )?(?:meanwhile|in the meantime|in parallel(?: (?:with|to) (?:that|this|it))?|at the same time|simultaneously|concurrently|parallel to (?:that|this)|while (?:that|this|it) (?:is )?(?:runs?|running|happens|happening|in progress))${END}`,
      'i',
    ),
  ],
  [
    'then',
    new RegExp(
      `^(?:and |but )?(?:then|after (?:that|this|which|wards?)|afterwards?|thereafter|subsequently|later(?! today| this| on\\b)|next(?! (?:week|month|year|day|time|to|door|mon|tue|wed|thu|fri|sat|sun))|following (?:that|this)|from there|with that(?: done)?|based on (?:that|this|it)|${DONE})${END}(?:then\\s+)?`,
      'i',
    ),
  ],
  [
    'then',
    /^(?:second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth)(?:ly)?(?:[,:]\s*|\s+(?=\p{L}+\s+(?:an?|the|my|our|your|it|them|all)\b))/iu,
  ],
  [
    'first',
    /^(?:first(?:ly| of all)?|to (?:begin|start)(?: with)?|start by|begin by)(?:[,:]\s*|\s+)(?!time|class|aid|name)/i,
  ],
  ['finally', /^(?:最后|最後|最终|最終)[，,：:]?\s*/],
  ['parallel', /^(?:同时|同時|与此同时|與此同時|并行地?|並行地?)[，,：:]?\s*/],
  ['then', /^(?:然后|然後|接着|接著|接下来|接下來|随后|隨後|之后|之後|其次|下一步|再)[，,：:]?\s*/],
  ['first', /^(?:首先|第一步)[，,：:]?\s*/],
]

const TRAILING_PARALLEL =
  /[,\s]+[(（]?(?:in parallel(?: (?:with|to) (?:(?:task|step|item)?\s*#?\d+|it|that|this))?|at the same time|simultaneously|concurrently|meanwhile)[)）]?\s*[.!]?\s*$/i
const SAYS_PARALLEL =
  /\b(?:in parallel|at the same time|simultaneously|concurrently|in any order|independently)\b|并行|並行|同时进行/i
const SAYS_SEQUENCE =
  /\b(?:in (?:this|that|the following|the given) order|in order\b(?! to)|in sequence|sequentially|one after (?:the other|another)|one by one|step by step|steps)\b|依次|按顺序|按順序/i

/** The clause without what it says of its place, and what that was. Several say it once: the first counts. */
export function takePlace(span: Span): { place: Place | null; rest: Span } {
  for (const [place, pattern] of LEADING) {
    const found = pattern.exec(span.mask)
    if (found && found[0].length > 0) return { place, rest: trim(cut(span, found[0].length)) }
  }
  const trailing = TRAILING_PARALLEL.exec(span.mask.slice(-60))
  if (!trailing) return { place: null, rest: span }
  const end = Math.max(0, span.mask.length - 60) + trailing.index
  return end === 0 ? { place: null, rest: span } : { place: 'parallel', rest: trim(cut(span, 0, end)) }
}

/** Whether a text about several tasks, as before a list, says how they go together. */
export function orderIn(mask: string): 'parallel' | 'sequence' | null {
  if (SAYS_PARALLEL.test(mask)) return 'parallel'
  return SAYS_SEQUENCE.test(mask) ? 'sequence' : null
}
