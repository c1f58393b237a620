import type { Database, Sql } from '../../db/client.ts'
import type { Changes } from '../../domain/change.ts'
import type { TaskDefaults } from '../../domain/commands/create-root.ts'
import type { DraftLimits } from '../../domain/graph.ts'
import type { EventReader } from '../../domain/queries/events.ts'
import type { Lookup } from '../../domain/queries/lookup.ts'
import type { StateReader } from '../../domain/queries/state.ts'
import type { TaskReader } from '../../domain/queries/tasks.ts'
import type { Hub } from '../../events/hub.ts'
import type { UrlGuard } from '../../events/webhook-guard.ts'
import type { AgentRegistry } from '../../executors/registry.ts'
import type { PlanRequest } from '../../planner/planner.ts'
import type { AttemptRunner } from '../../scheduler/attempt-runner.ts'
import type { Planning } from '../../scheduler/planning.ts'

/** What registering for push notifications stands on. */
export interface PushDeps {
  guard: UrlGuard
  maxConfigsPerTask: number
}

/** What the operations of every binding stand on. */
export interface CoreDeps {
  database: Database
  sql: Sql
  changes: Changes
  hub: Hub
  readTask: TaskReader
  /** The same for those who need no current `seq`: a finished task may be remembered. */
  recallTask: TaskReader
  readState: StateReader
  readEvents: EventReader
  lookup: Lookup
  attempts: AttemptRunner
  agents: AgentRegistry
  planning: Planning
  server: PlanRequest['server']
  defaults: TaskDefaults
  limits: DraftLimits & { firstEventSeconds: number; blockingSeconds?: number }
  idempotency: boolean
  /** Null: push notifications are switched off. */
  push: PushDeps | null
}
