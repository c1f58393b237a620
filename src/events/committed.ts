import type { Changed } from '../domain/group.ts'
import { isTerminal } from '../domain/task.ts'
import type { Hub } from './hub.ts'
import type { Notifier } from './notifier.ts'

/** Those who act on what a group has committed. */
export interface Listeners {
  hub: Hub
  /** Absent where this process is the only one. */
  notifier: Notifier | null
  runner: { committed(changed: Changed): void }
  attempts: { active: { cancel(taskId: string): Promise<boolean> } }
  planning: { abort(rootId: string): void }
  onError: (error: unknown) => void
}

/** Tells followers, the runner and running attempts of committed changes: in this process directly, elsewhere by NOTIFY. */
export function announce(listeners: Listeners, changed: readonly Changed[]): void {
  for (const change of changed) {
    const { copy } = change
    listeners.runner.committed(change)
    for (const taskId of copy.aborted) {
      if (copy.task(taskId).state === 'canceled') listeners.attempts.active.cancel(taskId).catch(listeners.onError)
    }
    for (const { kind, id, state } of copy.tasks.changed) {
      if (kind === 'planned' && isTerminal(state)) listeners.planning.abort(id)
    }
    if (copy.events.length > 0) listeners.hub.wake(copy.context.key)
    listeners.notifier?.announce({
      context: copy.events.length > 0 ? copy.context.key : null,
      aborted: [...copy.aborted],
      ready: copy.ready.size > 0,
    })
  }
}
