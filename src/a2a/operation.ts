import type { Static, TSchema } from 'typebox'
import { TrellisError } from '../base/errors.ts'
import type { Call, Version } from './call.ts'
import { type Demand, demand } from './identity.ts'
import { counted } from './quota.ts'
import type { Trellis } from './trellis.ts'
import { check } from './validation.ts'
import { withoutBlanks } from './wire-in.ts'

/** (A2A 1.0 §3.3.4) */
const NO_STREAMS = 'This server does not stream: its card says capabilities.streaming false'

/** One result of a stream. `seq` is the event to resume after; a frame without one cannot be resumed after. */
export interface Frame {
  seq?: number
  result: unknown
}

export type Verb = 'GET' | 'POST' | 'PATCH' | 'DELETE'

interface Described {
  /** What a caller needs to be allowed to do. */
  scope: Demand
  schema: TSchema
  /** Where the HTTP+JSON binding serves it, as A2A 1.0 §11.3 writes paths. */
  rest?: { verb: Verb | readonly Verb[]; path: string }
}

interface Named extends Described {
  /** The method's name on the wire. */
  method: string
  /** The one protocol version that has this name; absent: every version does. */
  version?: Version
}

export interface UnaryOperation extends Named {
  streams: false
  /** Checks the params, then runs. Rejects with a TrellisError. */
  run(trellis: Trellis, params: unknown, call: Call): Promise<unknown>
}

export interface StreamOperation extends Named {
  streams: true
  /** Checks the params, then follows. Throws before the first frame what makes the request fail as a whole. */
  run(trellis: Trellis, params: unknown, call: Call): AsyncIterable<Frame>
}

export type Operation = UnaryOperation | StreamOperation

/** Where the HTTP+JSON binding serves an operation, once for each verb. */
export function restPaths({ rest }: Operation): { verb: Verb; path: string }[] {
  return rest === undefined ? [] : [rest.verb].flat().map((verb) => ({ verb, path: rest.path }))
}

/** What an operation is called: one name for every version, or one for each. */
export type Names = string | { '1.0'?: string; '0.3'?: string }

interface Definition<S extends TSchema> extends Described {
  names: Names
  schema: S
  /** Puts tolerated spellings right before the params are checked. */
  tidy?: (params: unknown) => unknown
}

/** An operation with one result, as a row for each of its names. */
export function unary<S extends TSchema>(
  definition: Definition<S>,
  run: (trellis: Trellis, params: Static<S>, call: Call) => Promise<unknown>,
): UnaryOperation[] {
  const read = reader(definition)
  return rows(definition, {
    streams: false,
    run: async (trellis: Trellis, params: unknown, call: Call) => {
      demand(definition.scope, call.caller)
      return run(trellis, read(params), call)
    },
  })
}

/** An operation with a stream of results, as a row for each of its names. */
export function streaming<S extends TSchema>(
  definition: Definition<S>,
  run: (trellis: Trellis, params: Static<S>, call: Call) => AsyncIterable<Frame>,
): StreamOperation[] {
  const read = reader(definition)
  return rows(definition, {
    streams: true,
    run: (trellis: Trellis, params: unknown, call: Call) => {
      demand(definition.scope, call.caller)
      if (trellis.streaming === false) throw new TrellisError('unsupportedOperation', NO_STREAMS)
      const checked = read(params)
      return counted(call.caller.quota, (checked as { id?: string }).id, () => run(trellis, checked, call))
    },
  })
}

function reader<S extends TSchema>({ schema, tidy = withoutBlanks }: Definition<S>): (params: unknown) => Static<S> {
  const checked = check(schema)
  return (params) => checked(tidy(params ?? {}))
}

function rows<S extends TSchema, R>(definition: Definition<S>, runs: R) {
  const { names, scope, schema, rest } = definition
  const row = { scope, schema, ...(rest && { rest }), ...runs }
  if (typeof names === 'string') return [{ ...row, method: names }]
  return (['1.0', '0.3'] as const).flatMap((version) => {
    const method = names[version]
    return method === undefined ? [] : [{ ...row, method, version }]
  })
}
