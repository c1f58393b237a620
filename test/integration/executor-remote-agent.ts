import { createServer, type RequestListener, type Server } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import type { AgentCard, Artifact, Message, Task } from '@a2a-js/sdk'
import { TaskState } from '@a2a-js/sdk'
import { LegacyA2AService, legacyGrpcService } from '@a2a-js/sdk/compat/v0_3/server/grpc'
import {
  AgentEvent,
  DefaultRequestHandler,
  type ExecutionEventBus,
  InMemoryTaskStore,
  type RequestContext,
} from '@a2a-js/sdk/server'
import { agentCardHandler, jsonRpcHandler, restHandler, UserBuilder } from '@a2a-js/sdk/server/express'
import { A2AService, UserBuilder as GrpcUserBuilder, grpcService } from '@a2a-js/sdk/server/grpc'
import { Server as GrpcServer, ServerCredentials } from '@grpc/grpc-js'

// Express ships no types, and nothing here needs them.
const express = createRequire(import.meta.url)('express')

export type Dialect = `${'1.0' | '0.3'} ${'JSONRPC' | 'HTTP+JSON' | 'GRPC'}`
export const DIALECTS: readonly Dialect[] = [
  '1.0 JSONRPC',
  '1.0 HTTP+JSON',
  '1.0 GRPC',
  '0.3 JSONRPC',
  '0.3 HTTP+JSON',
  '0.3 GRPC',
]

/** What a test's agent can say about the task that it works on. */
export interface Reply {
  context: RequestContext
  text: string
  task(state?: TaskState): void
  status(state: TaskState, text?: string): void
  chunk(artifactId: string, text: string, more?: { append?: boolean; lastChunk?: boolean }): void
  message(text: string): void
  canceled: Promise<void>
}

export interface RemoteAgentUnderTest {
  url: string
  /** Messages as they arrived, oldest first. */
  received: Message[]
  canceled: string[]
  /** Paths and JSON-RPC methods of the requests, oldest first. */
  requests: string[]
  store: InMemoryTaskStore
  /** Cuts every open connection. */
  cut(): void
  close(): Promise<void>
}

export interface AgentOptions {
  dialect: Dialect
  streaming?: boolean
  work: (reply: Reply) => Promise<void> | void
  store?: InMemoryTaskStore
  /** Called before a request is handled; true: it was dealt with. */
  intercept?: (request: { method: string; body: string }, drop: () => void) => boolean | undefined
}

/** A real agent on loopback, on the SDK's server. */
export async function startAgent(options: AgentOptions): Promise<RemoteAgentUnderTest> {
  const app = express()
  const { server, url } = await listen(app)
  const grpc = new GrpcServer()
  const card = cardFor(options, url, await bound(grpc))
  const received: Message[] = []
  const canceled: string[] = []
  const requests: string[] = []
  const store = options.store ?? new InMemoryTaskStore()
  const handler = new DefaultRequestHandler(card, store, executorFor(options, received, canceled))
  app.use(note(options, requests))
  app.use('/.well-known/agent-card.json', agentCardHandler({ agentCardProvider: handler }))
  const common = { requestHandler: handler, userBuilder: UserBuilder.noAuthentication, legacyCompat: { enabled: true } }
  app.use('/rpc', jsonRpcHandler(common))
  app.use('/rest', restHandler(common))
  const called = { requestHandler: handler, userBuilder: GrpcUserBuilder.noAuthentication }
  grpc.addService(A2AService, grpcService(called))
  grpc.addService(LegacyA2AService, legacyGrpcService(called))
  return {
    url,
    received,
    canceled,
    requests,
    store,
    cut: () => server.closeAllConnections(),
    close: () => {
      grpc.forceShutdown()
      return closed(server)
    },
  }
}

function bound(server: GrpcServer): Promise<string> {
  return new Promise((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) =>
      error ? reject(error) : resolve(`127.0.0.1:${port}`),
    )
  })
}

/** A server that answers as it likes, with a good card. */
export async function startImpostor(
  rpc: RequestListener,
  more: { streaming?: boolean; card?: (card: Record<string, unknown>) => unknown } = {},
): Promise<{ url: string; close(): Promise<void>; cut(): void }> {
  let url = ''
  const started = await listen((request, response) => {
    if (!request.url?.includes('agent-card')) return rpc(request, response)
    const card = cardFor({ dialect: '1.0 JSONRPC', ...more }, url) as unknown as Record<string, unknown>
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(more.card ? more.card(card) : card))
  })
  url = started.url
  return { url, close: () => closed(started.server), cut: () => started.server.closeAllConnections() }
}

/** A URL where nothing listens. */
export async function deadUrl(): Promise<string> {
  const { server, url } = await listen(() => undefined)
  await closed(server)
  return url
}

async function listen(handler: RequestListener): Promise<{ server: Server; url: string }> {
  const server = createServer(handler)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

async function closed(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}

type Middleware = (
  request: import('node:http').IncomingMessage,
  response: import('node:http').ServerResponse,
  next: () => void,
) => void

function note(options: AgentOptions, requests: string[]): Middleware {
  return (request, response, next) => {
    let body = ''
    request.on('data', (chunk) => {
      body += chunk
    })
    const replay = request.listeners('data').length
    request.on('end', () => {
      const method = /"method":"([^"]+)"/.exec(body)?.[1] ?? `${request.method} ${request.url}`
      requests.push(method)
      const parsed = body === '' ? undefined : JSON.parse(body)
      Object.assign(request, { body: parsed, _body: replay > 0 })
      if (!options.intercept?.({ method, body }, () => response.destroy())) next()
    })
  }
}

function cardFor(options: Pick<AgentOptions, 'dialect' | 'streaming'>, url: string, grpc = ''): AgentCard {
  const [protocolVersion = '', protocolBinding = ''] = options.dialect.split(' ')
  const http = `${url}${protocolBinding === 'JSONRPC' ? '/rpc' : '/rest'}`
  return {
    name: 'an agent under test',
    description: 'Does what a test says.',
    version: '1.0.0',
    supportedInterfaces: [
      { url: protocolBinding === 'GRPC' ? grpc : http, protocolBinding, protocolVersion, tenant: '' },
    ],
    provider: undefined,
    capabilities: { streaming: options.streaming ?? true, pushNotifications: false, extensions: [] },
    securitySchemes: {},
    securityRequirements: [],
    defaultInputModes: ['text/plain'],
    defaultOutputModes: ['text/plain'],
    skills: [
      {
        id: 'counting',
        name: 'Counting sheep',
        description: 'Counts them',
        tags: ['sleep'],
        examples: [],
        inputModes: [],
        outputModes: [],
        securityRequirements: [],
      },
    ],
    signatures: [],
    documentationUrl: undefined,
    iconUrl: undefined,
  } as unknown as AgentCard
}

function executorFor(options: AgentOptions, received: Message[], canceled: string[]) {
  const cancels = new Map<string, () => void>()
  return {
    async execute(context: RequestContext, bus: ExecutionEventBus): Promise<void> {
      received.push(context.userMessage)
      const cancel = Promise.withResolvers<void>()
      cancels.set(context.taskId, cancel.resolve)
      await options.work(replyTo(context, bus, cancel.promise))
    },
    async cancelTask(taskId: string, bus: ExecutionEventBus): Promise<void> {
      canceled.push(taskId)
      cancels.get(taskId)?.()
      const status = { state: TaskState.TASK_STATE_CANCELED, message: undefined, timestamp: new Date().toISOString() }
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId: '', status, metadata: undefined }))
    },
  }
}

function replyTo(context: RequestContext, bus: ExecutionEventBus, canceled: Promise<void>): Reply {
  const { taskId, contextId } = context
  const at = () => new Date().toISOString()
  const say = (text: string) => agentMessage(text, taskId, contextId)
  return {
    context,
    canceled,
    text: context.userMessage.parts
      .map((part) => (part.content?.$case === 'text' ? part.content.value : ''))
      .join('\n'),
    task: (state = TaskState.TASK_STATE_WORKING) => {
      const status = { state, message: undefined, timestamp: at() }
      const task: Task = { id: taskId, contextId, status, artifacts: [], history: [], metadata: undefined }
      bus.publish(AgentEvent.task(context.task ? { ...context.task, status } : task))
    },
    status: (state, text) => {
      const status = { state, message: text === undefined ? undefined : say(text), timestamp: at() }
      bus.publish(AgentEvent.statusUpdate({ taskId, contextId, status, metadata: undefined }))
    },
    chunk: (artifactId, text, more = {}) => {
      const { append = false, lastChunk = false } = more
      const artifact = artifactOf(artifactId, text)
      bus.publish(AgentEvent.artifactUpdate({ taskId, contextId, artifact, append, lastChunk, metadata: undefined }))
    },
    message: (text) => bus.publish(AgentEvent.message(say(text))),
  }
}

function artifactOf(artifactId: string, text: string): Artifact {
  return { artifactId, name: artifactId, description: '', parts: [textPart(text)], metadata: undefined, extensions: [] }
}

function agentMessage(text: string, taskId: string, contextId: string): Message {
  return {
    messageId: crypto.randomUUID(),
    taskId,
    contextId,
    role: 2,
    parts: [textPart(text)],
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  }
}

function textPart(text: string): Message['parts'][number] {
  return { content: { $case: 'text', value: text }, metadata: undefined, filename: '', mediaType: 'text/plain' }
}
