import { AgentCard } from '@a2a-js/sdk'
import { OPT_URI } from './call.ts'
import { type CardBindings, interfacesOf } from './card-interfaces.ts'

export interface CardSkill {
  id: string
  name: string
  description: string
  tags: readonly string[]
  examples?: readonly string[]
}

/** What callers have to show, in 1.0's JSON. (A2A 1.0 §4.5) */
export interface CardSecurity {
  securitySchemes: Readonly<Record<string, object>>
  securityRequirements: readonly object[]
}

/** What the card says that is not the same for every server. Functions are asked each time. */
export interface CardInputs {
  name: string
  description: string
  version: string
  /** Where clients reach the server, without a path. A function where that is known only once the server listens. */
  publicUrl: string | (() => string)
  /** What the agents can do. */
  skills: readonly CardSkill[] | (() => readonly CardSkill[])
  /** What the extended card adds to the skills; absent where there is no such card. */
  extendedSkills?: () => readonly CardSkill[]
  provider?: { organization: string; url: string }
  documentationUrl?: string
  iconUrl?: string
  /** Media types of messages, and of what comes out; anything when absent. */
  inputModes?: readonly string[]
  outputModes?: readonly string[]
  /** What OPT declares as its params. */
  optLimits: Readonly<Record<string, number>>
  bindings?: CardBindings
  /** False: methods that stream are refused. */
  streaming?: boolean
  pushNotifications?: boolean
  security?: CardSecurity
  /** Extensions that a client has to activate. */
  requiredExtensions?: readonly string[]
  /** 1.0's members only. */
  strict?: boolean
}

const MODES = ['text/plain', 'application/json', '*/*']

/** The server's own skill: what it does with any message. */
const ORCHESTRATION: CardSkill = {
  id: 'orchestrate',
  name: 'Orchestrate an objective',
  description:
    'Turns a request into an objective of plans and tasks, and runs the tasks on agents in dependency order.',
  tags: ['orchestration', 'planning', 'objective', 'plan', 'task'],
  examples: ['Research AI safety papers and write a summary'],
}

/** The card in 1.0's own form, as the SDK types it. (A2A 1.0 §4.4) */
export function modernCard(inputs: CardInputs, publicUrl: string, more: readonly CardSkill[] = []): AgentCard {
  const { name, description, version, provider, documentationUrl, iconUrl, security } = inputs
  const skills = typeof inputs.skills === 'function' ? inputs.skills() : inputs.skills
  return AgentCard.fromJSON({
    name,
    description,
    version,
    provider,
    documentationUrl,
    iconUrl,
    supportedInterfaces: interfacesOf(inputs.bindings ?? {}, publicUrl),
    capabilities: {
      streaming: inputs.streaming ?? true,
      pushNotifications: inputs.pushNotifications ?? false,
      extendedAgentCard: inputs.extendedSkills !== undefined,
      extensions: extensions(inputs),
    },
    defaultInputModes: inputs.inputModes ?? MODES,
    defaultOutputModes: inputs.outputModes ?? MODES,
    skills: onceEach([ORCHESTRATION, ...skills, ...more]),
    ...security,
  })
}

/** A skill's id is unique within a card; two agents may have the same skill. (A2A 1.0 §4.4.5) */
function onceEach(skills: readonly CardSkill[]): CardSkill[] {
  return [...new Map(skills.toReversed().map((skill) => [skill.id, skill])).values()].reverse()
}

/** OPT, and whatever else the operator requires. (A2A 1.0 §4.6) */
function extensions({ optLimits, requiredExtensions = [] }: CardInputs): object[] {
  const opt = {
    uri: OPT_URI,
    description:
      'Objectives, plans and tasks: what a message was planned into, and methods to read, make and change it.',
    required: requiredExtensions.includes(OPT_URI),
    params: optLimits,
  }
  const others = requiredExtensions.filter((uri) => uri !== OPT_URI)
  return [opt, ...others.map((uri) => ({ uri, description: 'Required by this server.', required: true }))]
}
