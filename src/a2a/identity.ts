import { SCOPES, type Scope } from '../base/config-auth.ts'
import { TrellisError } from '../base/errors.ts'
import type { Quota } from './quota.ts'

export { SCOPES, type Scope }

/** Who calls, as authentication found out. Owner and tenant are in every query. */
export interface Identity {
  tenant: string
  /** The principal's id. */
  owner: string
  scopes: readonly Scope[]
  /** How much it may ask; absent: as much as it likes. */
  quota?: Quota
}

/** Who calls, and how. */
export interface Caller extends Identity {
  /** Extension URIs that the request activated. */
  extensions: readonly string[]
}

/** What a caller shows of itself, over whatever binding: header fields, or gRPC metadata of the same names. */
export interface Credentials {
  /** `Authorization` */
  authorization?: string | undefined
  /** `X-API-Key` */
  apiKey?: string | undefined
  /** Where the connection comes from, as `192.0.2.1`. */
  address?: string | undefined
}

/** Says who calls. @throws TrellisError unauthenticated, rateLimited, or unavailable where that cannot be found out */
export type Authenticate = (credentials: Credentials) => Identity | Promise<Identity>

const ANONYMOUS: Identity = { tenant: 'default', owner: 'anonymous', scopes: SCOPES }

/** Without authentication, everyone is the same caller. */
export const anonymous: Authenticate = () => ANONYMOUS

/** One scope, or several any of which will do. */
export type Demand = Scope | readonly [Scope, ...Scope[]]

/** @throws TrellisError forbidden that names the scope; `admin` may do everything */
export function demand(demanded: Demand, { scopes }: Identity): void {
  if (scopes.includes('admin')) return
  if (typeof demanded === 'string' ? scopes.includes(demanded) : demanded.some((scope) => scopes.includes(scope)))
    return
  const scope = [demanded].flat().join(' or ')
  throw new TrellisError('forbidden', `This needs the scope ${scope}; the caller has ${scopes.join(', ') || 'none'}`, {
    details: { scope, scopes: scopes.join(', ') },
  })
}
