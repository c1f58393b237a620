import { ERROR_CODES } from '../errors.ts'
import type { Operation } from '../operation.ts'
import { paramsOf, plain } from './params.ts'
import { SCHEMAS } from './schemas.ts'
import { textOf } from './texts.ts'

/** Every method of the JSON-RPC and WebSocket bindings, as an OpenRPC 1.3 document. */
export function openRpc(operations: readonly Operation[], version: string): object {
  return {
    openrpc: '1.3.2',
    info: {
      title: 'Trellis',
      version,
      description: 'A2A, and the Objective → Plan → Task extension, over JSON-RPC 2.0.',
    },
    methods: operations.map(methodOf),
    components: { schemas: plain(SCHEMAS), errors: errors() },
  }
}

function methodOf(operation: Operation): object {
  const { method, version, schema, streams } = operation
  const { summary, result } = textOf(method)
  const modern = version !== '0.3'
  const of = version === undefined ? 'Of the OPT extension; in both versions.' : `Of A2A ${version}.`
  return {
    name: method,
    summary,
    description: streams ? `${of} Answers with a stream: server-sent events, or frames over WebSocket.` : of,
    paramStructure: 'by-name',
    // OpenRPC wants those first that must be there.
    params: paramsOf(schema).sort((a, b) => Number(b.required) - Number(a.required)),
    result: {
      name: modern ? result : 'result',
      // 0.3 writes the same with `kind` and lower-case states.
      schema: modern ? { $ref: `#/components/schemas/${result}` } : { type: ['object', 'array', 'null'] },
    },
    errors: onceEach().map((meaning) => ({ $ref: `#/components/errors/${meaning}` })),
  }
}

/** The meanings that a method may fail with, where OpenRPC allows each code once: the plainest of those that share one. */
function onceEach(): string[] {
  const plainest = Object.entries(ERROR_CODES).toSorted(
    ([, a], [, b]) => Number(a.carried ?? 0) - Number(b.carried ?? 0),
  )
  return plainest
    .filter(([, { code }], i) => plainest.findIndex(([, other]) => other.code === code) === i)
    .map(([meaning]) => meaning)
}

function errors(): object {
  return Object.fromEntries(
    Object.entries(ERROR_CODES).map(([meaning, { code, reason }]) => [meaning, { code, message: reason }]),
  )
}
