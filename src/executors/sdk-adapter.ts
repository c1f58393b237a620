import type { Task as SdkTask } from '@a2a-js/sdk'
import {
  type AgentExecutionEvent,
  DefaultExecutionEventBus,
  type AgentExecutor as SdkAgentExecutor,
  RequestContext as SdkRequestContext,
  ServerCallContext,
} from '@a2a-js/sdk/server'
import type { TaskView } from '../domain/task.ts'
import type { AgentExecutor, EventQueue, ExecutionEvent, RequestContext } from './executor.ts'
import { artifactFromSdk, artifactToSdk, messageFromSdk, messageToSdk, stateFromSdk, stateToSdk } from './sdk-codec.ts'

/** Whether something is an executor written for `@a2a-js/sdk`. */
export function isSdkExecutor(value: unknown): value is SdkAgentExecutor {
  const candidate = value as Partial<SdkAgentExecutor> | null | undefined
  return typeof candidate?.execute === 'function' && typeof candidate.cancelTask === 'function'
}

/**
 * An executor written for `@a2a-js/sdk`, as one of ours: what it publishes on its event bus goes to our queue, our signal
 * becomes its `cancelTask`. It sees the task's id, context, message, task and references as it would in the SDK's server.
 */
export function adaptSdkExecutor(sdk: SdkAgentExecutor): AgentExecutor {
  return {
    async execute(context, events) {
      const bus = busTo(events)
      await sdk.execute(sdkContext(context), bus)
    },
    async cancel(context, events) {
      await sdk.cancelTask(context.taskId, busTo(events))
    },
  }
}

function busTo(events: EventQueue): DefaultExecutionEventBus {
  const bus = new DefaultExecutionEventBus()
  bus.on('event', (event) => {
    const ours = eventFromSdk(event)
    if (ours) events.publish(ours)
  })
  return bus
}

function sdkContext(context: RequestContext): SdkRequestContext {
  const message = { ...messageToSdk(context.message), taskId: context.taskId, contextId: context.contextId }
  const request = {
    tenant: context.tenant,
    message,
    configuration: {
      acceptedOutputModes: context.configuration.acceptedOutputModes ?? [],
      taskPushNotificationConfig: undefined,
      historyLength: context.configuration.historyLength,
      returnImmediately: false,
    },
    metadata: context.metadata,
  }
  const call = new ServerCallContext({ requestedExtensions: [...context.requestedExtensions], tenant: context.tenant })
  const references = context.relatedTasks.map(taskToSdk)
  return new SdkRequestContext(
    request,
    context.taskId,
    context.contextId,
    call,
    taskToSdk(context.currentTask),
    references,
  )
}

function taskToSdk(task: TaskView): SdkTask {
  return {
    id: task.id,
    contextId: task.contextId,
    status: {
      state: stateToSdk(task.state),
      message: task.statusMessage && messageToSdk(task.statusMessage),
      timestamp: task.statusAt,
    },
    artifacts: task.artifacts.map(artifactToSdk),
    history: task.history.map(messageToSdk),
    metadata: task.metadata,
  }
}

function eventFromSdk(event: AgentExecutionEvent): ExecutionEvent | undefined {
  switch (event.kind) {
    case 'message':
      return { kind: 'message', message: messageFromSdk(event.data) }
    case 'artifactUpdate': {
      const { artifact, append, lastChunk } = event.data
      return artifact && { kind: 'artifact', artifact: artifactFromSdk(artifact), append, lastChunk }
    }
    case 'statusUpdate':
      return statusFromSdk(event.data.status)
    case 'task':
      return taskFromSdk(event.data)
  }
}

function statusFromSdk(status: SdkTask['status']): Extract<ExecutionEvent, { kind: 'status' }> | undefined {
  const state = stateFromSdk(status?.state)
  if (!state) return undefined
  return { kind: 'status', state, ...(status?.message && { message: messageFromSdk(status.message) }) }
}

function taskFromSdk(task: SdkTask): ExecutionEvent | undefined {
  const status = statusFromSdk(task.status)
  if (!status) return undefined
  const artifacts = task.artifacts.map(artifactFromSdk)
  return { ...status, kind: 'task', ...(artifacts.length > 0 && { artifacts }) }
}
