import { invalidParams, TrellisError } from '../base/errors.ts'
import { type Protocol, readProtocol, type ServiceParameters, type Version } from './call.ts'
import { ERROR_CODES, errorDetails, toRpcError } from './errors.ts'
import { readLegacyBody, writeLegacyFrame, writeLegacyResult } from './legacy-proto.ts'
import { type Operation, restPaths, type Verb } from './operation.ts'
import { OPERATIONS } from './operations.ts'
import { readQuery } from './query.ts'
import type { EventWriter } from './sse.ts'
import { isObject } from './wire-in.ts'

/**
 * The HTTP+JSON binding over the operations table: 1.0 at the root, with and without a tenant before it, and 0.3 at /v1.
 * (A2A 1.0 §11, 0.3 §3.2.3)
 */

/** One path of one operation. */
export interface RestRoute {
  verb: Verb
  /** As A2A writes it: `/tasks/{id}:cancel`. */
  path: string
  operation: Operation
  /** What the path says of the version. */
  version: Version
}

/** Where 0.3 is served. Never a tenant. */
export const LEGACY_PREFIX = '/v1'

/** Every route there is. */
export function restRoutes(operations: readonly Operation[] = OPERATIONS): RestRoute[] {
  return operations.flatMap((operation) => {
    const paths = restPaths(operation)
    const modern =
      operation.version === '0.3' ? [] : paths.flatMap((at) => [at, { ...at, path: `/{tenant}${at.path}` }])
    const legacy = operation.version === '1.0' ? [] : paths.map((at) => legacyPath(operation, at))
    return [
      ...modern.map((at): RestRoute => ({ ...at, operation, version: '1.0' })),
      ...legacy.map((at): RestRoute => ({ ...at, operation, version: '0.3' })),
    ]
  })
}

type At = Pick<RestRoute, 'verb' | 'path'>

function legacyPath({ method }: Operation, { verb, path }: At): At {
  if (method === 'agent/getAuthenticatedExtendedCard') return { verb, path: `${LEGACY_PREFIX}/card` }
  return { verb, path: `${LEGACY_PREFIX}${path}` }
}

/**
 * What the service parameters mean on a route. The path says the version where the header does not; the extension's routes serve
 * both, so there the header decides. Throws `versionNotSupported` where the two contradict each other.
 */
export function restProtocol(
  { version, operation }: RestRoute,
  given: ServiceParameters,
  required: readonly string[],
): Protocol {
  const protocol = readProtocol({ ...given, version: given.version || version }, required)
  const free = operation.version === undefined && version === '1.0'
  // The extension document's own dialect is one of JSON-RPC.
  if (protocol.version === version || free) return { ...protocol, extensionDialect: false }
  const where =
    version === '0.3' ? '0.3 is served under /v1, and 1.0 at the root' : '1.0 is served here, and 0.3 under /v1'
  throw new TrellisError('versionNotSupported', `A2A-Version was ${protocol.version}; ${where}`, {
    details: { supportedVersions: version },
  })
}

const shapes = restRoutes().map(({ verb, path }) => {
  const pattern = path.replace('{tenant}', '(?!v1/)[^/]+').replace(/\{\w+\}/g, '[^/]+')
  return { verb, matches: new RegExp(`^${pattern}$`), acts: /\}:\w+$/.test(path) }
})

/** What a path can be asked with; empty where nothing is served. */
export function verbsAt(path: string): Verb[] {
  const actions = actionsAt(path)
  return actions.length > 0 ? actions : verbsOf(shapes.filter(({ matches }) => matches.test(path)))
}

/**
 * The same, if it is read as something to do: `/tasks/{id}:cancel`. It may also be read as an id with a colon in it, since
 * contexts may be called so by clients.
 */
export function actionsAt(path: string): Verb[] {
  return verbsOf(shapes.filter(({ acts, matches }) => acts && matches.test(path)))
}

function verbsOf(found: readonly { verb: Verb }[]): Verb[] {
  return [...new Set(found.map(({ verb }) => verb))]
}

export interface RestRequest {
  /** Of the path, decoded. */
  path: Readonly<Record<string, string>>
  query: Readonly<Record<string, unknown>>
  /** Parsed JSON; undefined when there was none. */
  body: unknown
}

/** The operation's params: the body's fields, else the query's, and those in the path. */
export function restParams({ operation, version, verb }: RestRoute, { path, query, body }: RestRequest): unknown {
  const given = body ?? {}
  if (!isObject(given)) throw invalidParams('body', 'expected a JSON object')
  const read = version === '0.3' && verb === 'POST' ? readLegacyBody(given, query) : given
  const params: Record<string, unknown> = { ...readQuery(query, operation.schema), ...(read as object) }
  const names = restNames(operation, version)
  for (const [name, value] of Object.entries(path)) {
    if (name === 'tenant') continue
    const param = names[name] ?? name
    const said = params[param]
    if (said !== undefined && said !== null && said !== '' && said !== value) {
      throw invalidParams(param, `was ${JSON.stringify(said)}; the path says ${JSON.stringify(value)}`)
    }
    params[param] = value
  }
  return params
}

/** What 0.3's JSON-RPC calls a push config's ids, which its REST paths call otherwise. */
export function restNames({ method }: Operation, version: Version): Readonly<Record<string, string>> {
  if (version === '1.0' || !method.startsWith('tasks/pushNotificationConfig/')) return {}
  return method.endsWith('/set') ? {} : { taskId: 'id', id: 'pushNotificationConfigId' }
}

/** The body of a successful answer. */
export function restResult({ operation, version }: RestRoute, result: unknown): unknown {
  return version === '0.3' && operation.version === '0.3' ? writeLegacyResult(operation.method, result) : result
}

/** The body of an error: google.rpc.Status, or at 0.3 the error that JSON-RPC has. (A2A 1.0 §11.6) */
export function restError(error: TrellisError, version: Version, status = ERROR_CODES[error.meaning].http): object {
  if (version === '0.3') return toRpcError(error, '0.3')
  const { grpc } = ERROR_CODES[error.meaning]
  return { error: { code: status, status: grpc, message: error.message, details: errorDetails(error) } }
}

/** How a stream is written as events: each is a result by itself. */
export function restEvents(route: RestRoute): EventWriter {
  const legacy = route.version === '0.3' && route.operation.version === '0.3'
  return {
    result: (result) => (legacy ? writeLegacyFrame(result) : result) as object,
    error: (error) => ({ event: 'error', data: restError(error, route.version) }),
  }
}
