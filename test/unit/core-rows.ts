import { deepStrictEqual } from 'node:assert'
import { isPlanTerminal } from '../../src/domain/plan.ts'
import type { DeliveryRow, PushConfigRow, WebhookQueueRow } from '../../src/domain/push-rows.ts'
import type {
  ArtifactRow,
  AttemptRow,
  EventRow,
  InputRequestRow,
  ObjectiveRow,
  PlanDependencyRow,
  PlannedRow,
  PlanRow,
  PlanTaskRow,
  TaskDependencyRow,
  TaskRow,
} from '../../src/domain/rows.ts'
import { TABLES, type TableName, type TableShape } from '../../src/domain/store/columns.ts'
import { isTerminal } from '../../src/domain/task.ts'

type Row = Record<string, unknown>

/** All rows of one context, under the names, keys and guards of the store's tables. */
export class CoreRows {
  private readonly tables = new Map<TableName, Map<string, Row>>()

  all<T>(table: TableName): T[] {
    return [...this.table(table).values()] as T[]
  }

  get tasks(): TaskRow[] {
    return this.all('task')
  }
  get plans(): PlanRow[] {
    return this.all('plan')
  }
  get planned(): PlannedRow[] {
    return this.all('planned')
  }
  get edges(): TaskDependencyRow[] {
    return this.all('taskDependency')
  }
  get planEdges(): PlanDependencyRow[] {
    return this.all('planDependency')
  }
  get planTasks(): PlanTaskRow[] {
    return this.all('planTask')
  }
  get inputs(): InputRequestRow[] {
    return this.all('input')
  }
  get artifacts(): ArtifactRow[] {
    return this.all('artifact')
  }
  get attempts(): AttemptRow[] {
    return this.all('attempt')
  }
  get events(): EventRow[] {
    return this.all('event')
  }
  get pushConfigs(): PushConfigRow[] {
    return this.all('pushConfig')
  }
  get deliveries(): DeliveryRow[] {
    return this.all('delivery')
  }
  get webhookQueues(): WebhookQueueRow[] {
    return this.all('webhookQueue')
  }
  get objective(): ObjectiveRow | undefined {
    return this.all<ObjectiveRow>('objective')[0]
  }

  task(id: string): TaskRow {
    return this.found('task', id) as unknown as TaskRow
  }
  plan(id: string): PlanRow {
    return this.found('plan', id) as unknown as PlanRow
  }
  plannedTask(id: string): PlannedRow {
    return this.found('planned', id) as unknown as PlannedRow
  }

  insert(name: TableName, row: object): void {
    const shape: TableShape = TABLES[name]
    const key = keyOf(shape, row as Row)
    if (name === 'webhookQueue') {
      this.addTo(key, row as WebhookQueueRow)
      return
    }
    if (this.table(name).has(key)) throw new Error(`${name} ${key} is there already`)
    const missing = Object.keys(shape.columns).filter((column) => (row as Row)[column] === undefined)
    if (missing.length > 0) throw new Error(`${name} ${key} has no ${missing}`)
    this.keep(name, key, row as Row)
  }

  /** Only columns that a move may change are written, as in the store. */
  update(name: TableName, row: object): void {
    const shape: TableShape = TABLES[name]
    const key = keyOf(shape, row as Row)
    const before = this.found(name, key)
    if (name === 'task') checkTask(before as unknown as TaskRow, row as TaskRow)
    if (name === 'plan') checkPlan(before as unknown as PlanRow, row as PlanRow)
    if (name === 'attempt') checkAttempt(before as unknown as AttemptRow, row as AttemptRow)
    const fixed = Object.keys(shape.columns).filter((column) => !shape.mutable.includes(column))
    const lost = fixed.filter((column) => before[column] !== (row as Row)[column])
    if (lost.length > 0) throw new Error(`${name} ${key}: ${lost} cannot change`)
    this.keep(name, key, row as Row)
  }

  remove(name: TableName, key: string): void {
    this.found(name, key)
    this.table(name).delete(key)
  }

  /** As the store does where nothing has failed. */
  private addTo(key: string, row: WebhookQueueRow): void {
    const before = (this.table('webhookQueue').get(key) ?? { ...row, pending: 0 }) as unknown as WebhookQueueRow
    const [dueAt = row.dueAt] = [row.dueAt, before.dueAt].toSorted()
    this.keep('webhookQueue', key, { ...row, pending: before.pending + row.pending, dueAt })
  }

  private keep(name: TableName, key: string, row: Row): void {
    for (const [column, value] of Object.entries(row)) {
      if (typeof value === 'number' && value < 0) throw new Error(`${name} ${key}: ${column} is ${value}`)
    }
    this.table(name).set(key, Object.freeze({ ...row }))
  }

  private found(name: TableName, key: string): Row {
    const row = this.table(name).get(key)
    if (row === undefined) throw new Error(`no ${name} ${key}`)
    return row
  }

  private table(name: TableName): Map<string, Row> {
    const table = this.tables.get(name) ?? new Map<string, Row>()
    this.tables.set(name, table)
    return table
  }
}

function keyOf(shape: TableShape, row: Row): string {
  return shape.key.map((column) => String(row[column])).join('<')
}

/** The store's guard. What has ended stays as it is, but for the plan that it is in. */
function checkTask(before: TaskRow, after: TaskRow): void {
  if (!isTerminal(before.state)) return
  if (before.state !== 'completed' || before.planId === after.planId) throw new Error(`task ${before.id} is terminal`)
  deepStrictEqual({ ...after, planId: null, entry: false }, { ...before, planId: null, entry: false })
}

function checkPlan(before: PlanRow, after: PlanRow): void {
  if (isPlanTerminal(before.status) && before.status !== after.status) throw new Error(`plan ${before.id} has ended`)
  if (before.end !== null && before.end !== after.end) throw new Error(`plan ${before.id} ended twice`)
}

function checkAttempt(before: AttemptRow, after: AttemptRow): void {
  if (before.outcome !== null && before.outcome !== after.outcome) throw new Error(`attempt ${before.id} ended twice`)
}
