import type { ErrorObject } from 'ajv'

interface Schema {
  type?: string
  enum?: readonly unknown[]
  description?: string
  properties?: Record<string, unknown>
  minimum?: number
  exclusiveMinimum?: number
  maximum?: number
}

export interface SchemaProblem {
  /** From the value's root, as in `[0].tasks[1].name`. */
  path: string
  /** What was given and what is allowed. */
  description: string
}

/** The first thing that an Ajv validator (with `verbose`) found wrong. Where alternatives failed, their common parent says it. */
export function schemaProblem(errors: readonly ErrorObject[]): SchemaProblem {
  const error = errors.find(({ keyword }) => keyword === 'oneOf') ?? errors[0]
  if (!error) return { path: '', description: 'is not valid' }
  const schema = error.parentSchema as Schema
  const at = pathOf(error.instancePath)
  if (error.keyword === 'additionalProperties') {
    const known = Object.keys(schema.properties ?? {}).join(', ')
    return {
      path: at + member(String(error.params['additionalProperty'])),
      description: `is unknown; allowed are ${known}`,
    }
  }
  if (error.keyword === 'required') {
    const name = String(error.params['missingProperty'])
    const wanted = schema.properties?.[name] as Schema | undefined
    return { path: at + member(name), description: `is missing; must be ${allowed(wanted ?? {})}` }
  }
  return { path: at, description: `was ${shown(error.data)}; must be ${allowed(schema)}` }
}

/** What a value may be, in words. */
function allowed(schema: Schema): string {
  if (schema.description) return schema.description
  if (schema.enum) return `one of ${schema.enum.join(', ')}`
  if (schema.type === 'integer' || schema.type === 'number') return allowedNumber(schema)
  const words: Record<string, string> = {
    object: 'an object',
    array: 'a list',
    string: 'text',
    boolean: 'true or false',
  }
  return words[schema.type ?? ''] ?? 'something else'
}

function allowedNumber({ type, minimum, exclusiveMinimum, maximum }: Schema): string {
  const noun = type === 'integer' ? 'a whole number' : 'a number'
  const from = exclusiveMinimum === undefined ? `from ${minimum}` : `above ${exclusiveMinimum}`
  return `${noun} ${from} up to ${maximum}`
}

/** A value as its own JSON, as far as it helps to find it again. */
function shown(value: unknown): string {
  if (Array.isArray(value)) return `a list of ${value.length}`
  if (typeof value === 'object' && value !== null)
    return `an object with ${Object.keys(value).slice(0, 5).join(', ') || 'nothing'}`
  if (typeof value === 'string') return JSON.stringify(value.slice(0, 80))
  return String(value)
}

/** `/0/tasks/1` → `[0].tasks[1]`. */
function pathOf(pointer: string): string {
  const keys = pointer.split('/').slice(1)
  return keys.map((key) => member(key.replaceAll('~1', '/').replaceAll('~0', '~'))).join('')
}

/** How a member is written after a path: `[0]`, `.name`, or `["opt/v1/plan"]`. */
export function member(key: string): string {
  if (/^\d+$/.test(key)) return `[${key}]`
  return /^[A-Za-z_$][\w$]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`
}
