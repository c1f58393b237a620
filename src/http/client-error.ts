import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import type { FastifyError } from 'fastify'
import { restError } from '../a2a/rest.ts'
import { type ErrorMeaning, TrellisError } from '../base/errors.ts'

type Broken = Pick<FastifyError, 'code'> & { reason?: string }

/**
 * Answers what Node could not read as HTTP, and so no route was asked for. Nobody knows which binding it was meant for, so
 * it has the form of HTTP+JSON's errors. (A2A 1.0 §11.6)
 */
export function answerClientError(broken: Broken, socket: Socket): void {
  if (broken.code === 'ECONNRESET' || !socket.writable || isAnswering(socket)) {
    socket.destroy()
    return
  }
  const { status, error } = seen(broken)
  const body = JSON.stringify(restError(error, '1.0', status))
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'content-type: application/json; charset=utf-8',
    `content-length: ${Buffer.byteLength(body)}`,
    'x-content-type-options: nosniff',
    'cache-control: no-store',
    'connection: close',
  ]
  // Nothing more can be made of what comes after it.
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`, () => socket.destroy())
}

/** In the middle of an answer, a second one would be read as part of it: only that it breaks off says that it is not whole. */
function isAnswering(socket: Socket): boolean {
  // What Node's own handler asks.
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: { headersSent: boolean } | null }
  return answer?.headersSent === true
}

function seen({ code, reason }: Broken): { status: number; error: TrellisError } {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return as(431, 'tooLarge', "The request's line and headers are over the limit of 16 KiB")
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return as(413, 'tooLarge', "The request's chunk extensions are over the limit of 16 KiB")
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return as(408, 'invalidRequest', 'The request did not arrive in time')
    default:
      return as(400, 'invalidRequest', `The request is no HTTP/1.1${reason ? `: ${reason}` : ''}`)
  }
}

function as(status: number, meaning: ErrorMeaning, message: string) {
  return { status, error: new TrellisError(meaning, message) }
}
