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

/** `lf.a2a.v1.A2AService`: 1.0's JSON is the JSON form of its Protocol Buffers, so the SDK's codecs do it all. (A2A 1.0 §10) */
export const MODERN_SERVICE: GrpcService = {
  version: '1.0',
  methods: [
    method('SendMessage', codecs.sendMessage, SendMessageRequest.toJSON, SendMessageResponse.fromJSON),
    method('SendStreamingMessage', codecs.sendStreamingMessage, SendMessageRequest.toJSON, StreamResponse.fromJSON),
    method('GetTask', codecs.getTask, GetTaskRequest.toJSON, Task.fromJSON),
    method('ListTasks', codecs.listTasks, ListTasksRequest.toJSON, ListTasksResponse.fromJSON),
    method('CancelTask', codecs.cancelTask, CancelTaskRequest.toJSON, Task.fromJSON),
    method('SubscribeToTask', codecs.subscribeToTask, SubscribeToTaskRequest.toJSON, StreamResponse.fromJSON),
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
