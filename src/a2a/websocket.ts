import { EventEmitter, once } from 'node:events'
import type { WebSocket } from 'ws'
import { invalidParams, TrellisError } from '../base/errors.ts'
import type { Version } from './call.ts'
import { asTrellisError } from './errors.ts'
import { type Parsed, parseJson } from './json.ts'
import { errorBody, type JsonRpc, type RpcStream, readId, versionOf } from './jsonrpc.ts'
import type { Peer } from './peer.ts'
import { countCall } from './quota.ts'
import { type ReaderLimits, tooSlow } from './sse.ts'
import { shown } from './validation.ts'
import { isObject } from './wire-in.ts'

const MAX_STREAMS = 100
/** Calls that are not answered yet, streams among them. */
const MAX_CALLS = 1_000

/** What a socket needs to be told once. */
export interface SocketOptions {
  rpc: JsonRpc
  /** Everything about the peer but its signal, which is each call's own. */
  peer: Omit<Peer, 'signal'>
  /** Fires when the server stops. */
  stopping: AbortSignal
  limits: ReaderLimits & { heartbeatSeconds: number }
}

/**
 * JSON-RPC over one WebSocket: every method, any number of calls at once. A stream's frames are responses with the
 * request's id, and `stream/end {id}` ends them; `stream/cancel {id}` leaves one. (design §8.3)
 */
export class RpcSocket {
  readonly #socket: WebSocket
  readonly #options: SocketOptions
  readonly #calls = new Map<string, AbortController>()
  #open = 0
  #unanswered = 0
  readonly #gone = new AbortController()
  readonly #answered = new EventEmitter()

  constructor(socket: WebSocket, options: SocketOptions) {
    this.#socket = socket
    this.#options = options
    const signal = AbortSignal.any([this.#gone.signal, options.stopping])
    socket.on('message', (bytes) => void this.#receive(bytes as Buffer, signal))
    socket.on('close', () => this.#gone.abort())
    this.#beat(options.limits.heartbeatSeconds)
  }

  /** Resolves once all that was asked is answered, and what streamed has ended. */
  async answered(): Promise<void> {
    while (this.#unanswered > 0) await once(this.#answered, 'answered')
  }

  /** A peer that does not answer a ping until the next one is due is gone. */
  #beat(seconds: number): void {
    let alive = true
    this.#socket.on('pong', () => {
      alive = true
    })
    const timer = setInterval(() => {
      if (!alive) return this.#socket.terminate()
      alive = false
      this.#socket.ping()
    }, seconds * 1_000)
    timer.unref()
    this.#socket.on('close', () => clearInterval(timer))
  }

  async #receive(bytes: Buffer, gone: AbortSignal): Promise<void> {
    const { rpc, peer } = this.#options
    const parsed = tryParse(bytes)
    if (parsed === undefined) return this.#answer(await rpc.answer(bytes, { ...peer, signal: gone }))
    const { value } = parsed
    if (isObject(value) && value['method'] === 'stream/cancel') return this.#counted(value, () => this.#cancel(value))
    if (this.#unanswered >= MAX_CALLS) return this.#counted(value, () => this.#turnAway(value))
    const key = isObject(value) ? JSON.stringify(value['id'] ?? null) : ''
    const controller = this.#enter(key)
    const signal = AbortSignal.any([gone, controller.signal])
    this.#unanswered += 1
    try {
      const outcome = await rpc.answerParsed(parsed, { ...peer, signal })
      if (outcome.kind === 'stream') await this.#stream(outcome, key, controller)
      else this.#answer(outcome)
    } finally {
      this.#unanswered -= 1
      this.#answered.emit('answered')
      if (this.#calls.get(key) === controller) this.#calls.delete(key)
    }
  }

  /** For what never gets as far as JSON-RPC, which counts what does. */
  async #counted(value: unknown, answer: () => void): Promise<void> {
    try {
      await countCall(this.#options.peer.identity)
    } catch (error) {
      // Nothing is said to a notification.
      if (isObject(value) && value['id'] === undefined) return
      const body = errorBody(readId(value), asTrellisError(error), this.#version)
      return this.#answer({ kind: 'reply', status: 200, body })
    }
    answer()
  }

  #turnAway(value: unknown): void {
    const message = `This socket has ${MAX_CALLS} unanswered calls, which is the most it may have`
    const body = errorBody(readId(value), new TrellisError('limitExceeded', message), this.#version)
    this.#answer({ kind: 'reply', status: 200, body })
  }

  /** From its first moment a call can be canceled by its id; of two with one id, the one that came first. */
  #enter(key: string): AbortController {
    const controller = new AbortController()
    if (!this.#calls.has(key)) this.#calls.set(key, controller)
    return controller
  }

  get #version(): Version {
    return versionOf(this.#options.peer)
  }

  #answer(outcome: Awaited<ReturnType<JsonRpc['answer']>>): void {
    if (outcome.kind !== 'reply') return
    const sent = this.#send(outcome.body)
    if (this.#socket.bufferedAmount <= this.#options.limits.bufferBytes) return
    // Who does not read answers gets to ask no more until they are read.
    this.#socket.pause()
    void sent.then(() => this.#socket.resume())
  }

  async #stream(stream: RpcStream, key: string, controller: AbortController): Promise<void> {
    const refusal = this.#refusal(key, controller)
    if (refusal) this.#send(errorBody(stream.id, refusal, stream.version))
    else await this.#follow(stream)
    controller.abort()
    await stream.rest.return?.()
  }

  async #follow(stream: RpcStream): Promise<void> {
    this.#open += 1
    try {
      const failed = await this.#frames(stream)
      if (failed) this.#send(errorBody(stream.id, failed, stream.version))
    } catch (error) {
      const seen = asTrellisError(error)
      if (seen.meaning === 'internal') this.#options.peer.onFailure(error, 'stream')
      this.#send(errorBody(stream.id, seen, stream.version))
    } finally {
      this.#open -= 1
    }
    this.#send({ jsonrpc: '2.0', method: 'stream/end', params: { id: stream.id } })
  }

  /** Ids tell the streams of a socket apart, so two that are open at once cannot share one. */
  #refusal(key: string, controller: AbortController): TrellisError | undefined {
    if (this.#calls.get(key) !== controller) {
      return new TrellisError('invalidRequest', `A call with the id ${key} is open already`)
    }
    if (this.#open < MAX_STREAMS) return undefined
    return new TrellisError(
      'limitExceeded',
      `This socket has ${MAX_STREAMS} open streams, which is the most it may have`,
    )
  }

  async #frames(stream: RpcStream): Promise<TrellisError | undefined> {
    let lastSeq: number | undefined
    for (let next = await stream.first; !next.done; next = await stream.rest.next()) {
      const { seq, result } = next.value
      lastSeq = seq ?? lastSeq
      // Over SSE the seq is the event's id; here it stands beside the result.
      const sent = this.#send({ jsonrpc: '2.0', id: stream.id, result, ...(seq !== undefined && { seq }) })
      if (this.#socket.bufferedAmount > this.#options.limits.bufferBytes && !(await this.#reads(sent))) {
        return tooSlow(lastSeq)
      }
    }
    return stream.refusal()
  }

  /** True once what was sent is on its way; false after the stall time. */
  async #reads(sent: Promise<void>): Promise<boolean> {
    const stall = AbortSignal.timeout(this.#options.limits.stallSeconds * 1_000)
    const stalled = new Promise<false>((resolve) => {
      stall.addEventListener('abort', () => resolve(false), { once: true })
    })
    return Promise.race([sent.then(() => this.#socket.readyState === this.#socket.OPEN), stalled])
  }

  #cancel(request: Record<string, unknown>): void {
    const id = readId(request)
    const params = isObject(request['params']) ? request['params'] : {}
    const controller = this.#calls.get(JSON.stringify(params['id'] ?? null))
    controller?.abort()
    if (request['id'] === undefined) return
    const error = invalidParams('id', `was ${shown(params['id'])}; no call with that id is open`)
    const result = { jsonrpc: '2.0', id, result: { id: params['id'] } }
    const body = controller === undefined ? errorBody(id, error, this.#version) : result
    this.#answer({ kind: 'reply', status: 200, body })
  }

  /** Resolves when the bytes have left the process, or cannot any more. */
  #send(body: unknown): Promise<void> {
    return new Promise((resolve) => {
      if (this.#socket.readyState !== this.#socket.OPEN) return resolve()
      this.#socket.send(JSON.stringify(body), () => resolve())
    })
  }
}

/** The value, or undefined where the error is to be answered by the ordinary way. */
function tryParse(bytes: Buffer): Parsed | undefined {
  try {
    return parseJson(bytes)
  } catch {
    return undefined
  }
}
