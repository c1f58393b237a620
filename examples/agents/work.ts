import { randomUUID } from 'node:crypto'
import {
  Message,
  Part,
  type Task,
  TaskArtifactUpdateEvent,
  Task as TaskCodec,
  TaskStatusUpdateEvent,
} from '@a2a-js/sdk'
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server'

/** A part in the protocol's JSON. */
export interface JsonPart {
  text?: string
  data?: unknown
  mediaType?: string
  metadata?: Record<string, unknown>
}

/** The artifact that a part was taken from, when an orchestrator gave it from another task. */
export function artifactOf(part: JsonPart): string | undefined {
  const from = part.metadata?.['opt/v1/from'] as { artifactId?: unknown } | undefined
  return typeof from?.artifactId === 'string' ? from.artifactId : undefined
}

export interface WorkRequest {
  /** What the agent is asked for: the text that is not part of an artifact. */
  text: string
  /** Everything it was given, the artifacts of earlier tasks among it. */
  parts: JsonPart[]
  signal: AbortSignal
  /** Tells whoever follows how far the work is. */
  say(text: string): void
}

export interface WorkResult {
  artifacts: { name: string; description: string; parts: JsonPart[] }[]
  /** One sentence for the final status. */
  summary: string
}

/** What an agent does with one request. Throw a `Refusal` when the request cannot be worked on as it is. */
export type Work = (request: WorkRequest) => Promise<WorkResult>

export class Refusal extends Error {}

/** Runs `work` for each task: working, its artifacts, then completed, failed, rejected or canceled. */
export class WorkExecutor implements AgentExecutor {
  readonly #work: Work
  readonly #running = new Map<string, AbortController>()

  constructor(work: Work) {
    this.#work = work
  }

  execute = async (context: RequestContext, bus: ExecutionEventBus): Promise<void> => {
    const abort = new AbortController()
    this.#running.set(context.taskId, abort)
    bus.publish(AgentEvent.task(taskOf(context)))
    try {
      const result = await this.#work(requestOf(context, bus, abort.signal))
      abort.signal.throwIfAborted()
      for (const artifact of result.artifacts) publishArtifact(context, bus, artifact)
      publishStatus(context, bus, 'TASK_STATE_COMPLETED', result.summary)
    } catch (error) {
      publishStatus(context, bus, endOf(error, abort.signal), (error as Error).message)
    } finally {
      this.#running.delete(context.taskId)
      bus.finished()
    }
  }

  cancelTask = async (taskId: string): Promise<void> => {
    this.#running.get(taskId)?.abort(new Error('Canceled on request'))
  }
}

function endOf(error: unknown, signal: AbortSignal): string {
  if (signal.aborted) return 'TASK_STATE_CANCELED'
  return error instanceof Refusal ? 'TASK_STATE_REJECTED' : 'TASK_STATE_FAILED'
}

function requestOf(context: RequestContext, bus: ExecutionEventBus, signal: AbortSignal): WorkRequest {
  const parts = context.userMessage.parts.map((part) => Part.toJSON(part) as JsonPart)
  const own = parts.filter((part) => part.text !== undefined && artifactOf(part) === undefined)
  return {
    text: own.map((part) => part.text).join('\n'),
    parts,
    signal,
    say: (text) => publishStatus(context, bus, 'TASK_STATE_WORKING', text),
  }
}

function taskOf(context: RequestContext): Task {
  const task = TaskCodec.fromJSON({
    id: context.taskId,
    contextId: context.contextId,
    status: { state: 'TASK_STATE_SUBMITTED', timestamp: new Date().toISOString() },
  })
  return { ...task, history: [context.userMessage] }
}

function publishStatus(context: RequestContext, bus: ExecutionEventBus, state: string, text: string): void {
  const { taskId, contextId } = context
  const message = { messageId: randomUUID(), role: 'ROLE_AGENT', taskId, contextId, parts: [{ text }] }
  const status = { state, timestamp: new Date().toISOString(), message: Message.toJSON(Message.fromJSON(message)) }
  bus.publish(AgentEvent.statusUpdate(TaskStatusUpdateEvent.fromJSON({ taskId, contextId, status })))
}

function publishArtifact(context: RequestContext, bus: ExecutionEventBus, artifact: WorkResult['artifacts'][number]) {
  const { taskId, contextId } = context
  const update = { taskId, contextId, artifact: { artifactId: randomUUID(), ...artifact }, lastChunk: true }
  bus.publish(AgentEvent.artifactUpdate(TaskArtifactUpdateEvent.fromJSON(update)))
}
