import { isIP } from 'node:net'
import { type Static, Type } from 'typebox'
import { API_KEY_ID } from './api-key.ts'

const closed = { additionalProperties: false }

/** What a principal may do. `admin` may do everything that the others may. */
export const SCOPES = ['read', 'write', 'work', 'admin'] as const
export type Scope = (typeof SCOPES)[number]

/** Who is asked for what: nobody for anything, or for an API key, a token of an OpenID provider, or either. */
export const AUTH_MODES = ['none', 'apiKeys', 'oidc', 'both'] as const
export type AuthMode = (typeof AUTH_MODES)[number]

/** Signatures that only the provider can make: none with a shared secret, and never `none`. */
const ALGORITHMS = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as const

const url = Type.String({ format: 'uri', pattern: '^https?://', description: 'an http:// or https:// URL' })
const name = Type.String({ minLength: 1, maxLength: 255 })
const scopes = (value?: Scope[]) =>
  Type.Array(Type.Enum([...SCOPES]), { uniqueItems: true, ...(value && { default: value }) })

/** A key that stands in the configuration, as `trellis keys create --config` prints it. */
const ConfiguredKey = Type.Object(
  {
    id: Type.String({ pattern: API_KEY_ID.source, description: 'the id in the key: 12 letters and digits' }),
    hash: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'the SHA-256 of the key, in hexadecimal' }),
    tenant: name,
    /** Whose tasks the key sees; the key's own when absent. */
    principal: Type.Optional(name),
    scopes: scopes(),
    expires: Type.Optional(Type.String({ format: 'date-time', description: 'a time, as in 2027-01-31T12:00:00Z' })),
  },
  closed,
)

const Oidc = Type.Object(
  {
    /** Its discovery document is read from here, unless jwksUri is given. */
    issuer: url,
    /** Tokens have to be meant for one of these. */
    audience: Type.Array(name, { minItems: 1 }),
    jwksUri: Type.Optional(url),
    algorithms: Type.Array(Type.Enum([...ALGORITHMS]), {
      minItems: 1,
      uniqueItems: true,
      default: ['RS256', 'PS256', 'ES256', 'EdDSA'],
    }),
    clockToleranceSeconds: Type.Number({ default: 30, minimum: 0, maximum: 600 }),
    /** Of each request to the provider. */
    timeoutSeconds: Type.Number({ default: 5, exclusiveMinimum: 0, maximum: 60 }),
    /** The claim that is the principal's id. */
    principalClaim: Type.String({ default: 'sub', minLength: 1 }),
    /** What stands before it, so that no token's principal is an API key's. */
    principalPrefix: Type.String({ default: 'oidc:', maxLength: 100 }),
    /** The claim that names the tenant; absent: everyone is in `tenant`. */
    tenantClaim: Type.Optional(Type.String({ minLength: 1 })),
    tenant: Type.String({ default: 'default', minLength: 1, maxLength: 255 }),
    /** The claim with the scopes: a list, or words. */
    scopeClaim: Type.String({ default: 'scope', minLength: 1 }),
    /** What stands before our scopes there, as in `trellis:read`. */
    scopePrefix: Type.String({ default: '' }),
    /** Of tokens without that claim. */
    defaultScopes: scopes([]),
  },
  closed,
)

export const AuthSchema = Type.Object(
  {
    mode: Type.Unsafe<AuthMode>({ type: 'string', enum: AUTH_MODES, default: 'none' }),
    /** Yes: whoever reaches the server may use it, also beyond this machine. */
    allowAnonymous: Type.Boolean({ default: false }),
    keys: Type.Array(ConfiguredKey, { default: [] }),
    oidc: Type.Optional(Oidc),
  },
  { ...closed, default: {} },
)

export type AuthConfig = Static<typeof AuthSchema>
export type OidcConfig = Static<typeof Oidc>
export type ConfiguredKey = Static<typeof ConfiguredKey>

/** Whether only this machine can reach what listens on the host. */
export function isLoopback(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '').toLowerCase()
  if (bare === 'localhost' || bare.endsWith('.localhost')) return true
  if (isIP(bare) === 6) return bare === '::1' || bare.startsWith('::ffff:127.')
  return isIP(bare) === 4 && bare.startsWith('127.')
}

interface Listening {
  server: { host: string }
  auth: AuthConfig
  grpc?: { host?: string }
}

/** What would not be safe, or could not work. */
export function authProblems({ server, auth, grpc }: Listening): string[] {
  const { mode, oidc, keys } = auth
  const problems = keys.flatMap(({ id }, index) =>
    keys.findIndex((key) => key.id === id) < index
      ? [`auth.keys[${index}].id: was "${id}"; must differ from every other key's`]
      : [],
  )
  if ((mode === 'oidc' || mode === 'both') && oidc === undefined) {
    problems.push(`auth.oidc: is missing; must be settings written as key: value, because auth.mode is ${mode}`)
  }
  if (mode !== 'none' || auth.allowAnonymous) return problems
  if (!isLoopback(server.host)) problems.push(openDoor('server.host', server.host))
  if (grpc?.host !== undefined && !isLoopback(grpc.host)) problems.push(openDoor('grpc.host', grpc.host))
  return problems
}

function openDoor(path: string, host: string): string {
  return (
    `${path}: was "${host}", where others than this machine reach it, and auth.mode is none; must be 127.0.0.1, ::1 or ` +
    `localhost, or auth.mode (AUTH_MODE) one of ${AUTH_MODES.slice(1).join(', ')}, or auth.allowAnonymous ` +
    '(AUTH_ALLOW_ANONYMOUS) true'
  )
}
