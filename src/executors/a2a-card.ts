import { AgentCard } from '@a2a-js/sdk'
import { type Static, Type } from 'typebox'
import { schemaCheck } from '../base/schema-check.ts'
import { brief, RemoteAgentError, type RemoteName, remoteError } from './a2a-error.ts'
import { boundedFetch, sameHost } from './a2a-fetch.ts'
import { grpcTarget } from './a2a-grpc.ts'
import type { A2aOptions } from './a2a-options.ts'
import type { AgentConfig } from './agent-config.ts'
import type { AgentSkill } from './routing.ts'

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))
const texts = (maxItems: number) => Type.Optional(Type.Array(Type.String({ maxLength: 2_000 }), { maxItems }))

/** What is read of a card, and how much of it at most. (A2A 1.0 §4.4) */
export const CardSchema = Type.Object({
  name: Type.String({ minLength: 1, maxLength: 500 }),
  description: text(10_000),
  supportedInterfaces: Type.Array(
    Type.Object({
      url: Type.String({ minLength: 1, maxLength: 2_000 }),
      protocolBinding: Type.String({ maxLength: 100 }),
      protocolVersion: Type.String({ maxLength: 20 }),
      tenant: text(500),
    }),
    { minItems: 1, maxItems: 50 },
  ),
  capabilities: Type.Optional(Type.Object({ streaming: Type.Optional(Type.Boolean()) })),
  defaultInputModes: texts(200),
  defaultOutputModes: texts(200),
  skills: Type.Optional(
    Type.Array(
      Type.Object({
        id: Type.String({ minLength: 1, maxLength: 500 }),
        name: Type.String({ maxLength: 500 }),
        description: text(10_000),
        tags: texts(100),
        examples: texts(100),
      }),
      { maxItems: 500 },
    ),
  ),
})
const isCard = schemaCheck<Static<typeof CardSchema>>(CardSchema)

/** A validated card: the SDK's form, with only the interfaces that may be used. */
export interface RemoteCard {
  card: AgentCard
  streaming: boolean
  description: string
  skills: AgentSkill[]
  inputModes: string[]
  outputModes: string[]
}

/** Fetches an agent's card and keeps it until it expires; asked for again meanwhile, it is fetched once. */
export class CardSource {
  readonly #config: AgentConfig
  readonly #agent: RemoteName
  readonly #options: A2aOptions
  readonly #now: () => number
  #kept: { card: RemoteCard; until: number } | undefined
  #fetching: Promise<RemoteCard> | undefined
  /** Called with each card that was fetched. */
  onCard: (card: RemoteCard) => void = () => undefined

  constructor(config: AgentConfig & { url: string }, options: A2aOptions, now: () => number = Date.now) {
    this.#config = config
    this.#agent = { name: config.name, url: config.url }
    this.#options = options
    this.#now = now
  }

  /** The card. An expired one is used on while a new one cannot be had. Rejects with a RemoteAgentError. */
  async get(): Promise<RemoteCard> {
    if (this.#kept && this.#kept.until > this.#now()) return this.#kept.card
    this.#fetching ??= this.#fetch().finally(() => {
      this.#fetching = undefined
    })
    try {
      return await this.#fetching
    } catch (error) {
      if (this.#kept) return this.#kept.card
      throw error
    }
  }

  /** Forgets the card: the next `get` fetches it anew. */
  expire(): void {
    if (this.#kept) this.#kept.until = 0
  }

  async #fetch(): Promise<RemoteCard> {
    try {
      const card = usable(await this.#download(), this.#config, this.#agent)
      this.#kept = { card, until: this.#now() + this.#options.cardExpiryMs }
      this.onCard(card)
      return card
    } catch (error) {
      throw remoteError(this.#agent, 'its card was fetched', error)
    }
  }

  async #download(): Promise<unknown> {
    const { DefaultAgentCardResolver } = await import('@a2a-js/sdk/client')
    const { cardTimeoutMs, maxCardBytes } = this.#options
    const resolver = new DefaultAgentCardResolver({
      legacyCompat: { enabled: true },
      fetchImpl: boundedFetch({
        agent: this.#agent,
        headers: this.#config.headers ?? {},
        timeoutMs: cardTimeoutMs,
        idleTimeoutMs: cardTimeoutMs,
        maxBytes: maxCardBytes,
      }),
    })
    const { url } = this.#agent
    if (new URL(url).pathname.endsWith('.json')) return resolver.resolve(url, '')
    return resolver.resolve(url.endsWith('/') ? url : `${url}/`)
  }
}

function usable(raw: unknown, config: AgentConfig, agent: RemoteName): RemoteCard {
  if (!isCard(raw)) {
    const [first] = isCard.errors ?? []
    const what = `${first?.instancePath || 'the card'} ${first?.message ?? ''}`
    throw new RemoteAgentError('nonsense', agent, `has a card that cannot be used: ${brief(what)}`)
  }
  // Through the codec, so that nothing that the SDK reads is of another shape than it expects.
  const card = { ...AgentCard.fromJSON(raw), supportedInterfaces: interfaces(raw, config, agent) }
  const polled = card.supportedInterfaces.every(losesChunks)
  const skills = (raw.skills ?? []).map((skill) => ({ ...skill, name: skill.name || skill.id }))
  return {
    card,
    streaming: raw.capabilities?.streaming === true && !polled,
    description: raw.description ?? '',
    skills,
    inputModes: raw.defaultInputModes ?? [],
    outputModes: raw.defaultOutputModes ?? [],
  }
}

type Interface = AgentCard['supportedInterfaces'][number]

const BINDINGS = new Set(['JSONRPC', 'HTTP+JSON', 'GRPC'])

/** The interfaces that fit the configuration, on hosts that the operator named: a card alone opens no other door. */
function interfaces(card: Static<typeof CardSchema>, config: AgentConfig, agent: RemoteName): Interface[] {
  const all = card.supportedInterfaces.map((one) => ({ ...one, tenant: one.tenant ?? '' }))
  const wanted = all.filter((one) => isWanted(one, config))
  if (wanted.length === 0) {
    const offered = all.map((one) => `${one.protocolBinding} ${one.protocolVersion}`).join(', ')
    throw new RemoteAgentError('refused', agent, `offers no interface that can be used, only ${brief(offered)}`)
  }
  const allowed = wanted.filter((one) => isAllowed(one, config, agent))
  if (allowed.length === 0) {
    const urls = brief(wanted.map((one) => one.url).join(', '))
    throw new RemoteAgentError(
      'refused',
      agent,
      `has interfaces on other hosts only (${urls}); allow them in the agent's hosts`,
    )
  }
  const whole = allowed.filter((one) => !losesChunks(one))
  return whole.length > 0 ? whole : allowed
}

/**
 * The SDK's clients of 0.3 over REST and gRPC drop `append` from a stream's chunks, so these are the last choice, and checked
 * instead of streamed.
 */
function losesChunks({ protocolBinding, protocolVersion }: Interface): boolean {
  return protocolBinding.toUpperCase() !== 'JSONRPC' && protocolVersion.startsWith('0.3')
}

function isWanted(one: Interface, config: AgentConfig): boolean {
  const binding = one.protocolBinding.toUpperCase()
  const version = /^(0\.3|1\.0)(\.|$)/.exec(one.protocolVersion)?.[1]
  return (
    BINDINGS.has(binding) &&
    version !== undefined &&
    (config.transport ?? binding).toUpperCase() === binding &&
    (config.protocolVersion ?? version) === version
  )
}

function isAllowed(one: Interface, config: AgentConfig, agent: RemoteName): boolean {
  const target = targetOf(one, agent)
  if (target === undefined) return false
  return sameHost(target, new URL(agent.url)) || (config.hosts ?? []).includes(target.hostname)
}

function targetOf({ url, protocolBinding }: Interface, agent: RemoteName): URL | undefined {
  if (protocolBinding.toUpperCase() === 'GRPC') return grpcTarget(url, agent.url)?.url
  if (!URL.canParse(url)) return undefined
  const target = new URL(url)
  return target.protocol === 'http:' || target.protocol === 'https:' ? target : undefined
}
