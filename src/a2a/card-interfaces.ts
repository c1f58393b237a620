import type { AgentInterface } from '@a2a-js/sdk'
import { duplicateInterfacesForLegacy } from '@a2a-js/sdk/compat/v0_3'

/** The binding at /ws, which is no binding of A2A's own and so has a URI for a name. (A2A 1.0 §5.8, design §8.3) */
export const WEBSOCKET_BINDING = 'urn:trellis:a2a:jsonrpc-websocket:v1'

/** Which bindings are on. JSON-RPC and HTTP+JSON always are: 1.0's routes at the root, and 0.3's below /v1. */
export interface CardBindings {
  /** False: the WebSocket is not declared. */
  websocket?: boolean
  /** Where gRPC is reached, as `host:port`; undefined where it is off or not known yet. */
  grpc?: () => string | undefined
}

/** Exactly what is on, the preferred one first, and each of A2A's own bindings for both versions. (A2A 1.0 §4.4.6) */
export function interfacesOf(bindings: CardBindings, publicUrl: string): AgentInterface[] {
  const base = publicUrl.replace(/\/+$/, '')
  const grpc = bindings.grpc?.()
  const standard = [
    modern(`${base}/`, 'JSONRPC'),
    // Clients of 0.3 add /v1 themselves.
    modern(base, 'HTTP+JSON'),
    ...(grpc === undefined ? [] : [modern(grpc, 'GRPC')]),
  ]
  const socket = modern(`${base.replace(/^http/, 'ws')}/ws`, WEBSOCKET_BINDING)
  const own = bindings.websocket === false ? standard : [...standard, socket]
  return duplicateInterfacesForLegacy(
    own,
    standard.map(({ protocolBinding }) => protocolBinding),
  )
}

function modern(url: string, protocolBinding: string): AgentInterface {
  return { url, protocolBinding, protocolVersion: '1.0', tenant: '' }
}
