import { createHash } from 'node:crypto'
import { AgentCard } from '@a2a-js/sdk'
import { duplicateInterfacesForLegacy } from '@a2a-js/sdk/compat/v0_3'
import { OPT_URI } from './call.ts'

/** The binding at /ws, which is no binding of A2A's own and so has a URI for a name. (A2A 1.0 §5.8, design §8.3) */
export const WEBSOCKET_BINDING = 'urn:trellis:a2a:jsonrpc-websocket:v1'

/** What the card says that is not the same for every server. */
export interface CardInputs {
  name: string
  description: string
  version: string
  /** Where clients reach the server, without a path. A function where that is known only once the server listens. */
  publicUrl: string | (() => string)
  skills: readonly CardSkill[]
  provider?: { organization: string; url: string }
  documentationUrl?: string
  iconUrl?: string
  /** What OPT declares as its params. */
  optLimits: Readonly<Record<string, number>>
}

export interface CardSkill {
  id: string
  name: string
  description: string
  tags: readonly string[]
  examples?: readonly string[]
}

/** A card as it is served: its JSON, and the ETag of exactly these bytes. */
export interface ServedCard {
  json: string
  etag: string
}

const MODES = ['text/plain', 'application/json', 'application/octet-stream']

/** The server's own skill: what it does with any message. */
const ORCHESTRATION: CardSkill = {
  id: 'orchestrate',
  name: 'Orchestrate an objective',
  description:
    'Turns a request into an objective of plans and tasks, and runs the tasks on agents in dependency order.',
  tags: ['orchestration', 'planning', 'objective', 'plan', 'task'],
  examples: ['Research AI safety papers and write a summary'],
}

/** Makes the card once for each public URL, and remembers it. */
export function cardSource(inputs: CardInputs): () => ServedCard {
  let madeFor: string | undefined
  let served: ServedCard | undefined
  return () => {
    const url = typeof inputs.publicUrl === 'string' ? inputs.publicUrl : inputs.publicUrl()
    if (served === undefined || madeFor !== url) {
      const json = JSON.stringify(writeCard(inputs, url))
      served = { json, etag: `"${createHash('sha256').update(json).digest('base64url').slice(0, 27)}"` }
      madeFor = url
    }
    return served
  }
}

/** The card: 1.0's members, and beside them those that a 0.3 client looks for. (A2A 1.0 §4.4, 0.3 §5.5) */
function writeCard(inputs: CardInputs, publicUrl: string): object {
  const url = `${publicUrl.replace(/\/+$/, '')}/`
  const card = AgentCard.toJSON(modernCard(inputs, url)) as Record<string, unknown>
  return {
    ...card,
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url, transport: 'JSONRPC' }],
  }
}

/** The card in the SDK's type, without 0.3's members. */
export function modernCard(inputs: CardInputs, url: string): AgentCard {
  const jsonRpc = { url, protocolBinding: 'JSONRPC', protocolVersion: '1.0' }
  const socket = { url: `${url.replace(/^http/, 'ws')}ws`, protocolBinding: WEBSOCKET_BINDING, protocolVersion: '1.0' }
  const { name, description, version, provider, documentationUrl, iconUrl } = inputs
  const card = AgentCard.fromJSON({
    name,
    description,
    version,
    provider,
    documentationUrl,
    iconUrl,
    supportedInterfaces: [jsonRpc, socket],
    capabilities: { streaming: true, pushNotifications: false, extendedAgentCard: false, extensions: [opt(inputs)] },
    defaultInputModes: MODES,
    defaultOutputModes: MODES,
    skills: [ORCHESTRATION, ...inputs.skills],
  })
  return { ...card, supportedInterfaces: duplicateInterfacesForLegacy(card.supportedInterfaces, ['JSONRPC']) }
}

function opt({ optLimits }: CardInputs): object {
  return {
    uri: OPT_URI,
    description:
      'Objectives, plans and tasks: what a message was planned into, and methods to read, make and change it.',
    required: false,
    params: optLimits,
  }
}
