import { lookup } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { type Allowed, readAllowed } from '../base/config-push.ts'
import { Lookups, type Resolve } from './lookups.ts'

export type { Resolve }

export interface GuardPolicy {
  allowPrivate: boolean
  /** Host names, addresses and ranges that are allowed whatever they are. */
  allow: readonly string[]
}

/** A connection was not made: its address is not one that receivers may have. */
export class RefusedAddress extends Error {
  constructor() {
    super('its host is at an address that is not public, and push.allow does not name it')
    this.name = 'RefusedAddress'
  }
}

/** A name that takes longer is checked when connecting. */
const RESOLVE_MILLISECONDS = 3_000
/** Public by its range, and a cloud's metadata service. */
const METADATA = new Set(['168.63.129.16'])
/** All there is of global unicast; what else has no range of its own is reserved, as is `::127.0.0.1`. */
const GLOBAL_IPV6 = ipaddr.IPv6.parseCIDR('2000::/3')

/**
 * Keeps webhooks from reaching what only this machine and its network should: asked when a URL is registered, and for the
 * address of every connection, so that a name that changes its mind in between gains nothing. (design §8.4)
 */
export class UrlGuard {
  readonly #allowPrivate: boolean
  readonly #allowed: readonly Allowed[]
  readonly #lookups: Lookups

  constructor({ allowPrivate, allow }: GuardPolicy, resolve: Resolve = systemResolve) {
    this.#allowPrivate = allowPrivate
    this.#allowed = allow.flatMap((entry) => readAllowed(entry) ?? [])
    this.#lookups = new Lookups(resolve)
  }

  /**
   * What is wrong with a URL that a principal would register, as of now; null: nothing. A name without addresses may get
   * some.
   */
  async problemOf(given: string, principal = ''): Promise<string | null> {
    const url = URL.parse(given)
    if (url === null) return 'expected an absolute http:// or https:// URL'
    const form = formProblem(url)
    if (form !== null) return form
    const refused = await this.#isRefused(hostOf(url), principal)
    return refused ? `expected a public address: ${new RefusedAddress().message}` : null
  }

  /** For a URL that is about to be connected to. @throws RefusedAddress where its host is written as an address */
  checkLiteral(url: URL): void {
    const host = hostOf(url)
    if (formProblem(url) !== null || (isIP(host) !== 0 && !this.permits(host, host))) throw new RefusedAddress()
  }

  /** Resolves names for a connection on behalf of a principal: to permitted addresses, all or none. */
  lookupFor(principal: string): LookupFunction {
    return (hostname, options, callback) => {
      this.#permitted(hostname, principal).then(
        (addresses) => {
          const wanted = addresses.filter(({ family }) => !options.family || options.family === family)
          const [first] = wanted
          if (options.all === true) callback(null, wanted)
          else if (first !== undefined) callback(null, first.address, first.family)
          else callback(new Error(`${hostname} has no address`), '', 0)
        },
        (error: NodeJS.ErrnoException) => callback(error, '', 0),
      )
    }
  }

  /** Whether a host may be at an address. */
  permits(hostname: string, address: string): boolean {
    if (this.#allowPrivate) return true
    const host = hostname.toLowerCase().replace(/\.$/, '')
    const ip = readAddress(address)
    if (this.#allowed.some((entry) => ('host' in entry ? entry.host === host : ip !== null && within(ip, entry.range))))
      return true
    return ip !== null && isPublic(ip)
  }

  async #permitted(hostname: string, principal: string): Promise<{ address: string; family: number }[]> {
    const addresses = await this.#lookups.find(hostname, principal)
    if (addresses.some((address) => !this.permits(hostname, address))) throw new RefusedAddress()
    return addresses.map((address) => ({ address, family: isIP(address) }))
  }

  async #isRefused(host: string, principal: string): Promise<boolean> {
    if (isIP(host) !== 0) return !this.permits(host, host)
    const { promise: late, resolve } = Promise.withResolvers<readonly string[]>()
    const timer = setTimeout(() => resolve([]), RESOLVE_MILLISECONDS)
    try {
      const addresses = await Promise.race([this.#lookups.find(host, principal).catch(() => []), late])
      return addresses.some((address) => !this.permits(host, address))
    } finally {
      clearTimeout(timer)
    }
  }
}

function formProblem(url: URL): string | null {
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'expected an http:// or https:// URL'
  if (url.username !== '' || url.password !== '') return 'expected no user or password in the URL: see authentication'
  return url.hostname === '' ? 'expected a host in the URL' : null
}

function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[|\]$/g, '')
}

/** IPv4 in IPv6's clothes is read as IPv4. */
function readAddress(address: string): ipaddr.IPv4 | ipaddr.IPv6 | null {
  return ipaddr.isValid(address) ? ipaddr.process(address) : null
}

function within(ip: ipaddr.IPv4 | ipaddr.IPv6, range: [ipaddr.IPv4 | ipaddr.IPv6, number]): boolean {
  return ip.kind() === range[0].kind() && ip.match(range)
}

function isPublic(ip: ipaddr.IPv4 | ipaddr.IPv6): boolean {
  if (ip.range() !== 'unicast') return false
  return ip.kind() === 'ipv4' ? !METADATA.has(ip.toString()) : within(ip, GLOBAL_IPV6)
}

const systemResolve: Resolve = async (hostname) => {
  const found = await lookup(hostname, { all: true, order: 'verbatim' })
  return found.map(({ address }) => address)
}
