import type { Decision, ObjectiveDraft } from '../domain/draft.ts'
import type { Artifact, Message, Metadata } from '../domain/message.ts'

/** What a planner may know when it decides what a message becomes. All of it is data from outside. */
export interface PlanRequest {
  message: Message
  /** The request's own metadata, beside the message. Hints count here and in the message's metadata. */
  metadata: Metadata
  /** The context's earlier messages, oldest first, and the deliverables so far; empty in a new context. */
  history: readonly Message[]
  artifacts: readonly Artifact[]
  /** Must become plans whatever the planner would rather do: a client created the objective and asks for its plan. */
  planRequired: boolean
  /** What the server says of itself, for questions about it. */
  server: { name: string; description: string; skills: readonly { name: string; description: string }[] }
}

/** Decides what a message becomes, or declines with null. (design §7) */
export interface Planner {
  readonly name: string
  /** Whether it waits on anything outside the process; such a planner runs behind a reservation, never inline. */
  readonly io: boolean
  plan(request: PlanRequest, signal: AbortSignal): Promise<Decision | null>
}

export type { DraftLimits } from '../domain/graph.ts'
export type { Decision, ObjectiveDraft }
