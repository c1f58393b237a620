import {
  AgentCard,
  CancelTaskRequest,
  DeleteTaskPushNotificationConfigRequest,
  GetExtendedAgentCardRequest,
  GetTaskPushNotificationConfigRequest,
  GetTaskRequest,
  ListTaskPushNotificationConfigsRequest,
  ListTaskPushNotificationConfigsResponse,
  ListTasksRequest,
  ListTasksResponse,
  SendMessageRequest,
  SendMessageResponse,
  StreamResponse,
  SubscribeToTaskRequest,
  Task,
  TaskPushNotificationConfig,
} from '@a2a-js/sdk'
import { A2AService as codecs } from '@a2a-js/sdk/server/grpc'
import { type GrpcService, method } from './grpc-method.ts'
import { isObject } from './wire-in.ts'

/** `lf.a2a.v1.A2AService`: 1.0's JSON is the JSON form of its Protocol Buffers, so the SDK's codecs do it all. (A2A 1.0 §10) */
export const MODERN_SERVICE: GrpcService = {
  version: '1.0',
  methods: [
    method('SendMessage', codecs.sendMessage, SendMessageRequest.toJSON, whole(SendMessageResponse.fromJSON)),
    method(
      'SendStreamingMessage',
      codecs.sendStreamingMessage,
      SendMessageRequest.toJSON,
      whole(StreamResponse.fromJSON),
    ),
    method('GetTask', codecs.getTask, GetTaskRequest.toJSON, whole(Task.fromJSON)),
    method('ListTasks', codecs.listTasks, ListTasksRequest.toJSON, whole(ListTasksResponse.fromJSON)),
    method('CancelTask', codecs.cancelTask, CancelTaskRequest.toJSON, whole(Task.fromJSON)),
    method('SubscribeToTask', codecs.subscribeToTask, SubscribeToTaskRequest.toJSON, whole(StreamResponse.fromJSON)),
    method(
      'CreateTaskPushNotificationConfig',
      codecs.createTaskPushNotificationConfig,
      TaskPushNotificationConfig.toJSON,
      TaskPushNotificationConfig.fromJSON,
    ),
    method(
      'GetTaskPushNotificationConfig',
      codecs.getTaskPushNotificationConfig,
      GetTaskPushNotificationConfigRequest.toJSON,
      TaskPushNotificationConfig.fromJSON,
    ),
    method(
      'ListTaskPushNotificationConfigs',
      codecs.listTaskPushNotificationConfigs,
      ListTaskPushNotificationConfigsRequest.toJSON,
      ListTaskPushNotificationConfigsResponse.fromJSON,
    ),
    method(
      'DeleteTaskPushNotificationConfig',
      codecs.deleteTaskPushNotificationConfig,
      DeleteTaskPushNotificationConfigRequest.toJSON,
      () => ({}),
    ),
    method('GetExtendedAgentCard', codecs.getExtendedAgentCard, GetExtendedAgentCardRequest.toJSON, AgentCard.fromJSON),
  ],
}

/** What the SDK reads of JSON, with the one thing that it reads as nothing at all: data that is null. */
function whole<A>(fromJson: (json: unknown) => A): (json: unknown) => A {
  return (json) => {
    const message = fromJson(json)
    giveNulls(message)
    return message
  }
}

/** A part that came this far has contents, so one without any had null. What clients put into a part is not looked at. */
function giveNulls(message: unknown): void {
  if (Array.isArray(message)) for (const item of message) giveNulls(item)
  else if (isObject(message) && !(message instanceof Date)) {
    if ('content' in message && 'mediaType' in message) message['content'] ??= { $case: 'data', value: null }
    else for (const [name, field] of Object.entries(message)) if (name !== 'metadata') giveNulls(field)
  }
}
