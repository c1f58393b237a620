import {
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTasksRequest,
  SendMessageRequest,
  SubscribeToTaskRequest,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk'
import { A2AService } from '@a2a-js/sdk/server/grpc'
import { Metadata, type MethodDefinition, type ServiceError } from '@grpc/grpc-js'
import type { Operation } from '../../src/a2a/operation.ts'
import { restRoutes } from '../../src/a2a/rest.ts'
import { type Answer, eventsOf, post, type Server } from '../wire/rpc.ts'
import { Socket } from '../wire/socket.ts'
import { RawClient } from './grpc-raw.ts'

/** What an operation said: a result (of a stream, the first frame) or an error, with the HTTP status where there is one. */
export interface Said {
  status?: number
  result?: Answer
  error?: Answer
}

/** Calls an operation over one binding; undefined where that binding does not serve it. */
export type Binding = (
  server: Server,
  operation: Operation,
  params: Record<string, unknown>,
  headers: Record<string, string>,
) => Promise<Said | undefined>

const versionHeader = ({ version = '0.3' }: Operation) => ({ 'A2A-Version': version })

async function jsonRpc(...[server, operation, params, headers]: Parameters<Binding>): Promise<Said> {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: operation.method, params })
  if (!operation.streams) {
    const answer = await post(server, body, { ...versionHeader(operation), ...headers })
    return { status: answer.status, ...answer.body }
  }
  return firstOf(
    await fetch(`${server.baseUrl}/`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...versionHeader(operation), ...headers },
      body,
    }),
  )
}

async function webSocket(...[server, operation, params, headers]: Parameters<Binding>): Promise<Said> {
  const socket = await Socket.open(server, { ...versionHeader(operation), ...headers })
  try {
    return await socket.call(operation.method, params)
  } finally {
    await socket.close()
  }
}

/** 0.3's REST writes bodies as protobuf does; its reads have none. */
async function rest(...[server, operation, params, headers]: Parameters<Binding>): Promise<Said | undefined> {
  const [at] = restRoutes([operation])
  if (at === undefined || (operation.version === '0.3' && at.verb === 'POST')) return undefined
  const left = { ...params }
  const ids = operation.version === '0.3' && 'pushNotificationConfigId' in left
  const names: Record<string, string> =
    ids || /pushNotificationConfig\/list$/.test(operation.method) ? LEGACY_NAMES : {}
  const path = at.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const param = operation.version === '0.3' ? (names[name] ?? name) : name
    const value = String(left[param])
    delete left[param]
    return encodeURIComponent(value)
  })
  const reads = at.verb === 'GET' || at.verb === 'DELETE'
  const query = reads ? `?${new URLSearchParams(left as Record<string, string>)}` : ''
  const response = await fetch(`${server.baseUrl}${path}${query}`, {
    method: at.verb,
    headers: { ...(!reads && { 'content-type': 'application/json' }), ...headers },
    ...(!reads && { body: JSON.stringify(left) }),
  })
  return firstOf(response)
}

const LEGACY_NAMES = { taskId: 'id', id: 'pushNotificationConfigId' }

/** The body; of a stream, its first event. */
async function firstOf(response: Response): Promise<Said> {
  const { status } = response
  if (response.headers.get('content-type')?.startsWith('text/event-stream')) {
    const events = eventsOf(response)
    const { value } = await events.next()
    await events.return()
    const data = value?.data
    return data?.jsonrpc === undefined ? { status, result: data } : { status, ...data }
  }
  const text = await response.text()
  const body = text === '' ? {} : JSON.parse(text)
  if (body.jsonrpc !== undefined) return { status, ...body }
  return response.ok ? { status, result: body } : { status, error: body.error ?? body }
}

const REQUESTS: Readonly<Record<string, { fromJSON(json: unknown): object }>> = {
  SendMessage: SendMessageRequest,
  SendStreamingMessage: SendMessageRequest,
  GetTask: GetTaskRequest,
  ListTasks: ListTasksRequest,
  CancelTask: CancelTaskRequest,
  SubscribeToTask: SubscribeToTaskRequest,
  CreateTaskPushNotificationConfig: TaskPushNotificationConfig,
  GetTaskPushNotificationConfig: GetTaskPushNotificationConfigRequest,
  ListTaskPushNotificationConfigs: ListTaskPushNotificationConfigsRequest,
  DeleteTaskPushNotificationConfig: DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCard: GetExtendedAgentCardRequest,
}

/** 1.0's service. The status stands for the result's absence; its details are said as JSON-RPC says them. */
async function grpc(...[server, { method }, params, headers]: Parameters<Binding>): Promise<Said | undefined> {
  const request = REQUESTS[method]?.fromJSON(params)
  const { grpc: address } = server as { grpc?: string }
  if (request === undefined || address === undefined) return undefined
  const ends: (() => unknown)[] = []
  const { client } = new RawClient({ teardown: (end) => ends.push(end) }, address)
  const { path, responseStream, requestSerialize, responseDeserialize } = Object.values(A2AService).find((row) =>
    row.path.endsWith(`/${method}`),
  ) as ServiceMethod
  const metadata = new Metadata()
  for (const [name, value] of Object.entries(headers)) metadata.set(name, value)
  const said = await new Promise<Said>((resolve) => {
    const failed = ({ code, details }: ServiceError) => resolve({ error: { code, message: details } })
    if (responseStream) {
      const stream = client.makeServerStreamRequest(path, requestSerialize, responseDeserialize, request, metadata)
      stream.on('error', failed).once('data', (result) => {
        resolve({ result })
        stream.cancel()
      })
    } else {
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, request, metadata, (error, result) =>
        error ? failed(error) : resolve({ result }),
      )
    }
  })
  for (const end of ends) end()
  return said
}

type ServiceMethod = MethodDefinition<object, object>

/** Every binding that a test can drive by the operations table. */
export const BINDINGS: Readonly<Record<string, Binding>> = { jsonRpc, webSocket, rest, grpc }
