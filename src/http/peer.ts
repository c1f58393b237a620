import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Credentials, Identity } from '../a2a/identity.ts'
import { spoken } from '../a2a/jsonrpc.ts'
import type { Peer } from '../a2a/peer.ts'

/** What a request shows of its sender. */
export function credentialsOf({ headers }: FastifyRequest): Credentials {
  return { authorization: headers.authorization, apiKey: text(headers['x-api-key']) }
}

/** The waits and streams that are open, so that stopping the server can end them. */
export class OpenCalls {
  readonly #controllers = new Set<AbortController>()
  #stopped = false

  /** A controller that stopping aborts; `release` forgets it. */
  open(): AbortController {
    const controller = new AbortController()
    if (this.#stopped) controller.abort()
    else this.#controllers.add(controller)
    return controller
  }

  release(controller: AbortController): void {
    this.#controllers.delete(controller)
  }

  stop(): void {
    this.#stopped = true
    for (const controller of this.#controllers) controller.abort()
    this.#controllers.clear()
  }
}

/** The other side of one HTTP request. Its signal is made only when something waits on it. */
export class HttpPeer implements Peer {
  readonly identity: Identity
  readonly parameters: Peer['parameters']
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #calls: OpenCalls
  #controller: AbortController | undefined

  constructor(request: FastifyRequest, reply: FastifyReply, identity: Identity, calls: OpenCalls) {
    this.#request = request
    this.#reply = reply
    this.#calls = calls
    this.identity = identity
    const { headers } = request
    // A header says it first; the query is for those that cannot set headers. (A2A 1.0 §3.6.1)
    const query = hasQuery(request) ? spoken(request.query as Record<string, unknown>) : undefined
    this.parameters = {
      version: text(headers['a2a-version']) ?? query?.version,
      extensions: text(headers['a2a-extensions']) ?? query?.extensions,
      legacyExtensions: text(headers['x-a2a-extensions']) ?? query?.legacyExtensions,
      lastEventId: text(headers['last-event-id']),
    }
  }

  get signal(): AbortSignal {
    this.#controller ??= this.#watch()
    return this.#controller.signal
  }

  #watch(): AbortController {
    const { raw } = this.#reply
    const controller = this.#calls.open()
    const leave = () => {
      this.#calls.release(controller)
      controller.abort()
    }
    // Who left already does not leave again.
    if (raw.destroyed) leave()
    else raw.once('close', leave)
    return controller
  }

  onFailure(error: unknown, method: string): void {
    this.#request.log.error({ err: error, method }, 'a call failed')
  }
}

function hasQuery(request: FastifyRequest): boolean {
  return request.url.includes('?')
}

/** Node joins a repeated header's values by commas, or gives them as a list. */
function text(value: string | string[] | undefined): string | undefined {
  return Array.isArray(value) ? value.join(', ') : value
}
