import { invalidParams, TrellisError } from '../base/errors.ts'
import type { Call, Protocol, ServiceParameters, Style } from './call.ts'
import type { Identity } from './identity.ts'
import { shown } from './validation.ts'
import { isObject } from './wire-in.ts'

/** Who is on the other side, and how it was reached. */
export interface Peer {
  identity: Identity
  parameters: ServiceParameters
  /** Fires when the peer went away. */
  readonly signal: AbortSignal
  /** Told of what went wrong on this side, which the caller is not told. */
  onFailure(error: unknown, method: string): void
}

/** One call of a peer, as operations take it. */
export function makeCall(peer: Peer, protocol: Protocol, style: Style, notification = false): Call {
  return {
    ...protocol,
    style,
    notification,
    caller: { ...peer.identity, extensions: protocol.extensions },
    // Read only by what waits: most calls never make one.
    get signal() {
      return peer.signal
    },
  }
}

/** Params go by name. The tenant comes from the principal; another one's is as good as none. (design §8.1) */
export function checkParams(params: unknown, { tenant }: Identity): void {
  if (params === undefined) return
  if (!isObject(params)) throw invalidParams('params', `was ${shown(params)}; expected an object with params by name`)
  checkTenant(params['tenant'], tenant)
}

/** @throws TrellisError taskNotFound for a tenant that is not the caller's own */
export function checkTenant(given: unknown, tenant: string): void {
  if (given === undefined || given === null || given === '' || given === tenant) return
  throw new TrellisError('taskNotFound', `Tenant not found: ${shown(given)}`)
}
