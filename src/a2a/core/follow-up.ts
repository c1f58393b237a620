import { invalidParams, taskNotFound } from '../../base/errors.ts'
import type { Reference } from '../../domain/commands/create-root.ts'
import { type Message, referencedArtifacts, textOf } from '../../domain/message.ts'
import type { ContextSummary } from '../../domain/queries/context.ts'
import { isTerminal } from '../../domain/task.ts'
import type { Caller } from '../trellis.ts'
import type { Candidate } from './ambiguity.ts'
import type { CoreDeps } from './deps.ts'

/**
 * What a follow-up builds on: the tasks its message names, else the context's N-th root where the text says "task N", else
 * the latest finished root (which is found under the lock). Undefined: that last case. (design §2)
 */
export async function referencesOf(
  deps: CoreDeps,
  caller: Caller,
  message: Message,
  context: { wireId: string; summary: ContextSummary } | null,
): Promise<Reference[] | undefined> {
  const ids = [
    ...new Set([...(message.referenceTaskIds ?? []), ...referencedArtifacts(message).map(({ taskId }) => taskId)]),
  ]
  if (ids.length > 0) return Promise.all(ids.map((id) => namedReference(deps, caller, id, context?.wireId)))
  const roots = context?.summary.roots ?? []
  const named = numbersIn(textOf(message)).flatMap((n) => roots[n - 1] ?? [])
  return named.length > 0 ? named.map(({ id }) => ({ id, elsewhere: false })) : undefined
}

async function namedReference(
  deps: CoreDeps,
  caller: Caller,
  id: string,
  contextId: string | undefined,
): Promise<Reference> {
  const { tenant, owner } = caller
  const key = { tenant, owner, id, historyLength: 0, includeArtifacts: false, includeUnseen: false }
  const task = await deps.readTask(key)
  if (task === null) throw taskNotFound(id)
  const elsewhere = task.contextId !== contextId
  if (elsewhere && !isTerminal(task.state)) {
    throw invalidParams(
      'message.referenceTaskIds',
      `names ${id}, which is ${task.state} in another context; must name tasks of this context, or finished ones`,
    )
  }
  return { id, elsewhere }
}

/** The artifacts that a follow-up may mean: of what it refers to, else of the latest finished root. */
export async function candidatesOf(
  deps: CoreDeps,
  { tenant, owner }: Caller,
  references: readonly Reference[] | undefined,
  summary: ContextSummary | null,
): Promise<Candidate[]> {
  if (references === undefined) {
    const { latestRoot: taskId, artifacts } = summary ?? { latestRoot: null, artifacts: [] }
    return taskId === null ? [] : artifacts.map((artifact) => ({ taskId, artifact }))
  }
  const key = { tenant, owner, historyLength: 0, includeArtifacts: true, includeUnseen: false }
  const tasks = await Promise.all(references.map(({ id }) => deps.readTask({ ...key, id })))
  return tasks.flatMap((task) => (task?.artifacts ?? []).map((artifact) => ({ taskId: task?.id ?? '', artifact })))
}

/** "Based on Task 1", "after task 2 and task 3", "基于任务 2": the numbers that a text builds on. */
export function numbersIn(text: string): number[] {
  const clauses = text
    .slice(0, 2_000)
    .matchAll(
      /(?:based on|after|using|from|with|of|and|,|基于|在)\s*(?:the results? of\s+)?(?:task|任务)\s*#?(\d{1,3})/giu,
    )
  return [...new Set([...clauses].map((match) => Number(match[1])))]
}
