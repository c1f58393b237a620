import type { JobHandler } from '../db/queue.ts'
import type { Changes } from '../domain/change.ts'
import { recordAttempt } from '../domain/commands/run.ts'
import type { WorkReader } from '../domain/queries/work.ts'
import type { EventQueue } from '../executors/executor.ts'
import type { AgentRegistry } from '../executors/registry.ts'
import type { RequestContextBuilder } from '../executors/request-context.ts'
import { contextParams } from './attempt-context.ts'

export interface RemoteCancelOptions {
  changes: Changes
  agents: AgentRegistry
  readWork: WorkReader
  builder: RequestContextBuilder
}

const NOBODY = ''

/** Nothing that comes of a cancel is this task's any more. */
const unheard: EventQueue = { publish: () => undefined, flush: () => Promise.resolve() }

/**
 * The job that tells a remote agent of an attempt that is not wanted any more: canceled, or given up. Repeated until it is told: an executor's `cancel` rejects only
 * where trying again may help. (design §3.7)
 */
export function remoteCancelJob({ changes, agents, readWork, builder }: RemoteCancelOptions): JobHandler {
  return async ({ taskId, contextKey, attempt }, signal) => {
    if (typeof taskId !== 'string' || typeof contextKey !== 'string' || typeof attempt !== 'number') return
    const work = await readWork(taskId, attempt)
    if (work === null || work.attempt.outcome === null || agents.agent(work.attempt.agent) === undefined) return
    const ref = { taskId, number: attempt, lease: work.lease, runner: NOBODY }
    const context = await builder.build(
      contextParams(work, signal, (patch) =>
        changes.apply({
          target: { kind: 'known', key: contextKey },
          needs: [{ kind: 'lineage', id: taskId }],
          decide: (w) => {
            const landed = recordAttempt(w, ref, patch)
            return () => landed
          },
        }),
      ),
    )
    await agents.executorFor(work.attempt.agent).cancel(context, unheard)
  }
}
