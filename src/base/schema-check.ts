import { Ajv, type AnySchema, type ErrorObject, type Options, type ValidateFunction } from 'ajv'

/** Whether a value is what a schema says, and what was wrong with the last one asked about. */
export interface SchemaCheck<T> {
  (value: unknown): value is T
  readonly errors: ErrorObject[] | null
}

/**
 * A schema's check, compiled when it is first asked: all of them at once would hold up every start. That our schemas are
 * themselves right is for a test to say (test/unit/schemas.test.ts), not for every process anew.
 */
export function schemaCheck<T>(schema: AnySchema, options: Options = {}): SchemaCheck<T> {
  let compiled: ValidateFunction<T> | undefined
  const check = (value: unknown): value is T => {
    compiled ??= new Ajv({ ...options, validateSchema: false }).compile<T>(schema)
    return compiled(value)
  }
  return Object.defineProperty(check, 'errors', { get: () => compiled?.errors ?? null }) as SchemaCheck<T>
}
