import { TrellisError } from '../base/errors.ts'

/**
 * What a principal may do: look, send and change, do tasks' work from outside (`work/*`, `tasks/updateStatus`), and
 * everything of its tenant.
 */
export const SCOPES = ['read', 'write', 'work', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** Who calls, as authentication found out. Owner and tenant are in every query. */
export interface Identity {
  tenant: string
  /** The principal's id. */
  owner: string
  scopes: readonly Scope[]
}

/** What a caller shows of itself, over whatever binding: header fields, or gRPC metadata of the same names. */
export interface Credentials {
  /** `Authorization` */
  authorization?: string | undefined
  /** `X-API-Key` */
  apiKey?: string | undefined
}

/** Says who calls. @throws TrellisError unauthenticated */
export type Authenticate = (credentials: Credentials) => Identity | Promise<Identity>

const ANONYMOUS: Identity = { tenant: 'default', owner: 'anonymous', scopes: SCOPES }

/** Without authentication, everyone is the same caller. */
export const anonymous: Authenticate = () => ANONYMOUS

/** @throws TrellisError forbidden that names the scope; `admin` may do everything */
export function demand(scope: Scope, { scopes }: Identity): void {
  if (scopes.includes(scope) || scopes.includes('admin')) return
  throw new TrellisError('forbidden', `This needs the scope ${scope}; the caller has ${scopes.join(', ') || 'none'}`, {
    details: { scope, scopes: scopes.join(', ') },
  })
}
