import { planNotFound, taskNotFound } from '../base/errors.ts'
import type { EventData, EventType } from './event.ts'
import type { Loaded, Rows } from './loaded.ts'
import type { Message } from './message.ts'
import { Need, type Needed, type NeedKind } from './need.ts'
import type { DeliveryRow, PushConfigRow, WebhookQueueRow } from './push-rows.ts'
import type {
  ArtifactPartRow,
  ArtifactRow,
  AttemptRow,
  ContextRow,
  EventRow,
  InputRequestRow,
  MessageRow,
  ObjectiveRow,
  PlanDependencyRow,
  PlannedRow,
  PlanRow,
  PlanTaskRow,
  TaskDependencyRow,
  TaskRow,
} from './rows.ts'
import { Table } from './table.ts'

/** A job to run after the change committed, written in the same transaction. */
export interface Job {
  queue: string
  payload: Record<string, unknown>
}

/** An end of something whose consequences are not drawn yet. */
export type Consequence = { kind: 'task' | 'plan'; id: string }

/** A planned task that ends with what it is in, or because what it waited for broke. */
export interface EndingBelow {
  taskId: string
  /** A person canceled what it is in. */
  canceled: boolean
}

/**
 * One context while changes to it are decided: what was loaded, under what was changed since. Discarded when a decision
 * turns out to need more rows. Holds no logic of its own; the moves are in moves/.
 */
export class WorkingCopy {
  readonly now: string
  readonly context: ContextRow
  readonly created: boolean
  readonly objectives: Table<ObjectiveRow>
  readonly tasks: Table<TaskRow>
  readonly planned: Table<PlannedRow>
  readonly plans: Table<PlanRow>
  readonly attempts: Table<AttemptRow>
  readonly artifacts: Table<ArtifactRow>
  readonly inputs: Table<InputRequestRow>
  readonly pushConfigs: Table<PushConfigRow>
  readonly planTasks: PlanTaskRow[] = []
  readonly taskDependencies: TaskDependencyRow[] = []
  readonly planDependencies: PlanDependencyRow[] = []
  readonly messages: MessageRow[] = []
  readonly parts: ArtifactPartRow[] = []
  readonly events: EventRow[] = []
  readonly deliveries: DeliveryRow[] = []
  readonly webhookQueues: WebhookQueueRow[] = []
  readonly jobs: Job[] = []
  /** Tasks that became claimable. */
  readonly ready = new Set<string>()
  /** Tasks whose running attempt must stop, now that it lost its task. */
  readonly aborted = new Set<string>()
  /** What `settle` still has to do: planned tasks to open and to end, consequences to draw, parents to recompute. */
  openings: string[] = []
  endings: EndingBelow[] = []
  consequences: Consequence[] = []
  /** What planned tasks that are being ended say of it. */
  readonly lastWords = new Map<string, Message>()
  /** Planned tasks below which a task finished. */
  readonly progressed = new Set<string>()
  readonly dirtyPlans = new Set<string>()
  readonly dirtyPlanned = new Set<string>()
  /** Tasks whose questions were opened or closed. */
  readonly asked = new Set<string>()
  /** Tasks that this copy moved into another plan. */
  readonly carried = new Set<string>()
  private readonly loaded: Loaded
  private readonly before: ContextRow

  constructor(context: ContextRow, loaded: Loaded, now: string, created: boolean) {
    this.before = context
    this.context = { ...context }
    this.created = created
    this.loaded = loaded
    this.now = now
    this.objectives = new Table(loaded.objectives)
    this.tasks = new Table(loaded.tasks)
    this.planned = new Table(loaded.planned)
    this.plans = new Table(loaded.plans)
    this.attempts = new Table(loaded.attempts)
    this.artifacts = new Table(loaded.artifacts)
    this.inputs = new Table(loaded.inputs)
    this.pushConfigs = new Table(loaded.pushConfigs)
  }

  /** The tables that change, by name. */
  get tables() {
    return [
      ['objective', this.objectives],
      ['task', this.tasks],
      ['planned', this.planned],
      ['plan', this.plans],
      ['attempt', this.attempts],
      ['artifact', this.artifacts],
      ['input', this.inputs],
      ['pushConfig', this.pushConfigs],
    ] as const
  }

  /** Rows that are only ever added, by table. */
  get appended() {
    return [
      ['planTask', this.planTasks],
      ['taskDependency', this.taskDependencies],
      ['planDependency', this.planDependencies],
      ['message', this.messages],
      ['artifactPart', this.parts],
      ['event', this.events],
      ['delivery', this.deliveries],
      ['webhookQueue', this.webhookQueues],
    ] as const
  }

  get contextChanged(): boolean {
    return this.events.length > 0 || this.context.push !== this.before.push
  }

  /** How many rows the change moves. */
  get size(): number {
    const moved = this.tables.reduce((sum, [, table]) => sum + table.inserted.length + table.changed.length, 0)
    return this.appended.reduce((sum, [, rows]) => sum + rows.length, moved)
  }

  /** Has rows loaded that will be read, all that are missing in one round. What this copy inserted is never missing. */
  require(needed: readonly Needed[]): void {
    if (this.created) return
    const [first, ...also] = needed.filter((need) => !this.isThere(need))
    if (first !== undefined) throw new Need(first.kind, first.id, also)
  }

  private isThere({ kind, id }: Needed): boolean {
    const covers = kind === 'dependents' ? this.loaded.answerOf('cascade', id) : undefined
    return (covers ?? this.loaded.answerOf(kind, id)) !== undefined || this.tasks.isNew(id) || this.plans.isNew(id)
  }

  /** A task of this context. @throws TrellisError taskNotFound for any other */
  task(id: string): TaskRow {
    const task = this.tasks.get(id)
    if (task === undefined && !this.created && this.loaded.answerOf('lineage', id) === undefined)
      this.miss('lineage', id)
    if (task === undefined || task.contextKey !== this.context.key) throw taskNotFound(id)
    return task
  }

  plan(id: string): PlanRow {
    const plan = this.plans.get(id)
    if (plan === undefined && !this.created && this.loaded.answerOf('plan', id) === undefined) this.miss('plan', id)
    if (plan === undefined || plan.contextKey !== this.context.key) throw planNotFound(id)
    return plan
  }

  plannedTask(id: string): PlannedRow {
    const planned = this.planned.get(id)
    if (planned !== undefined) return planned
    if (this.created || this.loaded.answerOf('lineage', id) !== undefined) throw taskNotFound(id)
    return this.miss('lineage', id)
  }

  /** The row of a planned task, to write to. */
  editPlanned(id: string): PlannedRow {
    this.plannedTask(id)
    return this.planned.edit(id)
  }

  objective(): ObjectiveRow | undefined {
    const found = this.objectives.get(this.context.key)
    if (found === undefined && !this.created) this.known('objective', this.context.key)
    return found
  }

  /** Tasks that wait for this one, with how: those loaded, and those inserted by this copy. */
  dependents(taskId: string, depth: 'dependents' | 'cascade'): TaskDependencyRow[] {
    const added = this.taskDependencies.filter((edge) => edge.dependsOnId === taskId)
    if (this.tasks.isNew(taskId)) return added
    const loaded = this.loaded.answerOf('cascade', taskId) ?? this.known(depth, taskId)
    // Needs that overlap answer for the same edges, so an edge can be there twice.
    return [...rowsOf(this.loaded.edges, new Set(loaded)), ...added]
  }

  planDependents(planId: string): PlanRow[] {
    const added = this.planDependencies.filter((edge) => edge.dependsOnId === planId).map((edge) => edge.planId)
    const loaded = this.plans.isNew(planId) ? [] : this.known('planDependents', planId)
    return [...loaded, ...added].map((id) => this.plan(id))
  }

  unfinishedTasks(planId: string): TaskRow[] {
    return this.children('unfinishedTasks', planId)
  }

  entryTasks(planId: string): TaskRow[] {
    return this.children('entryTasks', planId).filter((task) => task.entry)
  }

  plansOf(taskId: string): PlanRow[] {
    const loaded = this.tasks.isNew(taskId) ? [] : this.known('plansOf', taskId)
    const added = this.plans.added((plan) => plan.taskId === taskId)
    return [...loaded.map((id) => this.plan(id)), ...added]
  }

  openInputs(): InputRequestRow[] {
    return this.recentInputs().filter((input) => input.closedAt === null)
  }

  /** Open questions, and those that were closed a moment ago. */
  recentInputs(): InputRequestRow[] {
    const loaded = this.created ? [] : this.known('openInputs', this.context.key)
    return [...loaded.flatMap((id) => this.inputs.get(id) ?? []), ...this.inputs.added(() => true)]
  }

  artifactsOf(taskId: string): ArtifactRow[] {
    const loaded = this.tasks.isNew(taskId) ? [] : this.known('artifacts', taskId)
    return [
      ...loaded.flatMap((key) => this.artifacts.get(key) ?? []),
      ...this.artifacts.added((artifact) => artifact.taskId === taskId),
    ]
  }

  /** Artifacts of tasks of the plan that no task of it depends on, as they were before this copy. */
  storedDeliverables(planId: string): ArtifactRow[] {
    const loaded = this.plans.isNew(planId) ? [] : this.known('deliverables', planId)
    return loaded.flatMap((key) => this.artifacts.get(key) ?? [])
  }

  /** Tasks that this copy moved into the plan. */
  carriedInto(planId: string): TaskRow[] {
    return [...this.carried].map((id) => this.task(id)).filter((task) => task.planId === planId)
  }

  /** The context's push configurations. Where it counts none, none are looked for. */
  allPushConfigs(): PushConfigRow[] {
    const loaded = this.created || this.before.push === 0 ? [] : this.known('pushConfigs', this.context.key)
    return [...loaded.flatMap((key) => this.pushConfigs.get(key) ?? []), ...this.pushConfigs.added(() => true)]
  }

  roots(): TaskRow[] {
    const loaded = this.created ? [] : this.known('roots', this.context.key)
    return [...loaded.map((id) => this.task(id)), ...this.tasks.added((task) => task.id === task.rootId)]
  }

  attempt(taskId: string): AttemptRow | undefined {
    const attempt = this.attempts.get(taskId)
    return attempt?.outcome === null ? attempt : undefined
  }

  /** Appends an event under the context's next seq. */
  emit<T extends EventType>(type: T, data: EventData[T], about: { task?: TaskRow; plan?: PlanRow } = {}): number {
    const { task, plan } = about
    this.context.seq += 1
    this.events.push({
      contextKey: this.context.key,
      seq: this.context.seq,
      time: this.now,
      type,
      rootId: task?.rootId ?? (plan ? (this.tasks.get(plan.taskId)?.rootId ?? null) : null),
      planId: plan?.id ?? task?.planId ?? null,
      taskId: task?.id ?? null,
      inTree: task === undefined || task.planId !== null || task.kind === 'planned',
      data,
    })
    return this.context.seq
  }

  private children(kind: 'unfinishedTasks' | 'entryTasks', planId: string): TaskRow[] {
    const loaded = this.plans.isNew(planId) ? [] : this.known(kind, planId)
    const moved = this.carriedInto(planId)
    const stayed = loaded.filter((id) => !this.carried.has(id)).map((id) => this.task(id))
    return [...stayed, ...moved, ...this.tasks.added((task) => task.planId === planId)]
  }

  private known(kind: NeedKind, id: string): readonly string[] {
    return this.loaded.answerOf(kind, id) ?? this.miss(kind, id)
  }

  private miss(kind: NeedKind, id: string): never {
    throw new Need(kind, id)
  }
}

function rowsOf<T>(rows: Rows<T>, keys: ReadonlySet<string>): T[] {
  return [...keys].flatMap((key) => rows.get(key) ?? [])
}
