import { continueTask } from '../../src/domain/commands/answer.ts'
import { cancelObjective, cancelTask } from '../../src/domain/commands/cancel.ts'
import { joinObjective } from '../../src/domain/commands/create-objective.ts'
import { createPlans } from '../../src/domain/commands/create-plans.ts'
import { createRoot, type TaskDefaults } from '../../src/domain/commands/create-root.ts'
import { publish } from '../../src/domain/commands/publish.ts'
import { type Replan, replan } from '../../src/domain/commands/replan.ts'
import {
  type AttemptRef,
  claimTask,
  failAttempt,
  isClaimable,
  leaveExecution,
  parkTask,
  releaseTask,
  takeOver,
} from '../../src/domain/commands/run.ts'
import { updateTaskStatus } from '../../src/domain/commands/update-status.ts'
import type { DraftPlan } from '../../src/domain/draft.ts'
import type { ExecutionEvent } from '../../src/domain/execution.ts'
import type { Message } from '../../src/domain/message.ts'
import type { Needed } from '../../src/domain/need.ts'
import type { TaskRow } from '../../src/domain/rows.ts'
import { isTerminal, type TaskState } from '../../src/domain/task.ts'
import type { WorkingCopy } from '../../src/domain/working-copy.ts'
import { CoreMemory } from './core-memory.ts'

export const DEFAULTS: TaskDefaults = {
  retry: { maxAttempts: 1, backoffSeconds: 1, maxBackoffSeconds: 60 },
  timeoutSeconds: null,
  onFailure: 'fail',
  onPlanFailure: 'fail',
}

const WIDE = { maxPlansPerObjective: 1_000, maxTasksPerPlan: 1_000 }

const ONE_TASK: DraftPlan = {
  key: 'p',
  name: 'p',
  dependencies: [],
  tasks: [{ key: 't', name: 't', dependencies: [] }],
}

let messages = 0

export function say(text: string, metadata?: Record<string, unknown>): Message {
  messages += 1
  return { messageId: `m${messages}`, role: 'user', parts: [{ text }], ...(metadata && { metadata }) }
}

export interface RootShape {
  onPlanFailure?: 'fail' | 'continue'
  /** Ids of tasks whose end it waits for. */
  references?: string[]
}

/** A context that is driven by the moves of clients and runners. */
export class CoreDriver {
  readonly memory = new CoreMemory()
  private roots = 0

  get rows() {
    return this.memory.rows
  }

  /** A planned root with plans. Returns its id. */
  plan(plans: readonly DraftPlan[], shape: RootShape = {}): string {
    const id = this.newRootId()
    this.memory.change((w) => {
      const { onPlanFailure = 'fail', references = [] } = shape
      createRoot(w, { ...this.root(id, w.now, references), kind: 'planned', onPlanFailure }, DEFAULTS)
      joinObjective(w, id, { name: 'objective' })
      createPlans(w, id, plans, DEFAULTS)
    })
    return id
  }

  /** An executed root, which is in no objective. Returns its id. */
  start(references: string[] = []): string {
    const id = this.newRootId()
    this.memory.change((w) => createRoot(w, { ...this.root(id, w.now, references), kind: 'executed' }, DEFAULTS))
    return id
  }

  private newRootId(): string {
    this.roots += 1
    return `root-${this.roots}`
  }

  private root(id: string, now: string, references: string[]) {
    return {
      id,
      name: id,
      message: say(id),
      request: {},
      task: {},
      references: references.map((reference) => ({ id: reference, elsewhere: false })),
      visibleAt: now,
    }
  }

  /** The task that a draft's key became. */
  task(key: string): TaskRow {
    return this.rows.tasks.find((task) => task.name === key) as TaskRow
  }

  state(key: string): TaskState | 'skipped' {
    const { state, skipped } = this.task(key)
    return skipped ? 'skipped' : state
  }

  status(key: string): string | undefined {
    return this.rows.plans.find((plan) => plan.draftKey === key)?.status
  }

  addPlans(rootId: string, plans: readonly DraftPlan[]): string[] {
    return this.memory.change((w) => createPlans(w, rootId, plans, DEFAULTS))
  }

  /** Of the newest unfinished root, unless another planned task is named. */
  replan(plans: readonly DraftPlan[], change: Partial<Replan> = {}, limits = WIDE): void {
    const whole: Replan = { plans, running: 'cancel', actor: 'someone', ...change }
    this.memory.change((w) => replan(w, 'wire', whole, { defaults: DEFAULTS, limits }))
  }

  claim(task: TaskRow, runner = 'r1'): AttemptRef {
    return this.memory.change(
      (w) => {
        if (!isClaimable(w, w.task(task.id), 1_000)) throw new Error(`${task.name} is not claimable`)
        const { number } = claimTask(w, task.id, { runner, agent: 'echo', reason: 'test' })
        return { taskId: task.id, number, lease: w.task(task.id).lease, runner }
      },
      [{ kind: 'lineage', id: task.id }],
    )
  }

  publish(task: TaskRow, ...events: ExecutionEvent[]): boolean {
    return this.memory.change((w) => publish(w, refOf(task), events, publishedOf(w, task)), declared(task))
  }

  /** What an executor publishes last, with its return. */
  finish(task: TaskRow, state: TaskState): void {
    this.memory.change((w) => {
      const message: Message = { ...say(`${task.name}?`), role: 'agent' }
      publish(w, refOf(task), [{ kind: 'status', state, message }], publishedOf(w, task))
      leaveExecution(w, refOf(task), null)
    }, declared(task))
  }

  /** Claims the task and ends it, with an artifact if it is completed. */
  run(key: string, state: TaskState = 'completed'): void {
    this.claim(this.task(key))
    const task = this.task(key)
    if (state === 'completed') {
      this.publish(task, { kind: 'artifact', artifact: { artifactId: key, name: key, parts: [{ text: key }] } })
    }
    this.finish(task, state)
  }

  fail(task: TaskRow, retryable: boolean): boolean {
    const failure = { error: 'failed', retryable, outcome: 'failed' as const }
    return this.memory.change((w) => failAttempt(w, refOf(task), failure), declared(task))
  }

  park(task: TaskRow): boolean {
    return this.memory.change((w) => parkTask(w, refOf(task), w.now), declared(task))
  }

  release(task: TaskRow): boolean {
    return this.memory.change((w) => releaseTask(w, refOf(task)), declared(task))
  }

  takeOver(task: TaskRow): boolean {
    return this.memory.change((w) => takeOver(w, refOf(task)), declared(task))
  }

  update(task: TaskRow, state: TaskState): void {
    const message: Message = { ...say(`${task.name}?`), role: 'agent' }
    this.memory.change((w) => updateTaskStatus(w, { taskId: task.id, state, message }), declared(task))
  }

  answer(taskId: string, metadata?: Record<string, unknown>): void {
    this.memory.change((w) => continueTask(w, taskId, say('answer', metadata)))
  }

  cancel(task: TaskRow): void {
    this.memory.change((w) => cancelTask(w, task.id), declared(task))
  }

  cancelObjective(): boolean {
    return this.memory.change((w) => cancelObjective(w))
  }

  /** Gives plans to roots that have none, and moves whatever can move, until nothing can. Returns what has not ended by then. */
  drive(): TaskRow[] {
    do this.memory.advance(120)
    while (this.driveOne())
    return this.rows.tasks.filter((task) => !isTerminal(task.state))
  }

  private driveOne(): boolean {
    const open = this.rows.tasks.filter((task) => !isTerminal(task.state) && task.kind !== 'planned')
    const held = open.find((task) => task.runner !== null)
    if (held !== undefined) return this.ends(() => this.finish(held, 'completed'))
    const claimable = open.find((task) => task.claimableAt !== null)
    if (claimable !== undefined) return this.ends(() => this.claim(claimable))
    const asking = open.find((task) => task.state === 'input-required' || task.state === 'auth-required')
    if (asking !== undefined) return this.ends(() => this.answer(asking.id))
    const manual = open.find((task) => task.kind === 'manual' && task.unmet === 0)
    if (manual !== undefined) return this.ends(() => this.update(manual, 'completed'))
    const bare = this.rows.planned.find(({ taskId, total }) => total === 0 && !isTerminal(this.rows.task(taskId).state))
    return bare !== undefined && this.ends(() => this.addPlans(bare.taskId, [ONE_TASK]))
  }

  private ends(move: () => void): true {
    move()
    return true
  }
}

export function refOf({ id: taskId, attempt: number, lease, runner }: TaskRow): AttemptRef {
  return { taskId, number, lease, runner: runner ?? 'nobody' }
}

/** What the server declares for a write of an attempt. */
function declared({ id }: TaskRow): Needed[] {
  return [
    { kind: 'lineage', id },
    { kind: 'dependents', id },
    { kind: 'artifacts', id },
  ]
}

/** What the current lease has published so far. */
function publishedOf(w: WorkingCopy, task: TaskRow): number {
  return w.attempt(task.id)?.published ?? 0
}
