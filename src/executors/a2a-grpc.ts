import type { AgentCard } from '@a2a-js/sdk'
import type { TransportFactory } from '@a2a-js/sdk/client'
import type { BoundedFetchOptions } from './a2a-fetch.ts'

/** Where a gRPC interface is, out of what a card says: `host:port`, or a URL. */
export interface GrpcTarget {
  endpoint: string
  /** The same as a URL, for comparing hosts. */
  url: URL
  secure: boolean
}

/**
 * Reads the address of a gRPC interface. Without a scheme it is as secure as the agent's own URL. Undefined for anything else
 * that the library would understand: a card names hosts, not sockets of this machine or servers to resolve names by.
 */
export function grpcTarget(address: string, agentUrl: string): GrpcTarget | undefined {
  const match = /^(?:(https?|grpcs?):\/\/)?(\[[0-9a-f:]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?\/?$/i.exec(address)
  if (!match) return undefined
  const [, scheme = new URL(agentUrl).protocol.slice(0, -1), host, port] = match
  const secure = scheme === 'https' || scheme === 'grpcs'
  const endpoint = `${host}:${port ?? (secure ? 443 : 80)}`
  if (!URL.canParse(`http://${endpoint}`)) return undefined
  return { endpoint, url: new URL(`http://${endpoint}`), secure }
}

/** The SDK's gRPC transport for both versions, with the bounds that `boundedFetch` has. gRPC is loaded when an agent speaks it. */
export function boundedGrpc(options: BoundedFetchOptions): TransportFactory {
  return {
    protocolName: 'GRPC',
    create: async (address: string, card: AgentCard) => {
      const target = grpcTarget(address, options.agent.url)
      if (target === undefined) throw new Error(`${address} is no address of a gRPC server`)
      const { grpcTransport } = await import('./a2a-grpc-transport.ts')
      const supportedInterfaces = card.supportedInterfaces.map((one) =>
        one.url === address ? { ...one, url: target.endpoint } : one,
      )
      return grpcTransport(options, target).create(target.endpoint, { ...card, supportedInterfaces })
    },
  }
}
