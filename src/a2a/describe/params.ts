import type { TSchema } from 'typebox'
import { isObject } from '../wire-in.ts'

export interface Param {
  name: string
  required: boolean
  schema: object
}

/** Fields that are read by a look at what they are, so that their schema alone says less than is known. */
const KNOWN: Readonly<Record<string, object>> = {
  message: { $ref: '#/components/schemas/Message' },
  artifacts: { type: 'array', items: { $ref: '#/components/schemas/Artifact' } },
}

/** An operation's params by name. */
export function paramsOf(schema: TSchema): Param[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, object>; required?: string[] }
  return Object.entries(properties).map(([name, property]) => ({
    name,
    required: required.includes(name),
    schema: KNOWN[name] ?? plain(property),
  }))
}

/** A schema as JSON has it: without the marks that its library leaves. */
export function plain(schema: object): object {
  return JSON.parse(JSON.stringify(schema)) as object
}

/** What a param is, in a few words. */
export function typeText(schema: object): string {
  const { $ref, type, enum: values, items } = schema as Record<string, unknown>
  if (typeof $ref === 'string') return $ref.slice($ref.lastIndexOf('/') + 1)
  if (Array.isArray(values)) return values.map((value) => `\`${value}\``).join(', ')
  if (type === 'array') return isObject(items) ? `list of ${typeText(items)}` : 'list'
  return String(type ?? 'any JSON')
}
