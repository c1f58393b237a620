import { isObject } from './wire-in.ts'

type Json = Record<string, unknown>

/** What clients put there is theirs: names inside it stay as they are. */
const OPAQUE = new Set(['metadata', 'data', 'params', 'header', 'schema'])

/**
 * Field names as Protocol Buffers write them (`message_id`) become those of JSON (`messageId`), which both versions also
 * allow. A field that is there in both spellings keeps the latter. (A2A 1.0 §5.5)
 */
export function inCamelCase(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inCamelCase)
  if (!isObject(value)) return value
  const renamed: Json = {}
  for (const [name, field] of Object.entries(value)) {
    const camel = camelCase(name)
    if (camel !== name && Object.hasOwn(value, camel)) continue
    renamed[camel] = OPAQUE.has(camel) ? field : inCamelCase(field)
  }
  return renamed
}

export function camelCase(name: string): string {
  return name.replace(/(?<=[a-z0-9])_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
}
