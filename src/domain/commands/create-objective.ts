import type { Metadata } from '../message.ts'
import { countRoot } from '../moves/planned.ts'
import { objectiveStatus } from '../rollup.ts'
import type { ObjectiveRow } from '../rows.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** Makes a planned root the newest root of the context's objective, which is created if the context has none. */
export function joinObjective(
  w: WorkingCopy,
  rootId: string,
  objective: { name: string; description?: string; metadata?: Metadata },
): void {
  if (w.objective() === undefined) {
    const row = w.objectives.insert(w.context.key, objectiveRow(w, rootId, objective))
    countRoot(w, rootId)
    row.status = objectiveStatus(row)
    w.emit('objective.created', { name: row.name, status: row.status })
    return
  }
  const row = w.objectives.edit(w.context.key)
  row.newestRootId = rootId
  row.newestState = w.task(rootId).state
  countRoot(w, rootId)
}

function objectiveRow(
  w: WorkingCopy,
  rootId: string,
  objective: { name: string; description?: string; metadata?: Metadata },
): ObjectiveRow {
  const { key: contextKey, tenant, owner, wireId } = w.context
  return {
    contextKey,
    tenant,
    owner,
    wireId,
    name: objective.name,
    description: objective.description ?? null,
    status: 'submitted',
    metadata: objective.metadata ?? {},
    newestRootId: rootId,
    newestState: 'submitted',
    rootsWorking: 0,
    rootsPlanning: 0,
    rootsInterrupted: 0,
    rootsSubmitted: 0,
    total: 0,
    completed: 0,
    failed: 0,
    canceled: 0,
    skipped: 0,
    working: 0,
    blocked: 0,
    createdAt: w.now,
    updatedAt: w.now,
  }
}
