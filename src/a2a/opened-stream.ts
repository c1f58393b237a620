import { TrellisError } from '../base/errors.ts'
import type { Call, Protocol } from './call.ts'
import type { Frame, StreamOperation } from './operation.ts'
import type { Trellis } from './trellis.ts'

/** The start of a stream that the request as such has opened. Its first frame is there, unless it is long in coming. */
export interface OpenedStream {
  protocol: Protocol
  first: IteratorResult<Frame> | Promise<IteratorResult<Frame>>
  rest: AsyncIterator<Frame>
  /** Why it ended before its time: its caller may not call any more. */
  refusal(): TrellisError | undefined
}

const FIRST_FRAME_MILLISECONDS = 1_000

/**
 * Starts a stream and waits for its first frame, so that what fails early fails as an ordinary response; but not for
 * long: one that is resumed where nothing happens is open all the same.
 */
export async function openStream(
  operation: StreamOperation,
  trellis: Trellis,
  params: unknown,
  call: Call,
): Promise<OpenedStream> {
  const rest = operation.run(trellis, params, call)[Symbol.asyncIterator]()
  const coming = rest.next()
  const first = await Promise.race([coming, afterAWhile()])
  return { protocol: call, first: first ?? coming, rest, refusal: () => refusalOf(call.signal) }
}

/** Who leaves, and a server that stops, are no refusal. */
function refusalOf({ reason }: AbortSignal): TrellisError | undefined {
  return reason instanceof TrellisError ? reason : undefined
}

function afterAWhile(): Promise<undefined> {
  return new Promise((resolve) => {
    setTimeout(resolve, FIRST_FRAME_MILLISECONDS, undefined).unref()
  })
}
