import fc from 'fast-check'

type Json = unknown

/** Values that code tends to trip over. */
const NASTY: readonly Json[] = [
  null,
  true,
  0,
  -1,
  1.5,
  2 ** 53,
  1e308,
  '',
  ' ',
  'x'.repeat(70_000),
  'nul \u0000 in it',
  'half \ud800 a pair',
  '__proto__',
  'constructor',
  '../../etc/passwd',
  "'; DROP TABLE task; --",
  '%00',
  '💥'.repeat(300),
  '9999-99-99T99:99:99Z',
  [],
  {},
  [[[[[[]]]]]],
  { constructor: { prototype: { polluted: true } } },
  { $ref: '#' },
]

/** A value nested so deep that recursion over it ends badly. */
function nested(depth: number): Json {
  let value: Json = 'deep'
  for (let at = 0; at < depth; at += 1) value = at % 2 ? [value] : { a: value }
  return value
}

const nasty = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...NASTY) },
  { weight: 1, arbitrary: fc.nat(260).map(nested) },
  { weight: 2, arbitrary: fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json> },
)

interface Mutation {
  kind: 'replace' | 'remove' | 'add' | 'rename' | 'wrap'
  at: number
  value: Json
  name: string
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  kind: fc.constantFrom('replace', 'remove', 'add', 'rename', 'wrap'),
  at: fc.nat(1_000),
  value: nasty,
  name: fc.constantFrom(
    'id',
    'taskId',
    'task_id',
    'contextId',
    'metadata',
    'tenant',
    '__proto__',
    'extra',
    'parts',
    'kind',
  ),
})

/** Some changes to be made to a request that is right. None leaves it so. */
export const mutations = fc.array(mutation, { maxLength: 4 })

interface Place {
  parent: Record<string, Json>
  key: string
}

function placesIn(value: Json, found: Place[] = []): Place[] {
  if (typeof value !== 'object' || value === null || found.length > 500) return found
  for (const key of Object.keys(value)) {
    found.push({ parent: value as Record<string, Json>, key })
    placesIn((value as Record<string, Json>)[key], found)
  }
  return found
}

/** The request with the changes made to it. */
export function mutated(request: Json, changes: readonly Mutation[]): Json {
  const root = { root: structuredClone(request) as Json }
  for (const { kind, at, value, name } of changes) {
    const places = placesIn(root)
    const place = places[at % places.length]
    if (place === undefined) break
    const { parent, key } = place
    if (kind === 'remove') delete parent[key]
    else if (kind === 'wrap') parent[key] = [parent[key]]
    else if (kind === 'rename') define(parent, name, parent[key])
    else if (kind === 'add') define(parent, name, value)
    else define(parent, key, value)
  }
  return root.root
}

/** As JSON.parse would: a member called `__proto__` is a member. */
function define(parent: Record<string, Json>, key: string, value: Json): void {
  // A value of its own: later changes may be made inside it.
  Object.defineProperty(parent, key, {
    value: structuredClone(value),
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

/** Text as bytes, now and then cut off or with a byte that is no UTF-8. */
export const damage = fc.option(
  fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.option(fc.nat(255)) }),
  {
    freq: 6,
  },
)

export function damaged(text: string, how: { at: number; byte: number | null } | null): Buffer<ArrayBuffer> {
  const bytes = Buffer.from(text) as Buffer<ArrayBuffer>
  if (how === null || bytes.length === 0) return bytes
  const at = Math.floor(how.at * (bytes.length - 1))
  if (how.byte === null) return bytes.subarray(0, at)
  bytes[at] = how.byte
  return bytes
}
