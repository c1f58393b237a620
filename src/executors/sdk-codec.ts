import { Artifact as SdkArtifact, Message as SdkMessage, TaskState as SdkState } from '@a2a-js/sdk'
import type { Artifact, Message } from '../domain/message.ts'
import type { TaskState } from '../domain/task.ts'

/** Between the SDK's forms and ours. Nothing here checks sizes: see a2a-bounds.ts for what comes from strangers. */

const STATES: readonly [SdkState, TaskState][] = [
  [SdkState.TASK_STATE_SUBMITTED, 'submitted'],
  [SdkState.TASK_STATE_WORKING, 'working'],
  [SdkState.TASK_STATE_INPUT_REQUIRED, 'input-required'],
  [SdkState.TASK_STATE_AUTH_REQUIRED, 'auth-required'],
  [SdkState.TASK_STATE_COMPLETED, 'completed'],
  [SdkState.TASK_STATE_FAILED, 'failed'],
  [SdkState.TASK_STATE_CANCELED, 'canceled'],
  [SdkState.TASK_STATE_REJECTED, 'rejected'],
]
const FROM_SDK = new Map(STATES)
const TO_SDK = new Map(STATES.map(([sdk, state]) => [state, sdk]))

/** Undefined for a state that says nothing (`unspecified`, 0.3's `unknown`) or that is not known. */
export function stateFromSdk(state: SdkState | undefined): TaskState | undefined {
  return state === undefined ? undefined : FROM_SDK.get(state)
}

export function stateToSdk(state: TaskState): SdkState {
  return TO_SDK.get(state) ?? SdkState.TASK_STATE_UNSPECIFIED
}

export function messageToSdk(message: Message): SdkMessage {
  return SdkMessage.fromJSON({ ...message, role: message.role === 'user' ? 'ROLE_USER' : 'ROLE_AGENT' })
}

export function messageFromSdk(message: SdkMessage): Message {
  const json = SdkMessage.toJSON(message) as Omit<Message, 'role'> & { role?: string }
  return { ...json, parts: json.parts ?? [], role: json.role === 'ROLE_USER' ? 'user' : 'agent' }
}

export function artifactToSdk(artifact: Artifact): SdkArtifact {
  return SdkArtifact.fromJSON(artifact)
}

export function artifactFromSdk(artifact: SdkArtifact): Artifact {
  const json = SdkArtifact.toJSON(artifact) as Artifact
  return { ...json, parts: json.parts ?? [] }
}
