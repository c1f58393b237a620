import type { ObjectiveDraft } from '../domain/draft.ts'
import type { Part } from '../domain/message.ts'
import type { PlanRequest } from './planner.ts'

/** What copies of the attachments may come to, in bytes of JSON. */
const MAX_BYTES = 32 * 1024 * 1024

/** What a client gave beside text: files and data that the agents need. */
export function attachmentsOf(request: PlanRequest): Part[] {
  return request.message.parts.filter((part) => !('text' in part))
}

/**
 * The draft with what the client gave beside text handed to the tasks that wait for nothing; the others get the
 * artifacts of those. Throws an Error where the copies would come to more than 32 MiB.
 */
export function withAttachments(draft: ObjectiveDraft, attachments: readonly Part[]): ObjectiveDraft {
  if (attachments.length === 0) return draft
  const first = draft.plans.filter((plan) => plan.dependencies.length === 0)
  const takers = new Set(first.flatMap((plan) => plan.tasks).filter((task) => task.dependencies.length === 0))
  const bytes = JSON.stringify(attachments).length * takers.size
  if (bytes > MAX_BYTES) throw new Error(`the message's files would be copied to ${takers.size} tasks: ${bytes} bytes`)
  const plans = draft.plans.map((plan) => ({
    ...plan,
    tasks: plan.tasks.map((task) =>
      takers.has(task) ? { ...task, parts: [...(task.parts ?? []), ...attachments] } : task,
    ),
  }))
  return { ...draft, plans }
}
