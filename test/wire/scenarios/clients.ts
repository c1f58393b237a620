import { type Message, SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  DefaultAgentCardResolver,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import { TaskNotFoundError } from '@a2a-js/sdk/errors'
import * as legacy from 'a2a-sdk-0.3/client'
import type { Test } from 'tap'
import type { Server } from '../rpc.ts'

/** The official SDK's clients, of 1.0 and of 0.3, over each binding. They find all they need in the card. */
export async function clients(t: Test, server: Server): Promise<void> {
  for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
    for (const version of ['1.0', '0.3'] as const) await sdk(t, server, version, binding)
    await older(t, server, binding)
  }
}

async function sdk(t: Test, server: Server, version: '1.0' | '0.3', binding: Binding): Promise<void> {
  await t.test(`the SDK's client of ${version} over ${binding}`, async (t) => {
    const client = await clientOf(version, server, binding)
    t.equal(client.protocolVersion, version)
    await answered(t, client)
    await task(t, client)
  })
}

type Binding = 'JSONRPC' | 'HTTP+JSON'

/** The SDK's 0.3 line itself, which knows nothing of 1.0. */
async function older(t: Test, server: Server, binding: Binding): Promise<void> {
  await t.test(`the SDK of 0.3 over ${binding}`, async (t) => {
    const transport = binding === 'JSONRPC' ? new legacy.JsonRpcTransportFactory() : new legacy.RestTransportFactory()
    const factory = new legacy.ClientFactory({ transports: [transport], preferredTransports: [binding] })
    const client = await factory.createFromUrl(server.baseUrl)
    const message = (text: string) => ({ message: { ...legacyMessage(text) } })
    const answer = await client.sendMessage(message('What is 2 + 2?'))
    t.match(answer, { kind: 'message', parts: [{ kind: 'text', text: '2 + 2 = 4' }] })
    const frames = []
    for await (const frame of client.sendMessageStream(message('Draw a sailboat on the ocean'))) frames.push(frame)
    t.match(frames[0], { kind: 'task', id: String })
    t.match(frames.at(-1), { status: { state: 'completed' } })
    const { id } = frames[0] as { id: string }
    t.match(await client.getTask({ id }), { kind: 'task', id, status: { state: 'completed' } })
    await t.rejects(client.getTask({ id: 'none' }), /not found/i)
    await t.rejects(client.cancelTask({ id }), { name: /Error/ })
  })
}

function legacyMessage(text: string) {
  const parts = [{ kind: 'text' as const, text }]
  return {
    kind: 'message' as const,
    messageId: `older-${process.pid}-${Date.now()}-${++sent}`,
    role: 'user' as const,
    parts,
  }
}

/** A client of 0.3 is shown only what such a client knows of the card. */
async function clientOf(version: '1.0' | '0.3', server: Server, binding: Binding): Promise<Client> {
  const legacyCompat = { enabled: version === '0.3' }
  const factory = new ClientFactory({
    transports: [
      binding === 'JSONRPC'
        ? new JsonRpcTransportFactory({ legacyCompat })
        : new RestTransportFactory({ legacyCompat }),
    ],
    preferredTransports: [binding],
    cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
  })
  if (version === '1.0') return factory.createFromUrl(server.baseUrl)
  const response = await fetch(`${server.baseUrl}/.well-known/agent-card.json`)
  const { supportedInterfaces: _, ...legacy } = (await response.json()) as Record<string, unknown>
  const card = new DefaultAgentCardResolver({ legacyCompat }).normalizeAgentCard(legacy)
  return factory.createFromAgentCard(card)
}

let sent = 0
function request(text: string, configuration?: object): SendMessageRequest {
  sent += 1
  const messageId = `client-${process.pid}-${Date.now()}-${sent}`
  return SendMessageRequest.fromJSON({ message: { messageId, role: 'ROLE_USER', parts: [{ text }] }, configuration })
}

async function answered(t: Test, client: Client): Promise<void> {
  const answer = (await client.sendMessage(request('What is 2 + 2?'))) as Message
  t.match(answer, { messageId: String, parts: [{ content: { $case: 'text', value: '2 + 2 = 4' } }] })
  const frames = []
  for await (const frame of client.sendMessageStream(request('What is 2 + 2?'))) frames.push(frame.payload?.$case)
  t.strictSame(frames, ['message'])
}

async function task(t: Test, client: Client): Promise<void> {
  const started = (await client.sendMessage(request('Feed the cat', { returnImmediately: true }))) as Task
  t.match(started, { id: String, contextId: String, status: { state: Number } })
  const seen = await client.getTask({ tenant: '', id: started.id, historyLength: undefined })
  t.match(seen, { id: started.id, contextId: started.contextId })
  await t.rejects(client.getTask({ tenant: '', id: 'none', historyLength: undefined }), TaskNotFoundError)
  const planned = (await client.sendMessage(
    request('Research AI safety papers and write a summary', { returnImmediately: true }),
  )) as Task
  t.equal(planned.metadata?.['opt/v1/objectiveId'], planned.contextId)
  const canceled = await client.cancelTask({ tenant: '', id: planned.id, metadata: undefined }).catch((error) => error)
  if (canceled instanceof Error) t.match(canceled.name, /TaskNotCancelable/, 'it was done already')
  else t.equal(canceled.status?.state, TaskState.TASK_STATE_CANCELED)
}
