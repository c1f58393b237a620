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
  /** Absent where nobody is told of anything. */
  webhooks: { committed(changed: Changed): void } | null
  onError: (error: unknown) => void
}

/**
 * Tells followers, the runner and running attempts of committed changes: in this process directly, elsewhere by NOTIFY.
 * Never throws: what is committed is not tried again, whatever comes of telling it.
 */
export function announce(listeners: Listeners, changed: readonly Changed[]): void {
  for (const change of changed) {
    for (const tell of [tellRunner, tellFollowers, tellWebhooks]) {
      try {
        tell(listeners, change)
      } catch (error) {
        listeners.onError(error)
      }
    }
  }
}

function tellRunner({ runner, attempts, planning, onError }: Listeners, change: Changed): void {
  const { copy } = change
  runner.committed(change)
  for (const taskId of copy.aborted) {
    if (copy.task(taskId).state === 'canceled') attempts.active.cancel(taskId).catch(onError)
  }
  for (const { kind, id, state } of copy.tasks.changed) {
    if (kind === 'planned' && isTerminal(state)) planning.abort(id)
  }
}

function tellWebhooks({ webhooks }: Listeners, change: Changed): void {
  webhooks?.committed(change)
}

function tellFollowers({ hub, notifier }: Listeners, { copy }: Changed): void {
  const context = copy.events.length > 0 ? copy.context.key : null
  if (context !== null) hub.wake(context)
  const aborted = [...copy.aborted].filter((taskId) => copy.task(taskId).state === 'canceled')
  notifier?.announce({ context, aborted, ready: copy.ready.size > 0 })
}
