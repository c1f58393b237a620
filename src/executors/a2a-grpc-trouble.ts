/** Of google.rpc.Code, by the library's names: the library itself is loaded when an agent speaks gRPC. */
const status = {
  CANCELLED: 1,
  UNKNOWN: 2,
  DEADLINE_EXCEEDED: 4,
  NOT_FOUND: 5,
  RESOURCE_EXHAUSTED: 8,
  ABORTED: 10,
  UNIMPLEMENTED: 12,
  INTERNAL: 13,
  UNAVAILABLE: 14,
} satisfies Partial<typeof import('@grpc/grpc-js').status>

/** An error of a gRPC call, as the SDK's client throws it. */
export interface GrpcError extends Error {
  status: number
  /** What an A2A agent says beside the code. */
  reason?: string
  statusDetailsBin?: unknown
}

export function isGrpcError(error: unknown): error is GrpcError {
  const { transport, status: code } = error as { transport?: unknown; status?: unknown }
  return error instanceof Error && transport === 'grpc' && typeof code === 'number'
}

/** What a gRPC status means for the attempt. The library's own words tell what never left from what was lost on the way. */
export function grpcTrouble({ status: code, reason, statusDetailsBin, message }: GrpcError) {
  if (reason === 'UNSUPPORTED_OPERATION' || code === status.UNIMPLEMENTED) return 'unsupported'
  switch (code) {
    case status.NOT_FOUND:
      return 'gone'
    case status.DEADLINE_EXCEEDED:
      return 'slow'
    case status.CANCELLED:
      return 'broken'
    case status.UNAVAILABLE:
      if (statusDetailsBin !== undefined) return 'busy'
      return /No connection established|Name resolution failed/.test(message) ? 'down' : 'broken'
    case status.RESOURCE_EXHAUSTED:
      return /larger than max/.test(message) ? 'tooLarge' : 'busy'
    case status.INTERNAL:
      if (message.includes('RST_STREAM')) return 'broken'
      return message.includes('message parsing error') ? 'nonsense' : 'busy'
    case status.UNKNOWN:
    case status.ABORTED:
      return 'busy'
    default:
      return 'refused'
  }
}
