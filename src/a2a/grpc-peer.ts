import { Metadata, type ServerUnaryCall, type ServerWritableStream } from '@grpc/grpc-js'
import { LONGEST_MILLISECONDS } from '../base/timers.ts'
import type { Protocol, ServiceParameters } from './call.ts'
import type { Credentials } from './identity.ts'

/** What both kinds of calls have in common. */
export type AnyCall = ServerUnaryCall<Buffer, Buffer> | ServerWritableStream<Buffer, Buffer>

/** What a call shows of its sender. */
export function credentialsOf(metadata: Metadata, peer: string): Credentials {
  return {
    authorization: text(metadata, 'authorization'),
    apiKey: text(metadata, 'x-api-key'),
    address: peer.replace(/:\d+$/, ''),
  }
}

/** Service parameters are metadata of the same names. (A2A 1.0 §10.2) */
export function parametersOf({ metadata }: AnyCall): ServiceParameters {
  return {
    version: text(metadata, 'a2a-version'),
    extensions: text(metadata, 'a2a-extensions'),
    legacyExtensions: text(metadata, 'x-a2a-extensions'),
    lastEventId: text(metadata, 'last-event-id'),
  }
}

/** Names the extensions that the call activated, as it named them. (A2A 1.0 §4.6) */
export function echo({ extensions }: Protocol, given: ServiceParameters): Metadata {
  const metadata = new Metadata()
  if (extensions.length === 0) return metadata
  metadata.set('a2a-extensions', extensions.join(', '))
  if (given.legacyExtensions !== undefined) metadata.set('x-a2a-extensions', extensions.join(', '))
  return metadata
}

function text(metadata: Metadata, name: string): string | undefined {
  const values = metadata.get(name)
  return values.length === 0 ? undefined : values.join(', ')
}

/** The waits and streams that are open, so that they end with the server, and with their caller's right to call. */
export interface OpenCalls {
  open(credentials: Credentials): AbortController
  release(controller: AbortController): void
  stop(): void
}

/** A signal that fires when the caller leaves, its deadline passes, or `calls` says so. `release` forgets it. */
export function signalOf(call: AnyCall, calls: OpenCalls): { signal: AbortSignal; release: () => void } {
  const controller = calls.open(credentialsOf(call.metadata, call.getPeer()))
  const leave = () => controller.abort()
  const rest = Number(call.getDeadline()) - Date.now()
  const timer = rest < LONGEST_MILLISECONDS ? setTimeout(leave, rest) : undefined
  call.once('cancelled', leave)
  if (call.cancelled) leave()
  const release = () => {
    clearTimeout(timer)
    calls.release(controller)
  }
  return { signal: controller.signal, release }
}
