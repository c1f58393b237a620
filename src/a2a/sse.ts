import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { TrellisError } from '../base/errors.ts'
import { asTrellisError } from './errors.ts'
import { errorBody, type RpcStream } from './jsonrpc.ts'

/** How much a follower may leave unread, and for how long, before it is cut off. */
export interface ReaderLimits {
  bufferBytes: number
  stallSeconds: number
}

/**
 * Writes a stream as server-sent events until it ends or the reader leaves. `id:` is the frame's seq, to come back with
 * as `Last-Event-ID`. A reader with more than the buffer unread for the stall time is cut off with an error that says
 * where to resume; frames are pulled one by one, so nobody else waits for it. (design §8.3)
 */
export async function sendEventStream(reply: FastifyReply, stream: RpcStream, limits: ReaderLimits): Promise<void> {
  const { raw } = reply
  let lastSeq: number | undefined
  reply.sse.sendHeaders()
  raw.flushHeaders()
  try {
    for (let next = await stream.first; !next.done; next = await stream.rest.next()) {
      if (raw.destroyed) return
      const { seq, result } = next.value
      raw.write(eventText({ jsonrpc: '2.0', id: stream.id, result }, seq))
      lastSeq = seq ?? lastSeq
      if (raw.writableLength > limits.bufferBytes && !(await drains(raw, limits.stallSeconds))) {
        return cutOff(raw, stream, lastSeq, limits)
      }
    }
  } catch (error) {
    const seen = asTrellisError(error)
    if (seen.meaning === 'internal') reply.log.error({ err: error }, 'a stream failed')
    if (!raw.destroyed) raw.write(eventText(errorBody(stream.id, seen, stream.version)))
  } finally {
    await stream.rest.return?.()
  }
}

function eventText(data: object, seq?: number): string {
  const id = seq === undefined ? '' : `id: ${seq}\n`
  return `${id}data: ${JSON.stringify(data)}\n\n`
}

/** True once all that was written is read; false if the reader left, or took nothing for the stall time (twice it, at most). */
function drains(raw: ServerResponse, stallSeconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    const settle = (drained: boolean) => () => {
      raw.setTimeout(0)
      raw.off('drain', onDrain).off('close', onEnd).off('timeout', onEnd)
      resolve(drained)
    }
    const onDrain = settle(true)
    const onEnd = settle(false)
    // The socket's own timeout: whoever reads a large frame slowly keeps putting it off.
    raw.setTimeout(stallSeconds * 1_000)
    raw.once('drain', onDrain).once('close', onEnd).once('timeout', onEnd)
  })
}

/** The error waits behind what is unread; a reader that does not come for it either loses the connection. */
function cutOff(raw: ServerResponse, stream: RpcStream, lastSeq: number | undefined, limits: ReaderLimits): void {
  if (raw.destroyed) return
  raw.end(eventText(errorBody(stream.id, tooSlow(lastSeq), stream.version)))
  raw.setTimeout(limits.stallSeconds * 1_000, () => raw.destroy())
}

/** Tells a reader that was cut off where to resume. */
export function tooSlow(lastSeq: number | undefined): TrellisError {
  const where = lastSeq === undefined ? 'subscribe again' : `resume with Last-Event-ID: ${lastSeq}`
  return new TrellisError('limitExceeded', `The stream was not read fast enough and is cut off; ${where}`, {
    details: lastSeq === undefined ? {} : { lastEventId: String(lastSeq) },
  })
}
