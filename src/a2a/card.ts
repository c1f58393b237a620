import { createHash } from 'node:crypto'
import { AgentCard } from '@a2a-js/sdk'
import type { Version } from './call.ts'
import { type CardInputs, modernCard } from './card-content.ts'
import { withLegacyMembers } from './card-legacy.ts'
import type { CardSigner } from './card-signing.ts'

export { type CardInputs, type CardSecurity, type CardSkill, modernCard } from './card-content.ts'
export { WEBSOCKET_BINDING } from './card-interfaces.ts'

/** A card as it is served: its JSON, the ETag of exactly these bytes, and since when it reads so. */
export interface ServedCard {
  json: string
  etag: string
  modified: Date
  /** The same in the SDK's form, signed where cards are. */
  card: AgentCard
}

/**
 * The server's cards: the public one, and the one for callers that are known. They are made when they are asked for, and
 * stay the same until what they say changes. (A2A 1.0 §8)
 */
export class AgentCards {
  readonly #inputs: CardInputs
  readonly #signer: CardSigner | undefined
  #served: { unsigned: string; card: Promise<ServedCard> } | undefined

  constructor(inputs: CardInputs, signer?: CardSigner) {
    this.#inputs = inputs
    this.#signer = signer
  }

  /** The public card: 1.0's members, and beside them, unless cards are strict or signed, those of 0.3. */
  served(): Promise<ServedCard> {
    const card = modernCard(this.#inputs, this.#publicUrl())
    const unsigned = JSON.stringify(AgentCard.toJSON(card))
    // A signature differs each time it is made, so what is compared is what it signs.
    if (this.#served?.unsigned !== unsigned) this.#served = { unsigned, card: this.#serve(card) }
    return this.#served.card
  }

  /** The card for callers that are known, as the version's clients read it. (A2A 1.0 §3.1.11, 0.3 §7.10) */
  async extended(version: Version): Promise<object> {
    const more = this.#inputs.extendedSkills?.() ?? []
    return writeCard(await this.#signed(modernCard(this.#inputs, this.#publicUrl(), more)), version)
  }

  async #serve(unsigned: AgentCard): Promise<ServedCard> {
    const modified = new Date()
    const card = await this.#signed(unsigned)
    // Whoever checks a signature over all that is there would stumble over members that it does not cover.
    const strict = this.#inputs.strict === true || this.#signer !== undefined
    const json = JSON.stringify(writeCard(card, strict ? '1.0' : '0.3'))
    return { json, etag: `"${createHash('sha256').update(json).digest('base64url').slice(0, 27)}"`, modified, card }
  }

  async #signed(card: AgentCard): Promise<AgentCard> {
    return this.#signer === undefined ? card : this.#signer.sign(card, this.#publicUrl())
  }

  #publicUrl(): string {
    const { publicUrl } = this.#inputs
    return typeof publicUrl === 'string' ? publicUrl : publicUrl()
  }
}

function writeCard(card: AgentCard, version: Version): object {
  const json = AgentCard.toJSON(card) as Record<string, unknown>
  return version === '1.0' ? json : withLegacyMembers(json, card)
}
