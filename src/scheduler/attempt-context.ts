import { type Artifact, type ArtifactReference, type Message, referencedArtifacts } from '../domain/message.ts'
import type { Work } from '../domain/queries/work.ts'
import { composeMessage } from '../executors/compose-message.ts'
import type { AttemptPatch, AttemptRecord } from '../executors/executor.ts'
import type { RequestContextParams } from '../executors/request-context.ts'

/** What an executor is told of one attempt, from what is stored of it. (design §6, Routing: "A task's message") */
export function contextParams(
  work: Work,
  signal: AbortSignal,
  record: (patch: AttemptPatch) => Promise<boolean>,
): RequestContextParams {
  const { task, request, tenant, owner, answer, related } = work
  return {
    principal: { id: owner, tenant },
    message: messageOf(work),
    currentTask: task,
    relatedTasks: related.map(({ view }) => view),
    configuration: {
      ...(request.acceptedOutputModes && { acceptedOutputModes: request.acceptedOutputModes }),
      ...(request.historyLength !== undefined && { historyLength: request.historyLength }),
    },
    metadata: request.metadata ?? {},
    requestedExtensions: request.extensions ?? [],
    signal,
    attempt: recordOf(work),
    ...(answer !== null && { answer }),
    record,
  }
}

/**
 * A root task's message is its sender's own; a task in a plan is told its text. Then what it was told when it asked, and
 * what it was given by the tasks before it.
 */
function messageOf(work: Work): Message {
  const { task, name, description, parts, attempt, firstMessage, clarifications } = work
  const from = givenTo(work)
  const composed = composeMessage({
    messageId: attempt.id,
    task: { name, ...(description !== null && { description }), ...(parts !== null && { parts }) },
    from,
    contextId: task.contextId,
    taskId: task.id,
    ...(firstMessage?.metadata && { metadata: firstMessage.metadata }),
    ...(from.length > 0 && { referenceTaskIds: from.map(({ id }) => id) }),
  })
  const ownParts = 1 + (parts?.length ?? 0)
  const own = firstMessage?.parts ?? composed.parts.slice(0, ownParts)
  const told = clarifications.flatMap((message) => message.parts)
  return { ...composed, parts: [...own, ...told, ...composed.parts.slice(ownParts)] }
}

function givenTo({ related, firstMessage, clarifications }: Work) {
  const messages = [...(firstMessage === null ? [] : [firstMessage]), ...clarifications]
  const meant = messages.flatMap((message) => referencedArtifacts(message))
  return related.map(({ view, artifacts }) => ({ id: view.id, artifacts: meantOf(view.id, artifacts, meant) }))
}

/** All of a task's artifacts, or of them those that the message names, if it names any of this task. */
function meantOf(taskId: string, artifacts: Artifact[], meant: readonly ArtifactReference[]): Artifact[] {
  const ids = new Set(meant.filter((one) => one.taskId === taskId).map(({ artifactId }) => artifactId))
  return ids.size === 0 ? artifacts : artifacts.filter(({ artifactId }) => ids.has(artifactId))
}

function recordOf({ attempt, remoteContextId, lease }: Work): AttemptRecord {
  // What was sent is looked for, and sent again, as it was sent: others may have learnt of a remote context since.
  const inContext = attempt.sentAt === null ? (attempt.remoteContextId ?? remoteContextId) : attempt.remoteContextId
  return {
    id: attempt.id,
    number: attempt.number,
    lease,
    takenOver: attempt.takeovers > 0,
    ...(attempt.sentAt !== null && { sentAt: attempt.sentAt }),
    ...(attempt.remoteTaskId !== null && { remoteTaskId: attempt.remoteTaskId }),
    ...(inContext !== null && { remoteContextId: inContext }),
    ...(attempt.maybeDuplicate && { maybeDuplicate: true }),
    ...(attempt.memo !== null && { memo: attempt.memo }),
    parkedTimes: attempt.parkedTimes,
  }
}
