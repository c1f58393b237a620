import { grpcTrouble, isGrpcError } from './a2a-grpc-trouble.ts'
import { ExecutorError } from './executor-error.ts'

/**
 * What went wrong with a remote agent. `down`: nothing was sent. `broken`, `slow`: it may have been received. `busy`: it
 * said to try again. `nonsense`, `tooLarge`: what it sent cannot be used. `gone`: it does not know the task.
 */
export type RemoteTrouble =
  | 'down'
  | 'broken'
  | 'slow'
  | 'busy'
  | 'nonsense'
  | 'tooLarge'
  | 'gone'
  | 'unsupported'
  | 'refused'

const RETRYABLE: ReadonlySet<RemoteTrouble> = new Set(['down', 'broken', 'slow', 'busy'])

/** Whom a message is about. */
export interface RemoteName {
  name: string
  url: string
}

/** Its message names the agent and its URL. */
export class RemoteAgentError extends ExecutorError {
  readonly trouble: RemoteTrouble

  constructor(trouble: RemoteTrouble, agent: RemoteName, what: string, cause?: unknown) {
    super(`Agent "${agent.name}" (${agent.url}) ${what}`, { retryable: RETRYABLE.has(trouble), cause })
    this.name = 'RemoteAgentError'
    this.trouble = trouble
  }
}

/** Whatever the SDK's client threw, as an error with a meaning. `doing` completes "while …". */
export function remoteError(agent: RemoteName, doing: string, error: unknown): RemoteAgentError {
  const chain = causes(error)
  const known = chain.find((one) => one instanceof RemoteAgentError)
  if (known) return known
  const call = chain.find(isGrpcError)
  if (call)
    return new RemoteAgentError(grpcTrouble(call), agent, `failed while ${doing}: ${brief(call.message)}`, error)
  const told = chain.findLast(isProtocolError)
  if (told) return new RemoteAgentError(protocolTrouble(told), agent, `refused ${doing}: ${brief(told.message)}`, error)
  const code = chain.map((one) => (one as { code?: unknown }).code).find((one) => typeof one === 'string')
  if (isNetworkError(chain)) return networkError(agent, doing, code as string | undefined, error)
  // The SDK bounds each event of a stream, and says so in words only.
  if (messageOf(error).includes('exceeded the maximum allowed size')) {
    return new RemoteAgentError('tooLarge', agent, `sent too large an event while ${doing}`, error)
  }
  return new RemoteAgentError('nonsense', agent, `answered nonsense while ${doing}: ${brief(messageOf(error))}`, error)
}

function causes(error: unknown): unknown[] {
  const chain: unknown[] = []
  for (let one = error; one !== undefined && one !== null && chain.length < 8; one = (one as Error).cause)
    chain.push(one)
  return chain
}

/** Codes that say that no connection came about, so nothing was received. */
const NOT_CONNECTED = new Set([
  'ECONNREFUSED',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])

function isNetworkError(chain: readonly unknown[]): boolean {
  return chain.some((one) => {
    const { code, message, name } = one as { code?: unknown; message?: unknown; name?: unknown }
    const failed = name === 'TypeError' && (message === 'fetch failed' || message === 'terminated')
    return failed || (typeof code === 'string' && /^(E[A-Z]|UND_ERR)/.test(code))
  })
}

function networkError(agent: RemoteName, doing: string, code: string | undefined, cause: unknown): RemoteAgentError {
  const why = code === undefined ? '' : ` (${code})`
  if (code !== undefined && NOT_CONNECTED.has(code)) {
    return new RemoteAgentError('down', agent, `could not be reached while ${doing}${why}`, cause)
  }
  return new RemoteAgentError('broken', agent, `broke the connection while ${doing}${why}`, cause)
}

/** An error that the agent itself reported, in any binding: the SDK's A2AError and its kin. */
interface ProtocolError extends Error {
  reason?: string
  envelopeCode?: number
  statusCode?: number
}

function isProtocolError(error: unknown): error is ProtocolError {
  const { reason, envelopeCode, statusCode } = error as Partial<ProtocolError>
  return (
    error instanceof Error &&
    [typeof reason, typeof envelopeCode, typeof statusCode].some((type) => type !== 'undefined')
  )
}

const UNSUPPORTED_CODES = new Set([-32601, -32004])
const UNSUPPORTED_REASONS = new Set(['UNSUPPORTED_OPERATION', 'METHOD_NOT_FOUND'])

function protocolTrouble({ reason, envelopeCode, statusCode }: ProtocolError): RemoteTrouble {
  if (reason === 'TASK_NOT_FOUND' || envelopeCode === -32001) return 'gone'
  if (UNSUPPORTED_REASONS.has(reason ?? '') || UNSUPPORTED_CODES.has(envelopeCode ?? 0) || statusCode === 501) {
    return 'unsupported'
  }
  const busy = envelopeCode === -32603 || statusCode === 429 || statusCode === 408 || (statusCode ?? 0) >= 500
  return busy ? 'busy' : 'refused'
}

/** Whether an error is a remote agent's trouble of one of these kinds. */
export function isTrouble(error: unknown, ...troubles: RemoteTrouble[]): error is RemoteAgentError {
  return error instanceof RemoteAgentError && troubles.includes(error.trouble)
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What a remote agent says goes into messages only so far, and on one line. */
export function brief(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim()
  return line.length > 300 ? `${line.slice(0, 300)}…` : line
}
