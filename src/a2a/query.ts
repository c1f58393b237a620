import type { TSchema } from 'typebox'
import { camelCase } from './spelling.ts'

type Query = Readonly<Record<string, unknown>>

/**
 * A query's parameters as an operation's params: in camelCase or snake_case, and with the types that the schema has for
 * them. What is of another type stays a string, for the schema to refuse. (A2A 1.0 §11.5)
 */
export function readQuery(query: Query, schema: TSchema): Record<string, unknown> {
  const properties = (schema as { properties?: Record<string, { type?: string }> }).properties ?? {}
  const params: Record<string, unknown> = {}
  for (const [given, value] of Object.entries(query)) {
    const name = camelCase(given)
    if (!Object.hasOwn(properties, name) || (name !== given && Object.hasOwn(query, name))) continue
    params[name] = typed(value, properties[name]?.type)
  }
  return params
}

function typed(value: unknown, type: string | undefined): unknown {
  if (typeof value !== 'string') return value
  if (type === 'boolean' && (value === 'true' || value === 'false')) return value === 'true'
  const number = type === 'integer' || type === 'number'
  return number && /^-?\d{1,15}$/.test(value) ? Number(value) : value
}
