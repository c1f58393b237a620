import ipaddr from 'ipaddr.js'
import { Type } from 'typebox'
import { LONGEST_SECONDS } from './timers.ts'

const seconds = (value: number) => Type.Number({ default: value, exclusiveMinimum: 0, maximum: 31_536_000 })
const timer = (value: number) => Type.Number({ default: value, exclusiveMinimum: 0, maximum: LONGEST_SECONDS })
const hours = (value: number) => Type.Number({ default: value, exclusiveMinimum: 0, maximum: 8_760 })
const count = (value: number, maximum: number) => Type.Integer({ default: value, minimum: 1, maximum })

/** How clients are told of what happens, and where they may want to be told. */
export const PushSchema = Type.Object(
  {
    enabled: Type.Boolean({ default: true }),
    /** Yes: receivers may be anywhere, also on this machine and in its network. */
    allowPrivate: Type.Boolean({ default: false }),
    /** Receivers that may be anywhere: host names, addresses, and ranges of addresses. */
    allow: Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { default: [] }),
    maxConfigsPerTask: count(10, 1_000),
    /** Until the receiver's answer. */
    timeoutSeconds: timer(10),
    /** Before the first retry; doubles with each, with jitter. */
    backoffSeconds: seconds(2),
    maxBackoffSeconds: seconds(3_600),
    /** How long after the event it is given up. */
    retryHours: hours(24),
    /** Deliveries that this server has under way at once. */
    concurrent: count(20, 10_000),
    /** Of those, one principal's. Absent: a quarter; all, where nobody is asked who calls. */
    concurrentPerPrincipal: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    pollSeconds: timer(5),
    /** How long what was delivered, and what was given up, can still be listed. */
    keepDeliveredHours: hours(24),
    keepParkedHours: hours(168),
  },
  { additionalProperties: false, default: {} },
)

/** What stands in `push.allow`: a name, or a range of addresses. */
export type Allowed = { host: string } | { range: [ipaddr.IPv4 | ipaddr.IPv6, number] }

const HOST = /^(?!.*\.\d+$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/

/** Undefined: it is neither a host name, nor an address, nor a range. */
export function readAllowed(entry: string): Allowed | undefined {
  const bare = entry.replace(/^\[|\]$/g, '')
  if (ipaddr.IPv4.isValidFourPartDecimal(bare)) return { range: [ipaddr.IPv4.parse(bare), 32] }
  if (ipaddr.IPv6.isValid(bare)) return { range: [ipaddr.IPv6.parse(bare), 128] }
  if (ipaddr.isValidCIDR(bare)) return { range: ipaddr.parseCIDR(bare) }
  const host = bare.toLowerCase()
  return HOST.test(host) ? { host } : undefined
}

export function pushProblems({ push }: { push: { allow: string[] } }): string[] {
  return push.allow.flatMap((entry, index) =>
    readAllowed(entry) === undefined
      ? [`push.allow[${index}]: was "${entry}"; must be a host name, an address, or a range as in 10.1.0.0/16`]
      : [],
  )
}
