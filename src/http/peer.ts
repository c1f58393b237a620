import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Identity } from '../a2a/identity.ts'
import { spoken } from '../a2a/jsonrpc.ts'
import type { Peer } from '../a2a/peer.ts'
import { credentialsOf } from './auth/callers.ts'
import type { OpenCalls } from './open-calls.ts'

/** The other side of one HTTP request, of which it is known who calls. Its signal is made only when something waits on it. */
export class HttpPeer implements Peer {
  readonly identity: Identity
  readonly parameters: Peer['parameters']
  readonly #request: FastifyRequest
  readonly #reply: FastifyReply
  readonly #calls: OpenCalls
  #controller: AbortController | undefined

  constructor(request: FastifyRequest, reply: FastifyReply, calls: OpenCalls) {
    this.#request = request
    this.#reply = reply
    this.#calls = calls
    this.identity = request.identity
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
    const controller = this.#calls.open(credentialsOf(this.#request))
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
