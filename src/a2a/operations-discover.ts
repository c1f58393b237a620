import { VERSION } from '../base/version.ts'
import { openRpc } from './describe/openrpc.ts'
import { type Operation, type UnaryOperation, unary } from './operation.ts'
import { AnySchema } from './params.ts'

/** `rpc.discover`: what all the methods are, this one among them. (OpenRPC's service discovery) */
export function discover(operations: () => readonly Operation[]): UnaryOperation[] {
  let made: object | undefined
  return unary({ names: 'rpc.discover', scope: 'read', schema: AnySchema }, async () => {
    made ??= openRpc(operations(), VERSION)
    return made
  })
}
