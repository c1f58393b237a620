/** Bounds and patience of the executor for remote agents. Times in milliseconds, sizes in bytes. */
export interface A2aOptions {
  /** A whole request for an agent card. */
  cardTimeoutMs: number
  /** How long a fetched card is used. */
  cardExpiryMs: number
  /** A whole get, list or cancel, and the wait for a stream to open; connecting included. */
  responseTimeoutMs: number
  /** A whole send. Longer, because some agents work before they answer although they were asked not to. */
  sendTimeoutMs: number
  /** A stream that is silent for so long is left for polling. */
  idleTimeoutMs: number
  /** The first interval between checks; each further one doubles it. */
  minCheckMs: number
  maxCheckMs: number
  /** Checks that may fail in a row before the attempt does. */
  maxFailedChecks: number
  /** Streams that may end in a row within `minCheckMs` before checks take over. */
  maxShortStreams: number
  maxCardBytes: number
  /** One answer, or all that one stream carries. */
  maxResponseBytes: number
  maxArtifacts: number
  /** In one artifact or message. */
  maxParts: number
  /** All artifacts of a task together. */
  maxArtifactBytes: number
  /** One metadata object as JSON. */
  maxMetadataBytes: number
}

export const DEFAULT_A2A_OPTIONS: A2aOptions = {
  cardTimeoutMs: 10_000,
  cardExpiryMs: 300_000,
  responseTimeoutMs: 30_000,
  sendTimeoutMs: 120_000,
  idleTimeoutMs: 60_000,
  minCheckMs: 1_000,
  maxCheckMs: 30_000,
  maxFailedChecks: 10,
  maxShortStreams: 3,
  maxCardBytes: 1_048_576,
  maxResponseBytes: 33_554_432,
  maxArtifacts: 200,
  maxParts: 10_000,
  maxArtifactBytes: 16_777_216,
  maxMetadataBytes: 65_536,
}
