import { TrellisError } from '../base/errors.ts'
import { type Call, type Protocol, readProtocol, type ServiceParameters, type Version } from './call.ts'
import { asTrellisError, errorHeaders, rpcHttpStatus, toRpcError } from './errors.ts'
import { type Parsed, parseJson, refuseUnsafe } from './json.ts'
import { type OpenedStream, openStream } from './opened-stream.ts'
import type { StreamOperation } from './operation.ts'
import { findOperation } from './operations.ts'
import { checkParams, makeCall, type Peer } from './peer.ts'
import { countCall } from './quota.ts'
import { inCamelCase } from './spelling.ts'
import type { EventWriter } from './sse.ts'
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

/** One response, as an object to be written as JSON. `status` is HTTP's. */
export interface RpcReply {
  kind: 'reply'
  status: number
  /** HTTP's, where an error has some. */
  headers?: Record<string, string>
  body: unknown
  protocol?: Protocol
}

export interface RpcStream extends OpenedStream {
  kind: 'stream'
  id: RpcId
  version: Version
}

/** `none`: only notifications were sent, and nothing is said to them. */
export type RpcOutcome = RpcReply | RpcStream | { kind: 'none' }

const MAX_BATCH = 100

export class JsonRpc {
  readonly #trellis: Trellis
  readonly #required: readonly string[]

  /** `required`: URIs of extensions that every caller must activate. */
  constructor(trellis: Trellis, required: readonly string[] = []) {
    this.#trellis = trellis
    this.#required = required
  }

  /** Answers one body: a request, a notification, or a batch of them. Never rejects. */
  async answer(body: string | Buffer, peer: Peer): Promise<RpcOutcome> {
    let parsed: Parsed
    try {
      parsed = parseJson(body)
    } catch (error) {
      return this.#refuse(error, peer)
    }
    return this.answerParsed(parsed, peer)
  }

  /** The same for a body that is parsed already. */
  async answerParsed(parsed: Parsed, peer: Peer): Promise<RpcOutcome> {
    if (Array.isArray(parsed.value)) return this.#batch(parsed.value, parsed, peer)
    return this.#single(parsed, peer)
  }

  /** For what is no request at all. It counts as one. */
  async #refuse(error: unknown, peer: Peer): Promise<RpcReply> {
    const seen = await countCall(peer.identity).then(
      () => error,
      (over: unknown) => over,
    )
    return errorReply(null, seen, versionOf(peer))
  }

  async #batch(values: readonly unknown[], parsed: Parsed, peer: Peer): Promise<RpcOutcome> {
    if (values.length === 0 || values.length > MAX_BATCH) {
      const found = values.length === 0 ? 'is empty' : `has ${values.length} requests`
      const error = new TrellisError('invalidRequest', `The batch ${found}; expected 1 to ${MAX_BATCH} requests`)
      return this.#refuse(error, peer)
    }
    const outcomes = await Promise.all(values.map((value) => this.#single({ ...parsed, value }, peer, true)))
    const replies = outcomes.filter((outcome) => outcome.kind === 'reply')
    if (replies.length === 0) return { kind: 'none' }
    const protocol = replies[0]?.protocol
    return { kind: 'reply', status: 200, body: replies.map(({ body }) => body), ...(protocol && { protocol }) }
  }

  async #single({ value, suspicious, underscored }: Parsed, peer: Peer, batched = false): Promise<RpcOutcome> {
    let id: RpcId = null
    let version: Version = '0.3'
    let request: RpcRequest | undefined
    try {
      version = versionOf(peer)
      id = readId(value)
      try {
        request = readRequest(value, id)
      } finally {
        // What is no request counts, too; and it is read first, since nothing is said to notifications.
        await countCall(peer.identity)
      }
      const protocol = readProtocol({ ...peer.parameters, ...spoken(request.serviceParameters) }, this.#required)
      version = protocol.version
      const { operation, style } = findOperation(request.method, protocol)
      const call = makeCall(peer, protocol, style, request.notification)
      if (suspicious) refuseUnsafe(request.params)
      if (underscored) request.params = inCamelCase(request.params)
      checkParams(request.params, call.caller)
      if (operation.streams) return await this.#open(operation, request, call, batched)
      const result = await operation.run(this.#trellis, request.params, call)
      if (request.notification) return { kind: 'none' }
      return { kind: 'reply', status: 200, body: { jsonrpc: '2.0', id, result }, protocol }
    } catch (error) {
      if (asTrellisError(error).meaning === 'internal') peer.onFailure(error, request?.method ?? '')
      return request?.notification ? { kind: 'none' } : errorReply(id, error, version)
    }
  }

  async #open(
    operation: StreamOperation,
    { id, notification, params }: RpcRequest,
    call: Call,
    batched: boolean,
  ): Promise<RpcOutcome> {
    if (batched) throw new TrellisError('invalidRequest', `${operation.method} cannot be part of a batch: it streams`)
    const opened = await openStream(operation, this.#trellis, params, call)
    if (!notification) return { kind: 'stream', id, version: call.version, ...opened }
    await opened.rest.return?.()
    return { kind: 'none' }
  }
}

function errorReply(id: RpcId, thrown: unknown, version: Version): RpcReply {
  const error = asTrellisError(thrown)
  return {
    kind: 'reply',
    status: rpcHttpStatus(error),
    headers: errorHeaders(error),
    body: errorBody(id, error, version),
  }
}

/** How a JSON-RPC stream is written as events. */
export function rpcEvents({ id, version }: RpcStream): EventWriter {
  return {
    result: (result) => ({ jsonrpc: '2.0', id, result }),
    error: (error) => ({ data: errorBody(id, error, version) }),
  }
}

/** A JSON-RPC response that carries an error. */
export function errorBody(id: RpcId, error: TrellisError, version: Version): object {
  return { jsonrpc: '2.0', id, error: toRpcError(error, version) }
}

/** Before a request is read, the peer's own version says how errors are written: 1.0's way for all that is newer than 0.x. */
export function versionOf({ parameters }: Pick<Peer, 'parameters'>): Version {
  const version = parameters.version?.trim()
  return !version || version.startsWith('0.') ? '0.3' : '1.0'
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
