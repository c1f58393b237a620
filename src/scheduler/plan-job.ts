import type { Logger } from 'pino'
import { TrellisError } from '../base/errors.ts'
import type { Sql } from '../db/client.ts'
import type { JobHandler } from '../db/queue.ts'
import type { Changes } from '../domain/change.ts'
import type { TaskDefaults } from '../domain/commands/create-root.ts'
import { type LatePlan, planLate } from '../domain/commands/plan-late.ts'
import { readContext } from '../domain/queries/context.ts'
import { readRootRequest } from '../domain/queries/root-request.ts'
import type { PlanRequest } from '../planner/planner.ts'
import { planAround } from '../planner/single-task.ts'
import type { Planning } from './planning.ts'

export interface PlanJobOptions {
  sql: Sql
  changes: Changes
  planning: Planning
  server: PlanRequest['server']
  defaults: TaskDefaults
  log: Logger
  fault?: (point: string) => Promise<void> | void
}

export const PLAN_QUEUE = 'plan'

/** The job that gives a root its plans when its planner took longer than the request could wait. (design §7) */
export function planJob(options: PlanJobOptions): JobHandler {
  const { changes, defaults, fault } = options
  return async ({ taskId, contextKey }) => {
    if (typeof taskId !== 'string' || typeof contextKey !== 'string') return
    await fault?.('plan:begun')
    const plan = await planFor(options, contextKey, taskId)
    await fault?.('plan:before-commit')
    const land = (late: LatePlan) =>
      changes.apply({
        target: { kind: 'known', key: contextKey },
        needs: [
          { kind: 'lineage', id: taskId },
          { kind: 'plansOf', id: taskId },
        ],
        decide: (w) => {
          planLate(w, taskId, late, defaults)
          return () => undefined
        },
      })
    // Plans that are refused under the lock end their root: planned again for a day, they would leave it waiting.
    await land(plan).catch((error: unknown) => land({ error: refusalOf(error) }))
  }
}

/** @throws the error itself, if trying again may help */
function refusalOf(error: unknown): string {
  if (!(error instanceof TrellisError) || error.meaning === 'unavailable') throw error
  return error.message
}

/** A request that cannot be planned, or was canceled, ends its root; anything else is tried again by the queue. */
async function planFor(
  { planning, sql, server, log }: PlanJobOptions,
  contextKey: string,
  taskId: string,
): Promise<LatePlan> {
  try {
    const decision = await planning.late(taskId, () => planRequest(sql, server, contextKey, taskId))
    return { decision, around: planAround }
  } catch (error) {
    if ((error as Error).name === 'AbortError') return { error: 'Planning was canceled' }
    const refusal = refusalOf(error)
    log.warn({ err: error, taskId }, 'planning failed')
    return { error: refusal }
  }
}

async function planRequest(
  sql: Sql,
  server: PlanRequest['server'],
  contextKey: string,
  taskId: string,
): Promise<PlanRequest> {
  const root = await readRootRequest(sql, taskId)
  if (root === null) throw new TrellisError('internal', `The message of task ${taskId} is gone`)
  const { history, artifacts } = await readContext(sql, contextKey)
  const earlier = history.filter((message) => message.messageId !== root.message.messageId)
  return { message: root.message, metadata: root.metadata, history: earlier, artifacts, planRequired: true, server }
}
