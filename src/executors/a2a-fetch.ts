import { RemoteAgentError, type RemoteName } from './a2a-error.ts'

export interface BoundedFetchOptions {
  agent: RemoteName
  /** Added to every request to `url`'s host. */
  headers: Readonly<Record<string, string>>
  /** Until the answer's headers; for an answer that is no stream, until its end. */
  timeoutMs: number
  /** Between two pieces of a stream. */
  idleTimeoutMs: number
  maxBytes: number
}

/**
 * A `fetch` that never waits for ever and never holds more than so many bytes: what breaks a bound fails with a
 * RemoteAgentError. Follows no redirects, so that configured headers go where they were meant to.
 */
export function boundedFetch(options: BoundedFetchOptions): typeof fetch {
  return async (input, init = {}) => {
    const clock = new Deadline(options, init.signal ?? undefined)
    try {
      const response = await fetch(input, {
        ...init,
        headers: { ...ownHeaders(init.headers), ...headersFor(input, options) },
        redirect: 'manual',
        signal: clock.signal,
      })
      refuseUnusable(response, options.agent)
      return bounded(response, options, clock)
    } catch (error) {
      clock.stop()
      throw clock.signal.reason instanceof RemoteAgentError ? clock.signal.reason : error
    }
  }
}

/** Aborts when time is up, with the reason as the error; also when the caller's own signal fires. */
class Deadline {
  readonly signal: AbortSignal
  readonly #controller = new AbortController()
  readonly #options: BoundedFetchOptions
  #timer: NodeJS.Timeout | undefined

  constructor(options: BoundedFetchOptions, outer: AbortSignal | undefined) {
    this.#options = options
    this.signal = outer ? AbortSignal.any([this.#controller.signal, outer]) : this.#controller.signal
    this.#arm(options.timeoutMs, `did not answer within ${options.timeoutMs / 1000} s`)
  }

  /** From now on what counts is silence. */
  idle(): void {
    const { idleTimeoutMs } = this.#options
    this.#arm(idleTimeoutMs, `sent nothing on its stream for ${idleTimeoutMs / 1000} s`)
  }

  stop(): void {
    clearTimeout(this.#timer)
  }

  #arm(ms: number, what: string): void {
    clearTimeout(this.#timer)
    const fail = () => this.#controller.abort(new RemoteAgentError('slow', this.#options.agent, what))
    this.#timer = setTimeout(fail, ms).unref()
  }
}

function ownHeaders(headers: RequestInit['headers']): Record<string, string> {
  return Object.fromEntries(new Headers(headers))
}

/** Configured headers may be credentials: they go to the configured host only. */
function headersFor(input: Parameters<typeof fetch>[0], options: BoundedFetchOptions): Record<string, string> {
  const target = new URL(input instanceof Request ? input.url : input)
  return sameHost(target, new URL(options.agent.url)) ? { ...options.headers } : {}
}

/** Whether two URLs are of one host; the names of this machine for itself are one. */
export function sameHost(one: URL, other: URL): boolean {
  return one.hostname === other.hostname || (isLoopback(one.hostname) && isLoopback(other.hostname))
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || /^127\.\d+\.\d+\.\d+$/.test(host)
}

/** Answers whose status says enough; the others, and errors that are JSON, are the protocol's to read. */
function refuseUnusable(response: Response, agent: RemoteName): void {
  const { status } = response
  if (status >= 300 && status < 400)
    throw refused(response, agent, 'refused', `redirects (HTTP ${status}), which is not followed`)
  if (response.ok || response.headers.get('content-type')?.includes('json')) return
  const trouble = status >= 500 || status === 429 || status === 408 ? 'busy' : 'refused'
  throw refused(response, agent, trouble, `answered HTTP ${status}`)
}

function refused(response: Response, agent: RemoteName, trouble: 'busy' | 'refused', what: string): RemoteAgentError {
  // Unread bodies keep their connection; a failure to drop one changes nothing.
  response.body?.cancel().catch(() => undefined)
  return new RemoteAgentError(trouble, agent, what)
}

/** The same response with a body that counts. */
function bounded(response: Response, options: BoundedFetchOptions, clock: Deadline): Response {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') ?? false
  if (!response.body) {
    clock.stop()
    return response
  }
  if (isStream) clock.idle()
  const body = response.body.pipeThrough(counter(options, clock, isStream))
  return new Response(body, { status: response.status, statusText: response.statusText, headers: response.headers })
}

function counter(
  options: BoundedFetchOptions,
  clock: Deadline,
  isStream: boolean,
): TransformStream<Uint8Array, Uint8Array> {
  let bytes = 0
  return new TransformStream({
    transform(chunk, controller) {
      bytes += chunk.byteLength
      if (bytes > options.maxBytes) {
        clock.stop()
        throw new RemoteAgentError('tooLarge', options.agent, `sent more than ${options.maxBytes} bytes in one answer`)
      }
      if (isStream) clock.idle()
      controller.enqueue(chunk)
    },
    flush: () => clock.stop(),
    cancel: () => clock.stop(),
  })
}
