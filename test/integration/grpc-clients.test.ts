import { type AgentCard, type Message, SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk'
import { type Client, ClientFactory, DefaultAgentCardResolver } from '@a2a-js/sdk/client'
import { GrpcTransportFactory } from '@a2a-js/sdk/client/grpc'
import * as legacy from 'a2a-sdk-0.3/client'
import { GrpcTransportFactory as OlderGrpcTransportFactory } from 'a2a-sdk-0.3/client/grpc'
import type { Test } from 'tap'
import t from '../tap.ts'
import { startServer } from './server.ts'

/** The official SDK's clients over gRPC: of 1.0, of 1.x for 0.3 servers, and of the 0.3 line itself. */

const server = await startServer(t, { config: { grpc: { port: 0 }, card: { extended: true } }, agents: ['worker'] })
t.beforeEach(() => server.agent.forget())

let sent = 0
function request(text: string, more: object = {}) {
  const message = { messageId: `sdk-${process.pid}-${++sent}`, role: 'ROLE_USER', parts: [{ text }], ...more }
  return SendMessageRequest.fromJSON({ message })
}

async function clientOf(version: '1.0' | '0.3'): Promise<Client> {
  const legacyCompat = { enabled: version === '0.3' }
  const factory = new ClientFactory({
    transports: [new GrpcTransportFactory({ legacyCompat })],
    preferredTransports: ['GRPC'],
    cardResolver: new DefaultAgentCardResolver({ legacyCompat }),
  })
  if (version === '1.0') return factory.createFromUrl(server.baseUrl)
  const response = await fetch(`${server.baseUrl}/.well-known/agent-card.json`)
  const { supportedInterfaces: _, ...card } = (await response.json()) as Record<string, unknown>
  return factory.createFromAgentCard(new DefaultAgentCardResolver({ legacyCompat }).normalizeAgentCard(card))
}

for (const version of ['1.0', '0.3'] as const) {
  t.test(`the SDK's client of ${version}`, async (t) => {
    const client = await clientOf(version)
    t.equal(client.protocolVersion, version)
    await answers(t, client)
    await streams(t, client)
    await cancels(t, client)
    await t.rejects(client.getTask({ id: 'none', tenant: '' }), {
      name: 'TaskNotFoundError',
      message: /not found: none/,
    })
    await cards(t, client)
    await pushes(t, client)
    if (version === '1.0') await lists(t, client)
  })
}

async function answers(t: Test, client: Client): Promise<void> {
  const answer = (await client.sendMessage(request('What is 2 + 2?'))) as Message
  t.match(answer.parts, [{ content: { $case: 'text', value: '2 + 2 = 4' } }])
}

async function streams(t: Test, client: Client): Promise<void> {
  server.agent.when('Paint', (run) => {
    run.chunk('a ', { lastChunk: false })
    run.chunk('sea', { append: true })
    run.end('completed')
  })
  const frames = []
  for await (const frame of client.sendMessageStream(request('Paint'))) frames.push(frame.payload)
  t.equal(frames[0]?.$case, 'task')
  t.ok(frames.some((frame) => frame?.$case === 'artifactUpdate'))
  t.match(frames.at(-1), { $case: 'statusUpdate', value: { status: { state: TaskState.TASK_STATE_COMPLETED } } })
  const { id } = (frames[0]?.value ?? {}) as Task
  const task = await client.getTask({ id, tenant: '' })
  t.match(task, { id, status: { state: TaskState.TASK_STATE_COMPLETED } })
  const texts = task.artifacts.flatMap(({ parts }) => parts.map(({ content }) => content?.value))
  t.equal(texts.join(''), 'a sea')
  const ended = client.resubscribeTask({ id, tenant: '' })
  await t.rejects(ended.next(), { name: 'UnsupportedOperationError' })
}

async function cancels(t: Test, client: Client): Promise<void> {
  server.agent.when('Wait', (run) => run.left)
  const frames = client.sendMessageStream(request('Wait'))
  const first = await frames.next()
  const { id } = (first.value?.payload?.value ?? {}) as Task
  await server.agent.begun('Wait')
  const canceled = await client.cancelTask({ id, tenant: '', metadata: undefined })
  t.equal(canceled.status?.state, TaskState.TASK_STATE_CANCELED)
  let last = first
  for (let next = await frames.next(); !next.done; next = await frames.next()) last = next
  t.match(last.value?.payload?.value, { status: { state: TaskState.TASK_STATE_CANCELED } })
  await t.rejects(client.cancelTask({ id, tenant: '', metadata: undefined }), { name: 'TaskNotCancelableError' })
  server.agent.forget()
}

async function cards(t: Test, client: Client): Promise<void> {
  const card: AgentCard = await client.getAgentCard()
  const ids = card.skills.map(({ id }) => id)
  t.ok(ids.includes('orchestrate') && ids.includes('agent/worker'), ids.join())
}

/** One is set, read, listed and deleted, by the id that it was given. */
async function pushes(t: Test, client: Client): Promise<void> {
  server.agent.when('Watch', (run) => run.left)
  const first = await client.sendMessageStream(request('Watch')).next()
  const { id: taskId } = (first.value?.payload?.value ?? {}) as Task
  const authentication = { scheme: 'Bearer', credentials: 'abc' }
  const config = { tenant: '', taskId, id: 'hook-1', url: 'https://example.com/hook', token: 'tok', authentication }
  const same = { taskId, id: 'hook-1', url: config.url, token: 'tok', authentication }
  t.match(await client.createTaskPushNotificationConfig(config), same)
  t.match(await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'hook-1' }), same)
  const listed = () => client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' })
  t.match((await listed()).configs, [same])
  await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'hook-1' })
  t.strictSame((await listed()).configs, [])
  for (const run of server.agent.runs) run.leave()
}

async function lists(t: Test, client: Client): Promise<void> {
  const sentTask = (await client.sendMessage(request('Feed the cat'))) as Task
  const { contextId } = sentTask
  const page = await client.listTasks({
    ...{ tenant: '', contextId, status: TaskState.TASK_STATE_COMPLETED, pageSize: 5, pageToken: '' },
    ...{ historyLength: undefined, statusTimestampAfter: undefined, includeArtifacts: true },
  })
  t.match(page, { totalSize: 1, pageSize: 5, nextPageToken: '', tasks: [{ id: sentTask.id, artifacts: [{}] }] })
}

t.test('the SDK of 0.3 itself', async (t) => {
  const factory = new legacy.ClientFactory({
    transports: [new OlderGrpcTransportFactory()],
    preferredTransports: ['GRPC'],
  })
  const client = await factory.createFromUrl(server.baseUrl)
  const params = (text: string, configuration = {}) => ({
    message: {
      kind: 'message' as const,
      messageId: `older-${process.pid}-${++sent}`,
      role: 'user' as const,
      parts: [
        { kind: 'text' as const, text },
        { kind: 'data' as const, data: { n: 1, deep: [{ b: true }] } },
        { kind: 'file' as const, file: { bytes: 'aGk=', mimeType: 'text/plain' } },
      ],
    },
    ...configuration,
  })
  const answer = await client.sendMessage({
    message: { ...params('What is 2 + 2?').message, parts: [{ kind: 'text', text: 'What is 2 + 2?' }] },
  })
  t.match(answer, { kind: 'message', parts: [{ kind: 'text', text: '2 + 2 = 4' }] })

  const frames = []
  for await (const frame of client.sendMessageStream(params('Draw a boat'))) frames.push(frame)
  const updates = frames.filter((frame) => frame.kind === 'status-update')
  t.match(frames[0], { kind: 'task', history: [{ parts: params('Draw a boat').message.parts }] })
  t.match(frames.at(-1), { kind: 'status-update', final: true, status: { state: 'completed' } })
  t.equal(updates.filter(({ final }) => final).length, 1)
  const { id } = frames[0] as { id: string }
  t.match(await client.getTask({ id, historyLength: 1 }), { kind: 'task', id, status: { state: 'completed' } })
  await t.rejects(client.getTask({ id: 'none' }), { name: 'TaskNotFoundError' })
  await t.rejects(client.cancelTask({ id }), { name: 'TaskNotCancelableError' })

  server.agent.when('Wait', (run) => run.left)
  const at = await client.sendMessage(params('Wait', { configuration: { blocking: false } }))
  t.match(at, { kind: 'task', status: { state: /submitted|working/ } }, 'does not wait')
  const open = client.resubscribeTask({ id: (at as { id: string }).id })
  t.match((await open.next()).value, { kind: 'task' })
  const run = await server.agent.begun('Wait')
  run.complete()
  t.match((await open.next()).value, { kind: /update/ })
  await open.return(undefined)
  t.match(await client.getAgentCard(), { preferredTransport: 'JSONRPC', skills: [{ id: 'orchestrate' }] })
})
