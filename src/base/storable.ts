/** What JSON writes for NUL and for half a surrogate pair. */
const SUSPECT = /\\u0000|\\ud[89a-f]/

/**
 * A value as Postgres can store it: NUL characters and halves of surrogate pairs, which it does not take, become U+FFFD.
 * The value itself where there are none. For what agents say: what they did is worth keeping; requests are refused instead.
 *
 * @throws TypeError for what JSON cannot write
 */
export function storable<T>(value: T): T {
  const text = JSON.stringify(value)
  return text !== undefined && SUSPECT.test(text) ? (clean(JSON.parse(text)) as T) : value
}

function clean(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed().replaceAll('\0', '\uFFFD')
  if (Array.isArray(value)) return value.map(clean)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [clean(key), clean(member)]))
}
