import { TrellisError } from '../base/errors.ts'
import type { Caller } from './identity.ts'

/** The OPT extension. (design §8.2) */
export const OPT_URI = 'https://github.com/zeroasterisk/a2a-opt/v1'

export type Version = '1.0' | '0.3'

/**
 * How results are spelled. `extension`: as the OPT document prints them; `dotted`: as the document with dotted method
 * names does. (design §8.1, §8.2)
 */
export type Style = '1.0' | '0.3' | 'extension' | 'dotted'

/** What a request says beside its body: HTTP headers, or the WebSocket's service parameters. (A2A 1.0 §3.2.6) */
export interface ServiceParameters {
  version?: string | undefined
  /** `A2A-Extensions` */
  extensions?: string | undefined
  /** `X-A2A-Extensions`, 0.3's name for it. */
  legacyExtensions?: string | undefined
  lastEventId?: string | undefined
}

/** What a request's service parameters mean. */
export interface Protocol {
  version: Version
  /** OPT is activated. */
  opt: boolean
  /** The caller speaks the extension document's own dialect: its URI in `A2A-Extensions` and no word of a version. */
  extensionDialect: boolean
  extensions: readonly string[]
  lastEventId?: number
}

/** One call of one operation. */
export interface Call extends Protocol {
  caller: Caller
  style: Style
  /** Nobody waits for the answer. */
  notification: boolean
  /** Fires when the caller went away. */
  signal: AbortSignal
}

const NO_EXTENSIONS: readonly string[] = []
const PLAIN: Readonly<Record<Version, Protocol>> = {
  '1.0': { version: '1.0', opt: false, extensionDialect: false, extensions: NO_EXTENSIONS },
  '0.3': { version: '0.3', opt: false, extensionDialect: false, extensions: NO_EXTENSIONS },
}

/**
 * Reads the service parameters. No version means 0.3. Throws `versionNotSupported`, `invalidParams` for the event id, or
 * `extensionSupportRequired` for a required extension that the caller does not name. (A2A 1.0 §3.6, §4.6)
 */
export function readProtocol(given: ServiceParameters, required = NO_EXTENSIONS): Protocol {
  const version = readVersion(given.version)
  if (required.length === 0 && !given.extensions && !given.legacyExtensions && !given.lastEventId) return PLAIN[version]
  const modern = listed(given.extensions)
  const asked = [...modern, ...listed(given.legacyExtensions)]
  for (const uri of required) if (!asked.includes(uri)) throw extensionRequired(uri)
  const extensions = [OPT_URI, ...required].filter((uri, i, all) => asked.includes(uri) && all.indexOf(uri) === i)
  const protocol: Protocol = {
    version,
    opt: extensions.includes(OPT_URI),
    extensionDialect: modern.includes(OPT_URI) && !given.version && given.legacyExtensions === undefined,
    extensions,
  }
  const lastEventId = readEventId(given.lastEventId)
  return lastEventId === undefined ? protocol : { ...protocol, lastEventId }
}

/** `1.0.1` is 1.0: a patch number says nothing about the wire. Said twice, as on two lines of a header, it is said once. */
function readVersion(given: string | undefined): Version {
  if (!given) return '0.3'
  const [version, ...others] = new Set(given.split(',').map((one) => /^\s*(1\.0|0\.3)(\.\d+)?\s*$/.exec(one)?.[1]))
  if (version !== undefined && others.length === 0) return version as Version
  const expected = others.length > 0 ? 'expected one version; supported' : 'supported'
  throw new TrellisError('versionNotSupported', `A2A-Version was ${given.slice(0, 40)}; ${expected} are 1.0 and 0.3`, {
    details: { supportedVersions: '1.0, 0.3' },
  })
}

function listed(header: string | undefined): string[] {
  if (!header) return []
  return header.split(',').flatMap((uri) => uri.trim() || [])
}

function extensionRequired(uri: string): TrellisError {
  const message = `The extension ${uri} is required: name it in A2A-Extensions`
  return new TrellisError('extensionSupportRequired', message, { details: { extension: uri } })
}

/** Event ids of Trellis are whole numbers; another server's id cannot be resumed after. */
function readEventId(given: string | undefined): number | undefined {
  if (!given) return undefined
  const seq = Number(given)
  if (Number.isSafeInteger(seq) && seq >= 0) return seq
  throw new TrellisError('invalidParams', `Last-Event-ID was ${given.slice(0, 40)}; expected the id of an event`, {
    violations: [{ field: 'Last-Event-ID', description: 'expected the id of an event' }],
  })
}
