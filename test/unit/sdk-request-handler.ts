import {
  AgentCard,
  type CancelTaskRequest,
  type DeleteTaskPushNotificationConfigRequest,
  type GetTaskPushNotificationConfigRequest,
  type GetTaskRequest,
  type ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  type ListTasksRequest,
  ListTasksResponse,
  Message,
  SendMessageRequest,
  StreamResponse,
  type SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
  taskStateToJSON,
} from '@a2a-js/sdk'
import { A2AError, JsonRpcTransportError } from '@a2a-js/sdk/errors'
import type { A2ARequestHandler, ServerCallContext } from '@a2a-js/sdk/server'
import { type Call, readProtocol } from '../../src/a2a/call.ts'
import { asTrellisError, toRpcError } from '../../src/a2a/errors.ts'
import type { Identity } from '../../src/a2a/identity.ts'
import type { Frame, Operation } from '../../src/a2a/operation.ts'
import { CORE_OPERATIONS } from '../../src/a2a/operations-core.ts'
import type { Trellis } from '../../src/a2a/trellis.ts'
import type { Json } from '../../src/a2a/wire-out.ts'
import { TrellisError } from '../../src/base/errors.ts'

/** Where a test leaves the caller's identity and signal for the handler. */
export const CALLER_KEY = 'trellis.caller'
export const SIGNAL_KEY = 'trellis.signal'

/**
 * The SDK's request handler over `Trellis`, for the SDK's own transports to be held against ours. It calls the same operations as
 * JSON-RPC does, through 1.0's JSON, so every binding checks and answers alike. (A2A 1.0 §3.1)
 */
export class TrellisRequestHandler implements A2ARequestHandler {
  readonly #trellis: Trellis
  readonly #card: () => AgentCard

  constructor(trellis: Trellis, card: () => AgentCard) {
    this.#trellis = trellis
    this.#card = card
  }

  async getAgentCard(): Promise<AgentCard> {
    return this.#card()
  }

  async sendMessage(params: SendMessageRequest, context: ServerCallContext): Promise<Message | Task> {
    const result = await this.#unary('SendMessage', SendMessageRequest.toJSON(params), context)
    return 'message' in result ? Message.fromJSON(result['message']) : Task.fromJSON(result['task'])
  }

  sendMessageStream(params: SendMessageRequest, context: ServerCallContext) {
    return this.#stream('SendStreamingMessage', SendMessageRequest.toJSON(params), context)
  }

  async getTask({ id, historyLength }: GetTaskRequest, context: ServerCallContext): Promise<Task> {
    return Task.fromJSON(await this.#unary('GetTask', { id, historyLength }, context))
  }

  async cancelTask({ id, metadata }: CancelTaskRequest, context: ServerCallContext): Promise<Task> {
    return Task.fromJSON(await this.#unary('CancelTask', { id, metadata }, context))
  }

  async listTasks(params: ListTasksRequest, context: ServerCallContext): Promise<ListTasksResponse> {
    const status = params.status === 0 ? undefined : taskStateToJSON(params.status)
    return ListTasksResponse.fromJSON(await this.#unary('ListTasks', { ...params, status }, context))
  }

  resubscribe({ id }: SubscribeToTaskRequest, context: ServerCallContext) {
    return this.#stream('SubscribeToTask', { id }, context)
  }

  async createTaskPushNotificationConfig(params: TaskPushNotificationConfig, context: ServerCallContext) {
    const given = TaskPushNotificationConfig.toJSON(params)
    return TaskPushNotificationConfig.fromJSON(await this.#unary('CreateTaskPushNotificationConfig', given, context))
  }

  async getTaskPushNotificationConfig(
    { taskId, id }: GetTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<TaskPushNotificationConfig> {
    const given = { taskId, id }
    return TaskPushNotificationConfig.fromJSON(await this.#unary('GetTaskPushNotificationConfig', given, context))
  }

  async listTaskPushNotificationConfigs(
    { taskId }: ListTaskPushNotificationConfigsRequest,
    context: ServerCallContext,
  ): Promise<ListTaskPushNotificationConfigsResponse> {
    const result = await this.#unary('ListTaskPushNotificationConfigs', { taskId }, context)
    return ListTaskPushNotificationConfigsResponse.fromJSON(result)
  }

  async deleteTaskPushNotificationConfig(
    { taskId, id }: DeleteTaskPushNotificationConfigRequest,
    context: ServerCallContext,
  ): Promise<void> {
    await this.#unary('DeleteTaskPushNotificationConfig', { taskId, id }, context)
  }

  async getAuthenticatedExtendedAgentCard(_: unknown, context: ServerCallContext): Promise<AgentCard> {
    return AgentCard.fromJSON(await this.#unary('GetExtendedAgentCard', {}, context))
  }

  async #unary(method: string, params: unknown, context: ServerCallContext): Promise<Json> {
    const operation = operations.get(method)
    if (operation === undefined || operation.streams) throw new Error(`${method} is not unary`)
    try {
      return (await operation.run(this.#trellis, params, callOf(context))) as Json
    } catch (error) {
      throw toSdkError(error)
    }
  }

  async *#stream(method: string, params: unknown, context: ServerCallContext): AsyncGenerator<StreamResponse, void> {
    const operation = operations.get(method)
    if (!operation?.streams) throw new Error(`${method} does not stream`)
    try {
      const frames: AsyncIterable<Frame> = operation.run(this.#trellis, params, callOf(context))
      for await (const { result } of frames) yield StreamResponse.fromJSON(result)
    } catch (error) {
      throw toSdkError(error)
    }
  }
}

const operations: ReadonlyMap<string, Operation> = new Map(CORE_OPERATIONS.map((row) => [row.method, row]))

/** The call that a context stands for. Its results are 1.0's: the SDK translates them for older clients itself. */
function callOf(context: ServerCallContext): Call {
  const extensions = context.requestedExtensions?.join(',')
  const protocol = readProtocol({ version: '1.0', extensions })
  for (const uri of protocol.extensions) context.addActivatedExtension(uri)
  const identity = context.state.get(CALLER_KEY) as Identity | undefined
  if (identity === undefined) throw new TrellisError('internal', 'the binding did not say who calls')
  return {
    ...protocol,
    style: '1.0',
    notification: false,
    caller: { ...identity, extensions: protocol.extensions },
    signal: (context.state.get(SIGNAL_KEY) as AbortSignal | undefined) ?? NEVER,
  }
}

const NEVER = new AbortController().signal

/** An error that the SDK's handlers pass on with our code and message. */
function toSdkError(thrown: unknown): Error {
  if (thrown instanceof A2AError) return thrown
  const { code, message, data } = toRpcError(asTrellisError(thrown), '1.0')
  const error = { code, message, ...(data !== undefined && { data: data as object[] }) }
  return new JsonRpcTransportError({ jsonrpc: '2.0', id: null, error } as ConstructorParameters<
    typeof JsonRpcTransportError
  >[0])
}
