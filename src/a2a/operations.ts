import { TrellisError } from '../base/errors.ts'
import type { Protocol, Style } from './call.ts'
import type { Operation } from './operation.ts'
import { CORE_OPERATIONS } from './operations-core.ts'
import { discover } from './operations-discover.ts'
import { OPT_OPERATIONS } from './operations-opt.ts'

/** Every operation, once for each name. Bindings, documents and tests read this table and no other. (design §8.2) */
export const OPERATIONS: readonly Operation[] = [...CORE_OPERATIONS, ...OPT_OPERATIONS, ...discover(() => OPERATIONS)]

const byMethod: ReadonlyMap<string, Operation> = new Map(OPERATIONS.map((operation) => [operation.method, operation]))

/** What a method name means to this caller: the operation, and the style of its answer. */
export interface Found {
  operation: Operation
  style: Style
}

/** Finds the operation that a JSON-RPC method names. Throws `methodNotFound`, naming the version header where it decides. */
export function findOperation(method: string, protocol: Protocol): Found {
  const operation = byMethod.get(method)
  if (operation !== undefined) return { operation: inVersion(operation, protocol), style: styleOf(method, protocol) }
  const slashed = method.includes('.') ? byMethod.get(method.replaceAll('.', '/')) : undefined
  if (slashed === undefined) throw new TrellisError('methodNotFound', `Method not found: ${method.slice(0, 100)}`)
  return { operation: inVersion(slashed, protocol), style: protocol.version === '1.0' ? '1.0' : 'dotted' }
}

function styleOf(method: string, { version, extensionDialect }: Protocol): Style {
  return extensionDialect && method === 'message/send' ? 'extension' : version
}

function inVersion(operation: Operation, { version }: Protocol): Operation {
  if (operation.version === undefined || operation.version === version) return operation
  const asked = version === '1.0' ? 'A2A-Version says 1.0' : 'without A2A-Version: 1.0 the version is 0.3'
  throw new TrellisError(
    'methodNotFound',
    `Method not found: ${operation.method} belongs to A2A ${operation.version}, and ${asked}`,
    { details: { header: 'A2A-Version', expected: operation.version } },
  )
}
