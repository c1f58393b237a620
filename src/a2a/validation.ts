import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import ajvFormats from 'ajv-formats'
import type { Static, TSchema } from 'typebox'
import { invalidParams } from '../base/errors.ts'

const ajv = new Ajv({ verbose: true, allErrors: false, strict: true, strictTypes: false, strictRequired: false })
ajvFormats.default(ajv, ['date-time'])

/** Returns the value as what its schema says, or throws `invalidParams` that names the first field at fault. */
export type Check<T> = (value: unknown, at?: string) => T

/** Compiles a schema once, when it is first needed: all of them at once would hold up every start. `at` is where the value stands in the params, as in `message.parts[0]`. */
export function check<S extends TSchema>(schema: S): Check<Static<S>> {
  let validate: ValidateFunction | undefined
  return (value, at = '') => {
    validate ??= ajv.compile(schema)
    if (validate(value)) return value as Static<S>
    const [error] = validate.errors ?? []
    throw error ? fieldError(error, at) : invalidParams(at, 'is not valid')
  }
}

function fieldError(error: ErrorObject, at: string) {
  const missing = error.keyword === 'required' ? `.${error.params['missingProperty']}` : ''
  const field = fieldPath(at, error.instancePath) + missing
  const path = field.startsWith('.') ? field.slice(1) : field
  if (missing) return invalidParams(path, `is missing; expected ${expectedProperty(error)}`)
  return invalidParams(path === '' ? 'params' : path, `was ${shown(error.data)}; expected ${expected(error)}`)
}

/** `/parts/0/text` below `message` is `message.parts[0].text`. */
function fieldPath(at: string, pointer: string): string {
  const steps = pointer.split('/').slice(1)
  return steps.reduce((path, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~')
    return /^\d+$/.test(name) ? `${path}[${name}]` : `${path}.${name}`
  }, at)
}

function expectedProperty(error: ErrorObject): string {
  const properties = error.parentSchema?.['properties'] as Record<string, Record<string, unknown>> | undefined
  return describe(properties?.[error.params['missingProperty']])
}

function expected(error: ErrorObject): string {
  const { limit } = error.params as { limit?: number }
  switch (error.keyword) {
    case 'minLength':
      return limit === 1 ? 'a string that is not empty' : `at least ${limit} characters`
    case 'maxLength':
      return `at most ${limit} characters`
    case 'minimum':
    case 'maximum':
      return `${describe(error.parentSchema)} ${error.keyword === 'minimum' ? 'of at least' : 'of at most'} ${limit}`
    case 'minItems':
      return `a list of at least ${limit}`
    case 'maxItems':
      return `a list of at most ${limit}`
    default:
      return describe(error.parentSchema)
  }
}

const TYPE_WORDS: Record<string, string> = {
  string: 'a string',
  integer: 'an integer',
  number: 'a number',
  boolean: 'true or false',
  object: 'an object',
  array: 'a list',
}

function describe(schema: Record<string, unknown> | undefined): string {
  if (typeof schema?.['description'] === 'string') return schema['description']
  if (Array.isArray(schema?.['enum'])) return `one of ${schema['enum'].join(', ')}`
  if (schema?.['format'] === 'date-time') return 'an ISO 8601 time, as in 2026-01-31T12:00:00Z'
  return TYPE_WORDS[String(schema?.['type'])] ?? 'another value'
}

/** The value as an error shows it: short, and never a whole document. */
export function shown(value: unknown): string {
  if (value === undefined) return 'missing'
  const json = typeof value === 'number' ? String(value) : (JSON.stringify(value) ?? String(value))
  return json.length > 60 ? `${json.slice(0, 57)}…` : json
}
