import { invalidParams, TrellisError } from '../base/errors.ts'
import { type Call, type Protocol, readProtocol, type ServiceParameters, type Style, type Version } from './call.ts'
import { asTrellisError, rpcHttpStatus, toRpcError } from './errors.ts'
import type { Identity } from './identity.ts'
import { type Parsed, parseJson, refuseUnsafe } from './json.ts'
import type { Frame, StreamOperation } from './operation.ts'
import { findOperation } from './operations.ts'
import type { Trellis } from './trellis.ts'
import { shown } from './validation.ts'
import { isObject } from './wire-in.ts'

/** JSON-RPC 2.0 over any transport: framing, dispatch and errors. (design §8.1) */

export type RpcId = string | number | null

/** A request whose members have the types that JSON-RPC gives them. */
export interface RpcRequest {
  id: RpcId
  notification: boolean
  method: string
  params: unknown
  /** WebSocket: what this one request says instead of the socket's upgrade. (design §8.3) */
  serviceParameters?: Record<string, unknown>
}

/** Who is on the other side, and how it was reached. */
export interface Peer {
  identity: Identity
  parameters: ServiceParameters
  /** Fires when the peer went away. */
  readonly signal: AbortSignal
  /** Told of what went wrong on this side, which the caller is not told. */
  onFailure(error: unknown, method: string): void
}

/** One response, as an object to be written as JSON. `status` is HTTP's. */
export interface RpcReply {
  kind: 'reply'
  status: number
  body: unknown
  protocol?: Protocol
}

/** The start of a stream that the request as such has opened. Its first frame is there, unless it is long in coming. */
export interface RpcStream {
  kind: 'stream'
  id: RpcId
  version: Version
  protocol: Protocol
  first: IteratorResult<Frame> | Promise<IteratorResult<Frame>>
  rest: AsyncIterator<Frame>
}

/** `none`: only notifications were sent, and nothing is said to them. */
export type RpcOutcome = RpcReply | RpcStream | { kind: 'none' }

const MAX_BATCH = 100

export class JsonRpc {
  readonly #trellis: Trellis

  constructor(trellis: Trellis) {
    this.#trellis = trellis
  }

  /** Answers one body: a request, a notification, or a batch of them. Never rejects. */
  async answer(body: string | Buffer, peer: Peer): Promise<RpcOutcome> {
    let parsed: Parsed
    try {
      parsed = parseJson(body)
    } catch (error) {
      return errorReply(null, error, versionOf(peer))
    }
    return this.answerParsed(parsed, peer)
  }

  /** The same for a body that is parsed already. */
  async answerParsed({ value, suspicious }: Parsed, peer: Peer): Promise<RpcOutcome> {
    if (Array.isArray(value)) return this.#batch(value, suspicious, peer)
    return this.#single({ value, suspicious }, peer)
  }

  async #batch(values: readonly unknown[], suspicious: boolean, peer: Peer): Promise<RpcOutcome> {
    if (values.length === 0 || values.length > MAX_BATCH) {
      const found = values.length === 0 ? 'is empty' : `has ${values.length} requests`
      const error = new TrellisError('invalidRequest', `The batch ${found}; expected 1 to ${MAX_BATCH} requests`)
      return errorReply(null, error, versionOf(peer))
    }
    const outcomes = await Promise.all(values.map((value) => this.#single({ value, suspicious }, peer, true)))
    const replies = outcomes.filter((outcome) => outcome.kind === 'reply')
    if (replies.length === 0) return { kind: 'none' }
    const protocol = replies[0]?.protocol
    return { kind: 'reply', status: 200, body: replies.map(({ body }) => body), ...(protocol && { protocol }) }
  }

  async #single({ value, suspicious }: Parsed, peer: Peer, batched = false): Promise<RpcOutcome> {
    let id: RpcId = null
    let version: Version = '0.3'
    let request: RpcRequest | undefined
    try {
      version = versionOf(peer)
      id = readId(value)
      request = readRequest(value, id)
      const protocol = readProtocol({ ...peer.parameters, ...spoken(request.serviceParameters) })
      version = protocol.version
      const { operation, style } = findOperation(request.method, protocol)
      const call = makeCall(peer, protocol, style, request)
      if (suspicious) refuseUnsafe(request.params)
      checkParams(request.params, call.caller.tenant)
      if (operation.streams) return await this.#open(operation, request, call, protocol, batched)
      const result = await operation.run(this.#trellis, request.params, call)
      if (request.notification) return { kind: 'none' }
      return { kind: 'reply', status: 200, body: { jsonrpc: '2.0', id, result }, protocol }
    } catch (error) {
      if (asTrellisError(error).meaning === 'internal') peer.onFailure(error, request?.method ?? '')
      return request?.notification ? { kind: 'none' } : errorReply(id, error, version)
    }
  }

  /**
   * Starts a stream and waits for its first frame, so that what fails early fails as an ordinary response; but not for
   * long: one that is resumed where nothing happens is open all the same.
   */
  async #open(
    operation: StreamOperation,
    { id, notification, params }: RpcRequest,
    call: Call,
    protocol: Protocol,
    batched: boolean,
  ): Promise<RpcOutcome> {
    if (batched) throw new TrellisError('invalidRequest', `${operation.method} cannot be part of a batch: it streams`)
    const rest = operation.run(this.#trellis, params, call)[Symbol.asyncIterator]()
    const coming = rest.next()
    const first = await Promise.race([coming, afterAWhile()])
    if (notification) {
      await rest.return?.()
      return { kind: 'none' }
    }
    return { kind: 'stream', id, version: call.version, protocol, first: first ?? coming, rest }
  }
}

const FIRST_FRAME_MILLISECONDS = 1_000

function afterAWhile(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, FIRST_FRAME_MILLISECONDS, undefined).unref()
  })
}

function makeCall(peer: Peer, protocol: Protocol, style: Style, request: RpcRequest): Call {
  return {
    ...protocol,
    style,
    notification: request.notification,
    caller: { ...peer.identity, extensions: protocol.extensions },
    // Read only by what waits: most calls never make one.
    get signal() {
      return peer.signal
    },
  }
}

function errorReply(id: RpcId, thrown: unknown, version: Version): RpcReply {
  const error = asTrellisError(thrown)
  return { kind: 'reply', status: rpcHttpStatus(error), body: errorBody(id, error, version) }
}

/** A JSON-RPC response that carries an error. */
export function errorBody(id: RpcId, error: TrellisError, version: Version): object {
  return { jsonrpc: '2.0', id, error: toRpcError(error, version) }
}

/** Before a request is read, the peer's own version says how errors are written. */
export function versionOf({ parameters }: Pick<Peer, 'parameters'>): Version {
  return parameters.version?.trim().startsWith('1.') ? '1.0' : '0.3'
}

/** The id that a response goes to; null where there is none that can be said back. */
export function readId(value: unknown): RpcId {
  const id = isObject(value) ? value['id'] : undefined
  // A number too large for JavaScript cannot be said back.
  return typeof id === 'string' || Number.isFinite(id) ? (id as RpcId) : null
}

function readRequest(value: unknown, id: RpcId): RpcRequest {
  if (!isObject(value)) throw invalidRequest(`The request was ${shown(value)}; expected an object`)
  const { jsonrpc, method, params, serviceParameters } = value
  if (jsonrpc !== '2.0') throw invalidRequest(`jsonrpc was ${shown(jsonrpc)}; expected "2.0"`)
  if (id === null && value['id'] !== undefined && value['id'] !== null) {
    throw invalidRequest(`id was ${shown(value['id'])}; expected a string, a number or null`)
  }
  if (typeof method !== 'string' || method === '') {
    throw invalidRequest(`method was ${shown(method)}; expected the name of a method`)
  }
  const request = { id, notification: value['id'] === undefined, method, params }
  return isObject(serviceParameters) ? { ...request, serviceParameters } : request
}

const invalidRequest = (message: string) => new TrellisError('invalidRequest', message)

const SPOKEN: Readonly<Record<string, keyof ServiceParameters>> = {
  'a2a-version': 'version',
  'a2a-extensions': 'extensions',
  'x-a2a-extensions': 'legacyExtensions',
  'last-event-id': 'lastEventId',
}

/** Service parameters by their names on the wire, in any case: header fields, query, or a request's own. */
export function spoken(given: Record<string, unknown> | undefined): ServiceParameters {
  if (given === undefined) return {}
  const parameters: ServiceParameters = {}
  for (const [name, value] of Object.entries(given)) {
    const key = SPOKEN[name.toLowerCase()]
    if (key !== undefined && (typeof value === 'string' || typeof value === 'number')) parameters[key] = String(value)
  }
  return parameters
}

/** Params go by name. The tenant comes from the principal; another one's is as good as none. (design §8.1) */
function checkParams(params: unknown, tenant: string): void {
  if (params === undefined) return
  if (!isObject(params)) throw invalidParams('params', `was ${shown(params)}; expected an object with params by name`)
  const given = params['tenant']
  if (given === undefined || given === null || given === '' || given === tenant) return
  throw new TrellisError('taskNotFound', `Tenant not found: ${shown(given)}`)
}
