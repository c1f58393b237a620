import type { Artifact } from '../domain/message.ts'
import { digest } from './a2a-bounds.ts'
import type { A2aOptions } from './a2a-options.ts'
import { partBytes } from './compose-message.ts'
import type { ExecutionEvent } from './executor.ts'

type ArtifactEvent = Extract<ExecutionEvent, { kind: 'artifact' }>

/** How much of one remote artifact was published: its parts' number, and a fingerprint of them in their order. */
interface Published {
  parts: number
  chain: string
  bytes: number
}

/** As it is kept in the attempt's memo. */
export type LedgerMemo = Record<string, [parts: number, chain: string, bytes: number]>

/** A bound that all artifacts of a task together broke. */
export class LedgerFull extends Error {}

/**
 * What of a remote task's artifacts was published already, so that nothing is published twice: neither on a second look
 * at the whole task, nor when a stream repeats itself.
 */
export class ArtifactLedger {
  readonly #published = new Map<string, Published>()
  readonly #limits: Pick<A2aOptions, 'maxArtifacts' | 'maxParts' | 'maxArtifactBytes'>

  constructor(limits: Pick<A2aOptions, 'maxArtifacts' | 'maxParts' | 'maxArtifactBytes'>, memo: LedgerMemo = {}) {
    this.#limits = limits
    for (const [id, [parts, chain, bytes]] of Object.entries(memo)) this.#published.set(id, { parts, chain, bytes })
  }

  get size(): number {
    return this.#published.size
  }

  /** Takes what is committed of an artifact for what was published of it: after a crash, rows are the truth. */
  committed(artifact: Artifact): void {
    this.#published.set(artifact.artifactId, extend(NOTHING, artifact))
  }

  /**
   * What is left to publish, now that the whole artifact is known: nothing, the parts that are new, or, where what was
   * published is not how it begins, all of it in place of that.
   */
  whole(artifact: Artifact, lastChunk: boolean): ArtifactEvent | undefined {
    const known = this.#published.get(artifact.artifactId)
    const all = extend(NOTHING, artifact)
    if (known?.chain === all.chain) return undefined
    const goesOn = known !== undefined && known.parts < all.parts && chainOf(artifact, known.parts) === known.chain
    this.#set(artifact.artifactId, all)
    if (!goesOn) return { kind: 'artifact', artifact, append: false, lastChunk }
    const rest = { ...artifact, parts: artifact.parts.slice(known.parts) }
    return { kind: 'artifact', artifact: rest, append: true, lastChunk }
  }

  /** One update of a stream. `gap`: it goes on with something that was missed; look at the whole task. */
  chunk(artifact: Artifact, append: boolean, lastChunk: boolean): ArtifactEvent | 'gap' | undefined {
    if (!append) return this.#first(artifact, lastChunk)
    const known = this.#published.get(artifact.artifactId)
    if (!known) return 'gap'
    this.#set(artifact.artifactId, extend(known, artifact))
    return { kind: 'artifact', artifact, append: true, lastChunk }
  }

  memo(): LedgerMemo {
    const entries = [...this.#published].map(([id, { parts, chain, bytes }]): [string, LedgerMemo[string]] => {
      return [id, [parts, chain, bytes]]
    })
    return Object.fromEntries(entries)
  }

  /** An update that does not append begins the artifact, or replaces it; the same once more is a repetition. */
  #first(artifact: Artifact, lastChunk: boolean): ArtifactEvent | undefined {
    const all = extend(NOTHING, artifact)
    if (this.#published.get(artifact.artifactId)?.chain === all.chain) return undefined
    this.#set(artifact.artifactId, all)
    return { kind: 'artifact', artifact, append: false, lastChunk }
  }

  #set(id: string, published: Published): void {
    this.#published.set(id, published)
    const { maxArtifacts, maxParts, maxArtifactBytes } = this.#limits
    if (this.#published.size > maxArtifacts) throw new LedgerFull(`more than ${maxArtifacts} artifacts`)
    if (published.parts > maxParts) throw new LedgerFull(`more than ${maxParts} parts in one artifact`)
    const bytes = [...this.#published.values()].reduce((sum, one) => sum + one.bytes, 0)
    if (bytes > maxArtifactBytes) throw new LedgerFull(`more than ${maxArtifactBytes} bytes of artifacts`)
  }
}

const NOTHING: Published = { parts: 0, chain: '', bytes: 0 }

/** Each part's fingerprint covers those before it, so a beginning can be recognised without keeping it. */
function extend(published: Published, artifact: Artifact): Published {
  const bytes = artifact.parts.reduce((sum, part) => sum + partBytes(part), published.bytes)
  const parts = published.parts + artifact.parts.length
  return { parts, chain: chainOf(artifact, artifact.parts.length, published.chain), bytes }
}

function chainOf(artifact: Artifact, parts: number, chain = ''): string {
  return artifact.parts.slice(0, parts).reduce((before, part) => digest([before, part]), chain)
}
