/** The columns of every table that the write path touches: their names in rows and in SQL, and their types. */

type ColumnType = 'text' | 'int' | 'float8' | 'boolean' | 'timestamptz' | 'jsonb'

export interface TableShape {
  name: string
  /** What identifies a row, in row names. */
  key: readonly string[]
  columns: Readonly<Record<string, ColumnType>>
  /** Columns that a move may change. */
  mutable: readonly string[]
  /** What becomes of a row that is there already; absent: there never is one. */
  onConflict?: string
}

const text = (...names: string[]) => columns('text', names)
const int = (...names: string[]) => columns('int', names)
const float = (...names: string[]) => columns('float8', names)
const boolean = (...names: string[]) => columns('boolean', names)
const time = (...names: string[]) => columns('timestamptz', names)
const json = (...names: string[]) => columns('jsonb', names)

function columns(type: ColumnType, names: string[]): Record<string, ColumnType> {
  return Object.fromEntries(names.map((name) => [name, type]))
}

const PLAN_COUNTERS = [
  'waiting', 'ready', 'running', 'input', 'auth', 'completed', 'failed', 'ignored', 'canceled', 'skipped', 'started',
] // biome-ignore format: one row
const PLANNED_COUNTERS = [
  'waiting', 'ready', 'working', 'blocked', 'completed', 'failed', 'covered', 'canceled', 'skipped', 'input', 'auth', 'total', 'done',
] // biome-ignore format: one row
const OBJECTIVE_COUNTERS = [
  'rootsWorking', 'rootsPlanning', 'rootsInterrupted', 'rootsSubmitted',
  'total', 'completed', 'failed', 'canceled', 'skipped', 'working', 'blocked',
] // biome-ignore format: one row

export const TABLES = {
  context: {
    name: 'context',
    key: ['key'],
    columns: { ...text('key', 'tenant', 'owner', 'wireId'), ...int('seq', 'running', 'push') },
    mutable: ['seq', 'running', 'push'],
  },
  objective: {
    name: 'objective',
    key: ['contextKey'],
    columns: {
      ...text(
        'contextKey',
        'tenant',
        'owner',
        'wireId',
        'name',
        'description',
        'status',
        'newestRootId',
        'newestState',
      ),
      ...int(...OBJECTIVE_COUNTERS),
      ...json('metadata'),
      ...time('createdAt', 'updatedAt'),
    },
    mutable: [
      'name',
      'description',
      'status',
      'metadata',
      'newestRootId',
      'newestState',
      ...OBJECTIVE_COUNTERS,
      'updatedAt',
    ],
  },
  task: {
    name: 'task',
    key: ['id'],
    columns: {
      ...text('id', 'contextKey', 'tenant', 'owner', 'kind', 'rootId', 'planId', 'state', 'name', 'description'),
      ...text('agent', 'skill', 'runner'),
      ...boolean('skipped', 'optional', 'entry', 'hidden'),
      ...int('priority', 'unmet', 'attempt', 'lease'),
      ...float('timeoutSeconds'),
      ...json('parts', 'retry', 'statusMessage', 'metadata', 'request'),
      ...time('claimableAt', 'startedAt', 'statusAt', 'visibleAt', 'createdAt'),
    },
    mutable: [
      'planId', 'entry', 'state', 'skipped', 'unmet', 'attempt', 'lease', 'runner', 'claimableAt', 'startedAt', 'statusAt', 'statusMessage',
      'metadata', 'visibleAt', 'hidden',
    ], // biome-ignore format: rows
  },
  planned: {
    name: 'planned_task',
    key: ['taskId'],
    columns: {
      ...text('taskId', 'contextKey', 'end', 'onPlanFailure', 'countedAs'),
      ...boolean('acted', 'started'),
      ...int(...PLANNED_COUNTERS),
    },
    mutable: ['end', 'countedAs', 'acted', 'started', ...PLANNED_COUNTERS],
  },
  plan: {
    name: 'plan',
    key: ['id'],
    columns: {
      ...text('id', 'contextKey', 'taskId', 'draftKey', 'name', 'description', 'status', 'end', 'onFailure'),
      ...text('alternativeTo', 'alternativeBy', 'supersedesPlanId'),
      ...boolean('covered'),
      ...int('planIndex', 'unmet', 'revision', ...PLAN_COUNTERS),
      ...json('metadata'),
      ...time('createdAt', 'updatedAt'),
    },
    mutable: [
      'name', 'description', 'status', 'end', 'unmet', 'alternativeBy', 'covered', 'revision', 'metadata',
      ...PLAN_COUNTERS, 'updatedAt',
    ], // biome-ignore format: rows
  },
  attempt: {
    name: 'attempt',
    key: ['id'],
    columns: {
      ...text(
        'id',
        'contextKey',
        'taskId',
        'agent',
        'reason',
        'remoteTaskId',
        'remoteContextId',
        'answerId',
        'outcome',
        'error',
      ),
      ...boolean('maybeDuplicate'),
      ...int('number', 'parkedTimes', 'published', 'takeovers'),
      ...json('memo', 'usage'),
      ...time('startedAt', 'clockAt', 'sentAt', 'endedAt'),
    },
    mutable: [
      'clockAt', 'sentAt', 'remoteTaskId', 'remoteContextId', 'maybeDuplicate', 'memo', 'answerId', 'parkedTimes', 'published', 'takeovers',
      'outcome', 'error', 'usage', 'endedAt',
    ], // biome-ignore format: rows
  },
  artifact: {
    name: 'artifact',
    key: ['key'],
    columns: {
      ...text('key', 'contextKey', 'taskId', 'artifactId', 'name', 'description', 'sourceKey'),
      ...int('position', 'partCount'),
      ...json('metadata', 'extensions'),
    },
    mutable: ['name', 'description', 'metadata', 'extensions', 'sourceKey', 'partCount'],
  },
  input: {
    name: 'input_request',
    key: ['id'],
    columns: {
      ...text('id', 'contextKey', 'taskId', 'rootId', 'kind', 'answeredBy'),
      ...json('message'),
      ...time('openedAt', 'closedAt'),
    },
    mutable: ['closedAt', 'answeredBy'],
  },
  planTask: {
    name: 'plan_task',
    key: ['planId', 'taskId'],
    columns: { ...text('planId', 'taskId'), ...int('taskIndex') },
    mutable: [],
  },
  taskDependency: {
    name: 'task_dependency',
    key: ['taskId', 'dependsOnId'],
    columns: { ...text('taskId', 'dependsOnId'), ...boolean('reference') },
    mutable: [],
  },
  planDependency: {
    name: 'plan_dependency',
    key: ['planId', 'dependsOnId'],
    columns: { ...text('planId', 'dependsOnId') },
    mutable: [],
  },
  message: {
    name: 'message',
    key: ['id'],
    columns: { ...text('id', 'contextKey', 'taskId'), ...int('position'), ...json('body') },
    mutable: [],
  },
  artifactPart: {
    name: 'artifact_part',
    key: ['artifactKey', 'n'],
    columns: { ...text('artifactKey'), ...int('n'), ...json('part') },
    mutable: [],
  },
  event: {
    name: 'event',
    key: ['contextKey', 'seq'],
    columns: {
      ...text('contextKey', 'type', 'rootId', 'planId', 'taskId'),
      ...int('seq'),
      ...boolean('inTree'),
      ...time('time'),
      ...json('data'),
    },
    mutable: [],
  },
  pushConfig: {
    name: 'push_config',
    key: ['key'],
    columns: {
      ...text('key', 'contextKey', 'scope', 'taskId', 'id', 'url', 'token', 'version'),
      ...json('authentication'),
      ...time('createdAt'),
    },
    mutable: ['url', 'token', 'authentication', 'version'],
  },
  /** What becomes of a delivery is written by the deliverer, in columns that are not here. */
  delivery: {
    name: 'webhook_delivery',
    key: ['id'],
    columns: {
      ...text('id', 'tenant', 'owner', 'contextKey', 'configKey', 'configId', 'taskId', 'state'),
      ...int('seq'),
      ...time('createdAt'),
    },
    mutable: [],
  },
  /** Shared with the deliverer: added to, never overwritten. Until its first failed, what is new may make it due earlier. */
  webhookQueue: {
    name: 'webhook_queue',
    key: ['configKey'],
    columns: { ...text('configKey'), ...int('pending'), ...time('dueAt') },
    mutable: [],
    onConflict: `("config_key") DO UPDATE SET "pending" = t."pending" + excluded."pending",
      "due_at" = CASE WHEN t."failures" > 0 THEN coalesce(t."due_at", excluded."due_at") ELSE least(t."due_at", excluded."due_at") END`,
  },
} as const satisfies Record<string, TableShape>

export type TableName = keyof typeof TABLES

export function columnOf(name: string): string {
  return `"${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}"`
}

/** `t.context_key AS "contextKey", …`: a row under its own names. */
export function selectList(shape: TableShape, alias: string): string {
  return Object.keys(shape.columns)
    .map((name) => `${alias}.${columnOf(name)} AS "${name}"`)
    .join(', ')
}

/** A row as one JSON value under its own names. */
export function rowJson(shape: TableShape, alias: string): string {
  return `row_to_json((SELECT x FROM (SELECT ${selectList(shape, alias)}) x))`
}
