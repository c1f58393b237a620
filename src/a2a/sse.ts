import type { ServerResponse } from 'node:http'
import type { FastifyReply } from 'fastify'
import { TrellisError } from '../base/errors.ts'
import { asTrellisError } from './errors.ts'
import type { OpenedStream } from './opened-stream.ts'

/** How much a follower may leave unread, and for how long, before it is cut off. */
export interface ReaderLimits {
  bufferBytes: number
  stallSeconds: number
}

/** How a binding wraps what a stream says. */
export interface EventWriter {
  result(result: unknown): object
  /** The event's name, and its data. */
  error(error: TrellisError): { event?: string; data: object }
}

/**
 * Writes a stream as server-sent events until it ends or the reader leaves. `id:` is the frame's seq, to come back with
 * as `Last-Event-ID`. A reader with more than the buffer unread for the stall time is cut off with an error that says
 * where to resume; frames are pulled one by one, so nobody else waits for it. (design §8.3)
 */
export async function sendEventStream(
  reply: FastifyReply,
  stream: OpenedStream,
  writer: EventWriter,
  limits: ReaderLimits,
): Promise<void> {
  const { raw } = reply
  let lastSeq: number | undefined
  reply.sse.sendHeaders()
  raw.flushHeaders()
  try {
    for (let next = await stream.first; !next.done; next = await stream.rest.next()) {
      if (raw.destroyed) return
      const { seq, result } = next.value
      raw.write(eventText({ data: writer.result(result) }, seq))
      lastSeq = seq ?? lastSeq
      if (raw.writableLength > limits.bufferBytes && !(await drains(raw, limits.stallSeconds))) {
        return cutOff(raw, eventText(writer.error(tooSlow(lastSeq))), limits)
      }
    }
    const refusal = stream.refusal()
    if (refusal && !raw.destroyed) raw.write(eventText(writer.error(refusal)))
  } catch (error) {
    const seen = asTrellisError(error)
    if (seen.meaning === 'internal') reply.log.error({ err: error }, 'a stream failed')
    if (!raw.destroyed) raw.write(eventText(writer.error(seen)))
  } finally {
    await stream.rest.return?.()
  }
}

function eventText({ event, data }: { event?: string; data: object }, seq?: number): string {
  const id = seq === undefined ? '' : `id: ${seq}\n`
  const name = event === undefined ? '' : `event: ${event}\n`
  return `${name}${id}data: ${JSON.stringify(data)}\n\n`
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
function cutOff(raw: ServerResponse, lastWords: string, limits: ReaderLimits): void {
  if (raw.destroyed) return
  raw.end(lastWords)
  raw.setTimeout(limits.stallSeconds * 1_000, () => raw.destroy())
}

/** Tells a reader that was cut off where to resume. */
export function tooSlow(lastSeq: number | undefined): TrellisError {
  const where = lastSeq === undefined ? 'subscribe again' : `resume with Last-Event-ID: ${lastSeq}`
  return new TrellisError('limitExceeded', `The stream was not read fast enough and is cut off; ${where}`, {
    details: lastSeq === undefined ? {} : { lastEventId: String(lastSeq) },
  })
}
