import { isIP } from 'node:net'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isLoopback } from '../base/config-auth.ts'
import { TrellisError } from '../base/errors.ts'

export interface GuardOptions {
  /** Where clients reach the server, once that is known. */
  publicUrl: () => string
  /** Names that requests may be sent to, beside our own; `*` is any. Absent: names are not checked. */
  hosts?: readonly string[]
  /** The server listens on this machine only. */
  local: boolean
  /** Origins of pages that may call, beside our own. */
  origins: readonly string[]
}

/** Asked by probes and by whoever looks for the server; they say nothing that a page may not know. */
const OPEN_PATHS = /^\/(healthz|readyz|livez|\.well-known\/)/

/** What is right for answers that are data: no page may run, frame or reinterpret them. Pages set their own. */
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
}

/**
 * Keeps pages in a browser from acting as their visitor: names that are not the server's (DNS rebinding), and calls from
 * pages of other origins. (docs/security.md)
 */
export function guard(app: FastifyInstance, options: GuardOptions): void {
  const refuseHost = options.hosts === undefined ? undefined : hostGuard(options, options.hosts)
  const refuseOrigin = originGuard(options)
  app.addHook('onRequest', async (request: FastifyRequest, reply: FastifyReply) => {
    reply.headers(HEADERS)
    try {
      if (!OPEN_PATHS.test(request.url)) refuseHost?.(request)
      refuseOrigin(request)
    } catch (error) {
      if (request.headers.upgrade !== undefined) endAfter(reply)
      throw error
    }
  })
}

/** A socket that was to be upgraded is nobody's to close any more once that is refused this early. */
function endAfter({ raw, request }: FastifyReply): void {
  raw.once('finish', () => request.raw.socket.destroySoon())
}

/**
 * A page whose own name is made to point here by its owner reaches us under that name. An address is no name, and names
 * without a dot are nobody's to give but the local network's.
 */
function hostGuard({ publicUrl, local }: GuardOptions, allowed: readonly string[]) {
  const names = new Set(allowed.map((name) => name.toLowerCase()))
  return ({ headers }: FastifyRequest): void => {
    if (headers.host === undefined || names.has('*')) return
    const name = hostName(headers.host)
    if (isIP(name) !== 0 || isLoopback(name) || names.has(name) || name === hostOf(publicUrl())) return
    if (!local && name !== '' && !name.includes('.')) return
    throw new TrellisError(
      'forbidden',
      `Host was ${JSON.stringify(name.slice(0, 100))}; expected localhost, the name in server.publicUrl, or one of server.allowedHosts`,
      { details: { host: name.slice(0, 100) } },
    )
  }
}

/** Browsers let any page send to anywhere, and say in Origin which page it was. Reading the answer is CORS's matter. */
function originGuard({ origins, publicUrl }: GuardOptions) {
  return ({ headers, method }: FastifyRequest): void => {
    const { origin, host } = headers
    if (origin === undefined || origins.includes(origin)) return
    const acts = (method !== 'GET' && method !== 'HEAD' && method !== 'OPTIONS') || headers.upgrade !== undefined
    if (!acts) return
    const from = URL.canParse(origin) ? new URL(origin).host : ''
    if (from !== '' && (from === host || from === hostOf(publicUrl(), true))) return
    throw new TrellisError(
      'forbidden',
      `Origin was ${JSON.stringify(origin.slice(0, 100))}; pages may call from this server's own origin and from those in server.allowedOrigins`,
      { details: { origin: origin.slice(0, 100) } },
    )
  }
}

/** `[::1]:8080` → `::1`, `Example.com.:80` → `example.com`. */
function hostName(host: string): string {
  const bare = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.replace(/:\d*$/, '')
  return bare.replace(/\.$/, '').toLowerCase()
}

function hostOf(url: string, withPort = false): string | undefined {
  if (!URL.canParse(url)) return undefined
  const { host, hostname } = new URL(url)
  return withPort ? host : hostName(hostname)
}
