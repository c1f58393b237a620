import { AgentCards, type CardSkill } from './a2a/card.ts'
import { type CardSigner, loadCardSigner } from './a2a/card-signing.ts'
import { securityOf } from './a2a/security.ts'
import type { Config } from './base/config.ts'
import { VERSION } from './base/version.ts'
import type { AgentRegistry } from './executors/registry.ts'

/** Where the server is reached, as far as it is known yet. */
export interface Addresses {
  publicUrl: string
  /** gRPC's, as `host:port`. */
  grpc?: string
}

export interface Cards {
  cards: AgentCards
  /** As far as it is known yet. */
  publicUrl: () => string
  signer?: CardSigner
}

/** The server's cards, out of the configuration and of what the agents can do. */
export async function buildCards(agents: AgentRegistry, config: Config, addresses: Addresses): Promise<Cards> {
  const { signing, extended, websocket, ...said } = config.card
  const { maxPlansPerObjective, maxTasksPerPlan, maxDepth } = config.limits
  const signer = signing && (await loadCardSigner(signing))
  const security = securityOf(config.auth)
  const publicUrl = () => addresses.publicUrl
  const cards = new AgentCards(
    {
      ...said,
      version: VERSION,
      publicUrl,
      ...(security && { security }),
      skills: () => skillsOf(agents),
      ...(extended && { extendedSkills: () => agentSkillsOf(agents) }),
      pushNotifications: config.push.enabled,
      optLimits: { maxPlansPerObjective, maxTasksPerPlan, maxDepth },
      bindings: { websocket, grpc: () => addresses.grpc },
    },
    signer,
  )
  return { cards, publicUrl, ...(signer && { signer }) }
}

/** What the agents can do, as the card says it. Skills of remote agents are there once their cards were read. */
export function skillsOf(agents: AgentRegistry): CardSkill[] {
  return agents.agents().flatMap(({ skills = [] }) => skills.map((skill) => written(skill)))
}

/** Each agent as a skill of its own, and each of its skills under its name. */
export function agentSkillsOf(agents: AgentRegistry): CardSkill[] {
  return agents.agents().flatMap(({ name, kind, description = '', skills = [] }) => {
    const tag = `agent:${name}`
    const own = {
      id: `agent/${name}`,
      name,
      description: description || `The agent ${name}.`,
      tags: ['agent', kind, tag],
    }
    const its = skills.map((skill) => {
      const { id, tags, ...rest } = written(skill)
      return { ...rest, id: `agent/${name}/${id}`, tags: [...tags, tag] }
    })
    return [own, ...its]
  })
}

type KnownSkill = NonNullable<ReturnType<AgentRegistry['agents']>[number]['skills']>[number]

/** A card's skill has a description and a tag, whether or not its agent thought of one. (A2A 1.0 §4.4.5, §5.7) */
function written({ id, name, description, tags = [], examples = [] }: KnownSkill): CardSkill {
  return {
    id,
    name,
    description: description || name,
    tags: tags.length > 0 ? [...tags] : [id],
    examples: [...examples],
  }
}
