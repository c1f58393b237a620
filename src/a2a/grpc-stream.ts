import type { ServerWritableStream } from '@grpc/grpc-js'
import type { OpenedStream } from './opened-stream.ts'
import { type ReaderLimits, tooSlow } from './sse.ts'

/**
 * Writes a stream's frames until it ends or the signal fires, and says after which event it stood then. Frames are pulled one
 * by one, so nobody else waits for a reader.
 *
 * @throws TrellisError limitExceeded that says where to resume, for a reader with more than the buffer unread for the
 *   stall time (design §8.3)
 */
export async function writeFrames(
  call: ServerWritableStream<Buffer, Buffer>,
  { first, rest }: OpenedStream,
  encode: (frame: unknown) => Buffer | Promise<Buffer>,
  { limits, signal }: { limits: ReaderLimits; signal: AbortSignal },
): Promise<number | undefined> {
  const unread = new Unread(signal)
  let lastSeq: number | undefined
  for (let next = await first; !next.done && !signal.aborted; next = await rest.next()) {
    const { seq, result } = next.value
    const bytes = await encode(result)
    unread.add(bytes.length)
    call.write(bytes, () => unread.taken(bytes.length))
    lastSeq = seq ?? lastSeq
    if (unread.bytes > limits.bufferBytes && !(await unread.shrinks(limits))) {
      if (signal.aborted) break
      throw tooSlow(lastSeq)
    }
  }
  return lastSeq
}

/** What was written and not yet taken by the connection, which takes no more than the reader's window allows. */
class Unread {
  bytes = 0
  readonly #signal: AbortSignal
  #wake: (() => void) | undefined

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  add(count: number): void {
    this.bytes += count
  }

  taken(count: number): void {
    this.bytes -= count
    this.#wake?.()
  }

  /** True once the buffer has room again; false when nothing was taken for the stall time, or the signal fired. */
  async shrinks({ bufferBytes, stallSeconds }: ReaderLimits): Promise<boolean> {
    while (this.bytes > bufferBytes) {
      const before = this.bytes
      await this.#change(stallSeconds)
      if (this.#signal.aborted || this.bytes === before) return false
    }
    return true
  }

  #change(stallSeconds: number): Promise<void> {
    return new Promise((resolve) => {
      const settle = () => {
        clearTimeout(timer)
        this.#signal.removeEventListener('abort', settle)
        this.#wake = undefined
        resolve()
      }
      const timer = setTimeout(settle, stallSeconds * 1_000)
      this.#wake = settle
      this.#signal.addEventListener('abort', settle, { once: true })
      if (this.#signal.aborted) settle()
    })
  }
}
