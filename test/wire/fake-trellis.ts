import type { Caller, ObjectiveFrame, SendAnswer, SendRequest, TaskFrame, Trellis } from '../../src/a2a/trellis.ts'
import { objectiveNotFound, planNotFound, TrellisError, taskNotFound } from '../../src/base/errors.ts'
import { countingIds } from '../../src/base/ids.ts'
import type { Part } from '../../src/domain/message.ts'
import { textOf } from '../../src/domain/message.ts'
import type { ObjectiveView } from '../../src/domain/objective.ts'
import type { PlanView, TreeTask } from '../../src/domain/plan.ts'
import { isTerminal, type TaskState, type TaskView, treeTaskStatus } from '../../src/domain/task.ts'
import { inMemoryCalls } from './fake-reads.ts'

const TIME = '2026-01-01T00:00:00.000Z'
export const NO_PROGRESS = {
  total: 0,
  completed: 0,
  failed: 0,
  canceled: 0,
  skipped: 0,
  working: 0,
  blocked: 0,
  pending: 0,
}

/** One context of the double: its tasks and frames, and who waits for more. */
export interface FakeContext {
  frames: TaskFrame[]
  events: ObjectiveFrame[]
  waiters: Set<() => void>
  /** Streams that were begun and not ended. */
  followers: number
}

/**
 * A test double of `Trellis`: everything in memory, nothing runs. It answers sums, plans what asks to "Research … and
 * write …", completes what mentions a sailboat with a picture, and makes one working task of the rest. Tests move tasks
 * with `move` and see what a call handed in with `calls`.
 */
export class FakeTrellis {
  readonly calls: { method: string; caller: Caller; given: unknown }[] = []
  readonly tasks = new Map<string, TaskView>()
  readonly objectives = new Map<string, ObjectiveView>()
  readonly plans = new Map<string, PlanView>()
  readonly contexts = new Map<string, FakeContext>()
  /** What every call rejects with, until it is unset. */
  failure: Error | undefined
  readonly newId = countingIds()

  context(id: string): FakeContext {
    const found = this.contexts.get(id) ?? { frames: [], events: [], waiters: new Set(), followers: 0 }
    this.contexts.set(id, found)
    return found
  }

  noted(method: string, caller: Caller, given: unknown): void {
    this.calls.push({ method, caller, given })
    if (this.failure) throw this.failure
  }

  get last(): { method: string; caller: Caller; given: unknown } {
    const last = this.calls.at(-1)
    if (last === undefined) throw new Error('nothing was called')
    return last
  }

  send(caller: Caller, request: SendRequest): SendAnswer {
    this.noted('send', caller, request)
    if (request.push) throw new TrellisError('pushNotificationNotSupported', 'Push notifications are not supported')
    const text = textOf(request.message)
    const contextId = request.message.contextId ?? this.newId('context')
    if (text === 'What is 2 + 2?') return this.#answer(contextId, '2 + 2 = 4')
    if (request.message.taskId !== undefined) return { kind: 'task', task: this.task(request.message.taskId) }
    const root = this.#makeTask(contextId, request)
    if (/^Research .* and write/.test(text)) return this.#plan(root, request)
    if (!text.includes('sailboat')) return { kind: 'task', task: root }
    root.artifacts.push({ ...SAILBOAT, artifactId: this.newId('artifact') })
    return { kind: 'task', task: this.move(root.id, 'completed') }
  }

  /** Moves a task, and tells its followers. */
  move(id: string, state: TaskState): TaskView {
    const task = this.task(id)
    const seq = task.seq + 1
    Object.assign(task, { state, seq })
    this.publish(task.contextId, {
      kind: 'status',
      seq,
      taskId: id,
      contextId: task.contextId,
      state,
      timestamp: TIME,
      metadata: {},
      last: isTerminal(state),
    })
    return task
  }

  publish(contextId: string, frame: TaskFrame): void {
    const context = this.context(contextId)
    context.frames.push(frame)
    for (const wake of context.waiters) wake()
  }

  publishEvent(contextId: string, frame: ObjectiveFrame): void {
    const context = this.context(contextId)
    context.events.push(frame)
    for (const wake of context.waiters) wake()
  }

  task(id: string): TaskView {
    const task = this.tasks.get(id)
    if (task === undefined) throw taskNotFound(id)
    return task
  }

  objective(id: string): ObjectiveView {
    const objective = this.objectives.get(id)
    if (objective === undefined) throw objectiveNotFound(id)
    return objective
  }

  plan(id: string): PlanView {
    const plan = this.plans.get(id)
    if (plan === undefined) throw planNotFound(id)
    return plan
  }

  #answer(contextId: string, text: string): SendAnswer {
    return {
      kind: 'message',
      message: { messageId: this.newId('message'), role: 'agent', parts: [{ text }], contextId },
    }
  }

  #makeTask(contextId: string, { message }: SendRequest, more: Partial<TaskView> = {}): TaskView {
    const task: TaskView = {
      id: this.newId('task'),
      contextId,
      state: 'working',
      statusAt: TIME,
      history: [message],
      artifacts: [],
      metadata: {},
      kind: 'executed',
      skipped: false,
      seq: 1,
      ...more,
    }
    this.tasks.set(task.id, task)
    return task
  }

  /** The plans that the extension document prints for its example. */
  #plan(root: TaskView, request: SendRequest): SendAnswer {
    Object.assign(root, { kind: 'planned', objectiveId: root.contextId })
    const research = this.makePlan(root, 'Research', ['Search papers', 'Summarize findings'])
    const writing = this.makePlan(root, 'Writing', ['Write summary'], [research.id])
    Object.assign(research, { status: 'working' })
    const [first] = research.tasks ?? []
    if (first === undefined) throw new TrellisError('internal', 'a plan without tasks')
    Object.assign(first, { status: 'working', state: 'working' })
    this.task(first.id).state = 'working'
    const suggested = request.message.metadata?.['opt/v1/suggestedName']
    const objective = this.makeObjective(root, String(suggested ?? textOf(request.message)), [research, writing])
    return { kind: 'task', task: root, objective, firstTask: this.task(first.id) }
  }

  makeObjective(root: TaskView, name: string, plans: PlanView[], description?: string): ObjectiveView {
    const objective: ObjectiveView = {
      id: root.contextId,
      name,
      ...(description !== undefined && { description }),
      status: plans.length > 0 ? 'working' : 'planning',
      progress: NO_PROGRESS,
      rootTaskId: root.id,
      metadata: {},
      createdAt: TIME,
      updatedAt: TIME,
      plans,
      seq: 1,
    }
    this.objectives.set(objective.id, objective)
    return objective
  }

  makePlan(root: TaskView, name: string, tasks: readonly string[], dependencies: string[] = []): PlanView {
    const id = this.newId('plan')
    const plan: PlanView = {
      id,
      objectiveId: root.contextId,
      taskId: root.id,
      name,
      status: 'pending',
      dependencies,
      onFailure: 'fail',
      revision: 1,
      progress: NO_PROGRESS,
      metadata: {},
      createdAt: TIME,
      updatedAt: TIME,
      tasks: tasks.map((task, index) => this.#planTask(root, id, task, index)),
    }
    this.plans.set(id, plan)
    return plan
  }

  #planTask({ contextId }: TaskView, planId: string, name: string, taskIndex: number): TreeTask {
    const message = { messageId: this.newId('message'), role: 'user' as const, parts: [{ text: name }] }
    const request = { message } as unknown as SendRequest
    const place = { objectiveId: contextId, planId, taskIndex, dependencies: [] }
    const { id, state } = this.#makeTask(contextId, request, { ...place, state: 'submitted' })
    return { id, ...place, name, status: treeTaskStatus(state, false), state, metadata: {} }
  }
}

const PICTURE: Part = {
  raw: Buffer.from('a sailboat').toString('base64'),
  filename: 'sailboat_image.png',
  mediaType: 'image/png',
}
const SAILBOAT = {
  name: 'sailboat_image.png',
  description: 'A generated image of a sailboat on the ocean.',
  parts: [PICTURE],
}

/** The double as what bindings call. */
export function fakeTrellis(): { fake: FakeTrellis; trellis: Trellis } {
  const fake = new FakeTrellis()
  return { fake, trellis: inMemoryCalls(fake) }
}
