import { request as httpRequest, type IncomingMessage, type RequestOptions } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { RefusedAddress, type UrlGuard } from './webhook-guard.ts'

export interface WebhookRequest {
  url: string
  /** Whose webhook it is. */
  principal: string
  headers: Readonly<Record<string, string>>
  body: string
  timeoutSeconds: number
  signal: AbortSignal
}

/** What came of posting: the answer's status, or why there was none. */
export interface Posted {
  status: number | null
  error: string | null
}

/** What a receiver has to say beyond its status is nobody's business; this much is read, so that it need not notice. */
const MAX_ANSWER_BYTES = 16 * 1024

/**
 * Posts a webhook once, over a connection of its own whose address the guard has let pass. Follows no redirect, waits so
 * long and no longer, and reads next to nothing of the answer. Never rejects.
 */
export function postWebhook(
  guard: UrlGuard,
  { url, principal, headers, body, timeoutSeconds, signal }: WebhookRequest,
): Promise<Posted> {
  return new Promise((resolve) => {
    const timeout = AbortSignal.timeout(timeoutSeconds * 1_000)
    const fail = (error: unknown) => {
      const why = timeout.aborted ? `did not answer within ${timeoutSeconds} s` : reasonOf(error)
      resolve({ status: null, error: why })
    }
    try {
      const target = new URL(url)
      guard.checkLiteral(target)
      const send = target.protocol === 'https:' ? httpsRequest : httpRequest
      const request = send(target, {
        method: 'POST',
        headers: { ...headers, 'content-length': String(Buffer.byteLength(body)) },
        agent: false,
        lookup: guard.lookupFor(principal),
        signal: AbortSignal.any([timeout, signal]),
      } satisfies RequestOptions)
      request.on('error', fail)
      request.on('response', (response) => {
        resolve(answered(response.statusCode ?? 0))
        drain(response)
      })
      request.end(body)
    } catch (error) {
      fail(error)
    }
  })
}

function answered(status: number): Posted {
  if (status >= 200 && status < 300) return { status, error: null }
  const redirect = status >= 300 && status < 400 ? ': redirects are not followed' : ''
  return { status, error: `answered ${status}${redirect}` }
}

function drain(response: IncomingMessage): void {
  let bytes = 0
  response.on('data', (chunk: Buffer) => {
    bytes += chunk.length
    if (bytes > MAX_ANSWER_BYTES) response.destroy()
  })
  response.on('error', () => undefined)
}

function reasonOf(error: unknown): string {
  if (error instanceof RefusedAddress) return `was not connected to: ${error.message}`
  const { code, message } = error as NodeJS.ErrnoException
  return `could not be reached: ${code ?? message}`
}
