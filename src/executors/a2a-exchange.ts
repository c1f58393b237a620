import type { Outgoing, RemoteAgent } from './a2a-agent.ts'
import type { RemoteEvent } from './a2a-bounds.ts'
import { isTrouble, RemoteAgentError } from './a2a-error.ts'

/** Told of named points; tests kill the process there. */
export type Fault = (point: string) => Promise<void> | void

/** What an opened exchange with a remote agent has to say, and what to abort to end it. */
export interface Exchange {
  events: AsyncIterator<RemoteEvent, void>
  end: AbortController
  /** It begins in the middle: what happened before it opened may be missing. */
  late: boolean
}

/** An exchange whose first event is here already: the agent has taken the message. */
export interface Sent extends Exchange {
  first: RemoteEvent
  /** The agent turned out not to stream, whatever its card says. */
  plain: boolean
}

/**
 * Sends a message, as a stream if that is wanted, and waits for the first event. Only `closing` stops that wait: what was
 * begun must be known to be canceled there. `fault` is told right before and after the agent has taken the message.
 */
export async function send(
  remote: RemoteAgent,
  outgoing: Outgoing,
  how: { stream: boolean; closing: AbortSignal; fault?: Fault | undefined },
): Promise<Sent> {
  const end = new AbortController()
  try {
    await how.fault?.('send:before')
    const sent = await take(remote, outgoing, how.stream, AbortSignal.any([end.signal, how.closing]))
    await how.fault?.('send:after')
    return { ...sent, end, late: false }
  } catch (error) {
    end.abort()
    throw error
  }
}

async function take(
  remote: RemoteAgent,
  outgoing: Outgoing,
  stream: boolean,
  signal: AbortSignal,
): Promise<Pick<Sent, 'first' | 'events' | 'plain'>> {
  if (stream) {
    const events = remote.sendStream(outgoing, signal)
    const first = await firstOf(events, remote)
    if (first) return { first, events: withFirst(first, events), plain: false }
  }
  const first = await remote.send(outgoing, signal)
  return { first, events: withFirst(first), plain: true }
}

/** Follows a task that is under way. */
export function subscribe(remote: RemoteAgent, taskId: string, closing: AbortSignal): Exchange {
  const end = new AbortController()
  return { events: remote.subscribe(taskId, AbortSignal.any([end.signal, closing])), end, late: true }
}

/** Undefined where the card offers streams that the agent then refuses: the message was not taken, and can go the plain way. */
async function firstOf(
  events: AsyncIterator<RemoteEvent, void>,
  remote: RemoteAgent,
): Promise<RemoteEvent | undefined> {
  try {
    const next = await events.next()
    if (!next.done) return next.value
  } catch (error) {
    if (isTrouble(error, 'unsupported')) return undefined
    throw error
  }
  throw new RemoteAgentError('broken', remote.name, 'ended its stream without a word')
}

async function* withFirst(
  first: RemoteEvent,
  rest?: AsyncIterator<RemoteEvent, void>,
): AsyncGenerator<RemoteEvent, void> {
  yield first
  for (let next = await rest?.next(); next && !next.done; next = await rest?.next()) yield next.value
}
