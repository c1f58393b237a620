import type { DraftPlan, DraftTask } from '../draft.ts'
import type { PlanRow, TaskRow } from '../rows.ts'
import type { TaskKind } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { blankTask, policiesOf, type TaskDefaults } from './create-root.ts'

/** What a plan's draft does not say of it. */
export interface PlanPlace {
  index: number
  defaults: TaskDefaults
  revision: number
  supersedesPlanId: string | null
}

/** A plan of a planned task, with nothing in it yet. */
export function planRow(
  w: WorkingCopy,
  { id, taskId, draft, at, unmet }: { id: string; taskId: string; draft: DraftPlan; at: PlanPlace; unmet: number },
): PlanRow {
  return {
    id,
    contextKey: w.context.key,
    taskId,
    planIndex: at.index,
    draftKey: draft.key,
    name: draft.name,
    description: draft.description ?? null,
    status: 'pending',
    end: null,
    unmet,
    onFailure: draft.onFailure ?? at.defaults.onFailure,
    alternativeTo: null,
    alternativeBy: null,
    covered: false,
    revision: at.revision,
    supersedesPlanId: at.supersedesPlanId,
    metadata: draft.metadata ?? {},
    waiting: 0,
    ready: 0,
    running: 0,
    input: 0,
    auth: 0,
    completed: 0,
    failed: 0,
    ignored: 0,
    canceled: 0,
    skipped: 0,
    started: 0,
    createdAt: w.now,
    updatedAt: w.now,
  }
}

/** A task of a plan, which nothing has happened to yet. */
export function taskRow(
  w: WorkingCopy,
  plan: PlanRow,
  draft: DraftTask,
  at: { id: string; kind: TaskKind; entry: boolean; unmet: number; defaults: TaskDefaults },
): TaskRow {
  return {
    ...blankTask(w, at.defaults),
    ...policiesOf(draft, at.defaults),
    id: at.id,
    kind: at.kind,
    rootId: w.task(plan.taskId).rootId,
    planId: plan.id,
    name: draft.name,
    description: draft.description ?? null,
    parts: draft.parts ?? null,
    unmet: at.unmet,
    entry: at.entry,
  }
}
