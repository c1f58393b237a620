import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AGENT_CARD_PATH, AgentCard } from '@a2a-js/sdk'
import { DefaultRequestHandler, InMemoryTaskStore } from '@a2a-js/sdk/server'
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import express, { type Express, type RequestHandler } from 'express'
import type { AgentOptions } from './options.ts'
import { type Work, WorkExecutor } from './work.ts'

export interface AgentProfile {
  name: string
  description: string
  skills: { id: string; name: string; description: string; tags: string[]; examples: string[] }[]
  protocolVersion: '1.0' | '0.3'
  transport: 'JSONRPC' | 'HTTP+JSON'
  streaming: boolean
}

export interface RunningAgent {
  url: string
  close(): Promise<void>
}

/** Serves the agent until `close`. Resolves when it listens. */
export async function serveAgent(profile: AgentProfile, work: Work, options: AgentOptions): Promise<RunningAgent> {
  const app = express()
  const server = app.listen(options.port, options.host)
  await new Promise((resolve, reject) => server.once('listening', resolve).once('error', reject))
  const url = `http://${options.host}:${(server.address() as AddressInfo).port}`
  mount(app, profile, work, url)
  return { url, close: () => close(server) }
}

/** Serves the agent as a process: one line `ready <url>`, and a graceful end at SIGTERM and SIGINT. */
export async function runAgent(profile: AgentProfile, work: Work, options: AgentOptions): Promise<void> {
  const agent = await serveAgent(profile, work, options)
  for (const signal of ['SIGTERM', 'SIGINT'] as const) {
    process.once(signal, () => void agent.close().then(() => process.exit(0)))
  }
  console.log(`ready ${agent.url}`)
}

function mount(app: Express, profile: AgentProfile, work: Work, url: string): void {
  const handler = new DefaultRequestHandler(cardOf(profile, url), new InMemoryTaskStore(), new WorkExecutor(work))
  const legacy = profile.protocolVersion === '0.3'
  // An agent of 0.3 has never heard of the version header: whatever a client says, it gets what 0.3 says.
  if (legacy) app.use(forgetVersion)
  app.use(express.json({ limit: '10mb', type: ['application/json', 'application/a2a+json'] }))
  const shared = {
    requestHandler: handler,
    userBuilder: UserBuilder.noAuthentication,
    legacyCompat: { enabled: legacy },
  }
  app.use(`/${AGENT_CARD_PATH}`, agentCardHandler({ agentCardProvider: handler, legacyCompat: { enabled: legacy } }))
  app.use('/a2a', profile.transport === 'JSONRPC' ? jsonRpcHandler(shared) : restHandler(shared))
}

const forgetVersion: RequestHandler = (request, _response, next) => {
  delete request.headers['a2a-version']
  next()
}

function cardOf(profile: AgentProfile, url: string): AgentCard {
  const { name, description, skills, transport, protocolVersion, streaming } = profile
  return AgentCard.fromJSON({
    name,
    description,
    version: '1.0.0',
    supportedInterfaces: [{ url: `${url}/a2a`, protocolBinding: transport, protocolVersion }],
    capabilities: { streaming, pushNotifications: false },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/markdown', 'application/json'],
    skills,
  })
}

/** Lets answers that are under way finish, but no longer than a second. */
async function close(server: Server): Promise<void> {
  const closed = new Promise((resolve) => server.close(resolve))
  server.closeIdleConnections()
  setTimeout(() => server.closeAllConnections(), 1_000).unref()
  await closed
}
