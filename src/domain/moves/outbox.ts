import { newId } from '../../base/ids.ts'
import type { PushConfigRow } from '../push-rows.ts'
import type { EventRow } from '../rows.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** What a task's receiver is told of: as in its stream. */
const TOLD: ReadonlySet<string> = new Set(['task.status', 'task.artifact'])

/**
 * Puts the change's events into the outbox of every push configuration that they concern: they are committed with the
 * events, so a crash loses none. (design §8.4)
 */
export function queueDeliveries(w: WorkingCopy, configs: readonly PushConfigRow[]): void {
  for (const config of configs) {
    const events = w.events.filter((event) => concerns(config, event))
    if (events.length === 0) continue
    for (const { seq } of events) w.deliveries.push(deliveryOf(w, config, seq))
    w.webhookQueues.push({ configKey: config.key, pending: events.length, dueAt: dueAt(w, config) })
  }
}

/** A task's own events; of an objective, all that its stream tells. */
function concerns({ taskId }: PushConfigRow, event: EventRow): boolean {
  return taskId === null ? event.inTree : event.taskId === taskId && TOLD.has(event.type)
}

/** A task that is out of sight may yet turn into a lone Message: nobody is told of it before it is in sight. (design §6) */
function dueAt(w: WorkingCopy, { taskId }: PushConfigRow): string {
  const visibleAt = taskId === null ? undefined : w.tasks.get(taskId)?.visibleAt
  return visibleAt !== undefined && Date.parse(visibleAt) > Date.parse(w.now) ? visibleAt : w.now
}

function deliveryOf(w: WorkingCopy, { key, id, taskId }: PushConfigRow, seq: number) {
  const { key: contextKey, tenant, owner } = w.context
  return {
    id: newId('delivery'),
    tenant,
    owner,
    contextKey,
    configKey: key,
    configId: id,
    taskId,
    seq,
    state: 'pending' as const,
    createdAt: w.now,
  }
}
