import type { ErrorObject } from 'ajv'
import { closestMatch } from 'leven'
import type { Source } from './config-source.ts'

/** The settings are wrong. The message has one line for each: its path, what it was, what it may be. */
export class ConfigError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    const head = problems.length === 1 ? 'A setting is wrong' : `${problems.length} settings are wrong`
    super([`${head}, so Trellis does not start:`, ...problems.map((problem) => `  ${problem}`)].join('\n'))
    this.name = 'ConfigError'
    this.problems = problems
  }
}

/** Settings whose value is never shown. */
const SECRET = /^data\.databaseUrl$|\.headers(\.|\[|$)|^auth\.keys\[/

interface Schema {
  type?: string
  enum?: readonly string[]
  properties?: Record<string, unknown>
  description?: string
  oneOf?: { properties: { kind: { const: string } } }[]
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
}

/** One line for a schema error. Undefined for those that only repeat another. */
export function problemOf(error: ErrorObject, source: Source): string | undefined {
  const path = pathOf(error.instancePath)
  const schema = error.parentSchema as Schema
  const where = labelOf(path, source)
  if (error.keyword === 'additionalProperties') {
    return unknownKey(path, String(error.params['additionalProperty']), schema, source)
  }
  if (error.keyword === 'required') {
    const key = String(error.params['missingProperty'])
    return `${labelOf(join(path, key), source)}: is missing; must be ${describe(member(schema, key), key)}`
  }
  if (error.keyword === 'discriminator') return wrongKind(path, error, schema, source)
  return `${where}: was ${shown(path, error.data)}; must be ${describe(schema, path)}`
}

function unknownKey(path: string, key: string, schema: Schema, source: Source): string {
  const known = Object.keys(schema.properties ?? {})
  const nearest = closestMatch(key, known, { maxDistance: Math.max(2, Math.ceil(key.length / 3)) })
  const hint = nearest ? `did you mean ${join(path, nearest)}?` : `may be ${list(known)}`
  return `${labelOf(join(path, key), source)}: is no setting; ${hint}`
}

function wrongKind(path: string, error: ErrorObject, schema: Schema, source: Source): string | undefined {
  if (typeof error.data !== 'object' || error.data === null || !('kind' in error.data)) return undefined
  const kinds = (schema.oneOf ?? []).map((variant) => variant.properties.kind.const)
  return `${labelOf(`${path}.kind`, source)}: was ${shown(path, error.data.kind)}; must be one of ${list(kinds)}`
}

function member(schema: Schema, key: string): Schema {
  if (schema.oneOf && key === 'kind') return { enum: schema.oneOf.map((variant) => variant.properties.kind.const) }
  return (schema.properties?.[key] ?? {}) as Schema
}

/** What a value may be, in words. */
function describe(schema: Schema, path: string): string {
  if (schema.description) return schema.description
  if (schema.enum) return `one of ${list(schema.enum)}`
  if (schema.type === 'integer' || schema.type === 'number') return describeNumber(schema, path)
  if (schema.type === 'boolean') return 'true or false'
  if (schema.type === 'object') return 'settings written as key: value'
  if (schema.type === 'array') return 'a list'
  return schema.type === 'string' ? 'text' : 'something else'
}

function describeNumber(schema: Schema, path: string): string {
  const noun =
    schema.type === 'integer' ? 'a whole number' : path.endsWith('Seconds') ? 'a number of seconds' : 'a number'
  const from = schema.exclusiveMinimum === undefined ? `from ${schema.minimum}` : `above ${schema.exclusiveMinimum}`
  return `${noun} ${from} up to ${schema.maximum}`
}

function shown(path: string, value: unknown): string {
  return SECRET.test(path) ? '(not shown)' : (JSON.stringify(value) ?? 'nothing').slice(0, 120)
}

function labelOf(path: string, source: Source): string {
  const from = source.variables.get(path) ?? source.file
  return from === undefined ? path : `${path} (${from})`
}

/** `/agents/0/url` → `agents[0].url`. */
function pathOf(pointer: string): string {
  const keys = pointer.split('/').slice(1)
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~')).reduce(join, '')
}

function join(path: string, key: string): string {
  if (/^\d+$/.test(key)) return `${path}[${key}]`
  return path === '' ? key : `${path}.${key}`
}

function list(values: readonly string[]): string {
  return values.join(', ')
}
