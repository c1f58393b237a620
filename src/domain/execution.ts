import type { Artifact, Message, Metadata } from './message.ts'
import type { TaskState } from './task.ts'

/** What an executor publishes while it works on one attempt. (design §6) */
export type ExecutionEvent =
  | { kind: 'task'; state: TaskState; message?: Message; artifacts?: Artifact[]; metadata?: Metadata }
  | { kind: 'message'; message: Message }
  | { kind: 'status'; state: TaskState; message?: Message; metadata?: Metadata }
  | { kind: 'artifact'; artifact: Artifact; append?: boolean; lastChunk?: boolean }
