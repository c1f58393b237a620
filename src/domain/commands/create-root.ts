import { newId } from '../../base/ids.ts'
import type { DraftTask } from '../draft.ts'
import type { Message } from '../message.ts'
import { becomeReady } from '../moves/task.ts'
import type { PlannedRow, TaskRequest, TaskRow } from '../rows.ts'
import type { RetryPolicy, TaskKind } from '../task.ts'
import { isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** What applies where a draft says nothing; from config. */
export interface TaskDefaults {
  retry: RetryPolicy
  timeoutSeconds: number | null
  onFailure: 'fail' | 'continue' | 'ignore'
  onPlanFailure: 'fail' | 'continue'
}

export interface Reference {
  id: string
  /** In another context of the same owner, and finished. */
  elsewhere: boolean
}

export interface NewRoot {
  id: string
  kind: TaskKind
  name: string
  /** Null for a root that no message made, as that of `objectives/create`. */
  message: Message | null
  request: TaskRequest
  task: Partial<DraftTask>
  /** Tasks to wait for, whatever their end, and whose artifacts are the input. */
  references: readonly Reference[]
  /** ISO 8601; see TaskRow. */
  visibleAt: string
  onPlanFailure?: 'fail' | 'continue'
}

/** Inserts a root task with its message. Its plans, if it is planned, are added by `createPlans`. */
export function createRoot(w: WorkingCopy, root: NewRoot, defaults: TaskDefaults): TaskRow {
  const waitFor = root.references.filter(({ id, elsewhere }) => !elsewhere && !isTerminal(w.task(id).state))
  const task = w.tasks.insert(root.id, rootRow(w, root, defaults, waitFor.length))
  for (const { id: dependsOnId } of root.references)
    w.taskDependencies.push({ taskId: task.id, dependsOnId, reference: true })
  if (task.kind === 'planned')
    w.planned.insert(task.id, plannedRow(w, task.id, root.onPlanFailure ?? defaults.onPlanFailure))
  if (root.message !== null) keepMessage(w, root.message, task.id)
  w.emit('task.created', { name: task.name, state: task.state, ...(task.agent && { agent: task.agent }) }, { task })
  if (task.unmet === 0 && task.kind === 'executed') becomeReady(w, task)
  return task
}

function rootRow(w: WorkingCopy, root: NewRoot, defaults: TaskDefaults, unmet: number): TaskRow {
  return {
    ...blankTask(w, defaults),
    ...policiesOf(root.task, defaults),
    id: root.id,
    kind: root.kind,
    rootId: root.id,
    planId: null,
    name: root.name,
    description: root.task.description ?? null,
    parts: root.task.parts ?? null,
    unmet,
    entry: true,
    request: root.request,
    visibleAt: root.visibleAt,
  }
}

/** What a draft task says of how it runs, with the defaults where it says nothing. */
export function policiesOf(draft: Partial<DraftTask>, defaults: TaskDefaults) {
  return {
    agent: draft.agent ?? null,
    skill: draft.skill ?? null,
    optional: draft.optional ?? false,
    priority: draft.priority ?? 0,
    retry: { ...defaults.retry, ...draft.retry },
    timeoutSeconds: draft.timeoutSeconds ?? defaults.timeoutSeconds,
    metadata: draft.metadata ?? {},
  }
}

/** A submitted task that nothing has happened to yet. */
export function blankTask(w: WorkingCopy, defaults: TaskDefaults) {
  const { key: contextKey, tenant, owner } = w.context
  return {
    contextKey,
    tenant,
    owner,
    state: 'submitted' as const,
    skipped: false,
    retry: defaults.retry,
    attempt: 0,
    lease: 0,
    runner: null,
    claimableAt: null,
    startedAt: null,
    statusAt: w.now,
    statusMessage: null,
    request: {} as TaskRequest,
    visibleAt: w.now,
    hidden: false,
    createdAt: w.now,
  }
}

export function plannedRow(w: WorkingCopy, taskId: string, onPlanFailure: 'fail' | 'continue'): PlannedRow {
  return {
    taskId,
    contextKey: w.context.key,
    end: null,
    onPlanFailure,
    acted: false,
    waiting: 0,
    ready: 0,
    working: 0,
    blocked: 0,
    completed: 0,
    failed: 0,
    covered: 0,
    canceled: 0,
    skipped: 0,
    input: 0,
    auth: 0,
    started: false,
    countedAs: null,
    total: 0,
    done: 0,
  }
}

/** Keeps a message in the context, and in a task's history if it belongs to one. Returns its row's id. */
export function keepMessage(w: WorkingCopy, message: Message, taskId: string | null): string {
  const id = newId('message')
  w.messages.push({ id, contextKey: w.context.key, taskId, position: w.context.seq + 1, body: message })
  return id
}
