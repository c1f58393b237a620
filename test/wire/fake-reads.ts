import type { ObjectiveFrame, TaskFrame, Trellis } from '../../src/a2a/trellis.ts'
import { invalidState, TrellisError } from '../../src/base/errors.ts'
import { isInterrupted, isTerminal } from '../../src/domain/task.ts'
import type { FakeContext, FakeTrellis } from './fake-trellis.ts'

/** The calls of the test double, over its state. */
export function inMemoryCalls(fake: FakeTrellis): Trellis {
  return {
    send: async (caller, request) => fake.send(caller, request),
    async *sendStream(caller, request) {
      const answer = fake.send(caller, request)
      if (answer.kind === 'message') return yield answer
      yield* followed(fake, answer.task.id, undefined, request.signal, true)
    },
    getTask: async (caller, id, historyLength) => {
      fake.noted('getTask', caller, { id, historyLength })
      return fake.task(id)
    },
    listTasks: async (caller, filter) => {
      fake.noted('listTasks', caller, filter)
      const items = [...fake.tasks.values()].filter(
        (task) =>
          (filter.contextId === undefined || task.contextId === filter.contextId) &&
          !(filter.leaveOutPlannedRoots && task.kind === 'planned'),
      )
      return { items: items.slice(0, filter.pageSize), nextPageToken: '', totalSize: items.length }
    },
    cancelTask: async (caller, id, metadata) => {
      fake.noted('cancelTask', caller, { id, metadata })
      const { state } = fake.task(id)
      if (isTerminal(state)) throw new TrellisError('taskNotCancelable', `Task ${id} is ${state}`)
      return fake.move(id, 'canceled')
    },
    async *followTask(caller, id, { afterSeq, signal }) {
      fake.noted('followTask', caller, { id, afterSeq })
      if (isTerminal(fake.task(id).state) && afterSeq === undefined) {
        throw new TrellisError('unsupportedOperation', `Task ${id} is terminal`)
      }
      yield* followed(fake, id, afterSeq, signal, false)
    },
    ...objectiveCalls(fake),
    ...noPush,
  }
}

/** The double tells nobody of anything. */
const refusePush = async () => {
  throw new TrellisError('pushNotificationNotSupported', 'Push notifications are not supported')
}
const noPush = {
  setPushConfig: refusePush,
  getPushConfig: refusePush,
  listPushConfigs: refusePush,
  deletePushConfig: refusePush,
  listDeliveries: refusePush,
  retryDelivery: refusePush,
} satisfies Partial<Trellis>

function objectiveCalls(fake: FakeTrellis) {
  return {
    createObjective: async (caller, given) => {
      fake.noted('createObjective', caller, given)
      const message = { messageId: fake.newId('message'), role: 'user' as const, parts: [{ text: given.name }] }
      const contextId = given.id ?? fake.newId('context')
      const signal = new AbortController().signal
      const answer = fake.send(caller, {
        message: { ...message, contextId },
        metadata: {},
        configuration: {},
        wait: false,
        signal,
      })
      if (answer.kind !== 'task') throw new TrellisError('internal', 'no task')
      return fake.makeObjective(answer.task, given.name, [], given.description)
    },
    getObjective: async (caller, id, options) => {
      fake.noted('getObjective', caller, { id, ...options })
      const { plans = [], ...objective } = fake.objective(id)
      if (!options.includePlans) return objective
      const seen = options.includeTasks ? plans : plans.map(({ tasks: _, ...plan }) => plan)
      return { ...objective, plans: seen }
    },
    listObjectives: async (caller, filter) => {
      fake.noted('listObjectives', caller, filter)
      const items = [...fake.objectives.values()].map(({ plans: _, ...objective }) => objective)
      return { items, nextPageToken: '', totalSize: items.length }
    },
    updateObjective: async (caller, id, change) => {
      fake.noted('updateObjective', caller, { id, ...change })
      return Object.assign(fake.objective(id), change)
    },
    replanObjective: async (caller, id, change) => {
      fake.noted('replanObjective', caller, { id, ...change })
      return fake.objective(id)
    },
    cancelObjective: async (caller, id) => {
      fake.noted('cancelObjective', caller, { id })
      return Object.assign(fake.objective(id), { status: 'canceled' as const })
    },
    async *followObjective(caller, id, { afterSeq, signal }) {
      fake.noted('followObjective', caller, { id, afterSeq })
      const objective = fake.objective(id)
      const context = fake.context(id)
      if (afterSeq === undefined) yield { kind: 'snapshot', seq: objective.seq, objective }
      yield* after(context, context.events, signal, (frame: ObjectiveFrame) =>
        frame.kind === 'event' ? frame.event.seq > (afterSeq ?? objective.seq) : true,
      )
    },
    createPlan: async (caller, given) => {
      fake.noted('createPlan', caller, given)
      const root = fake.task(fake.objective(given.objectiveId).rootTaskId)
      const names = given.tasks.map(({ name }) => name)
      return fake.makePlan(root, given.name, names, given.dependencies)
    },
    getPlan: async (caller, id) => {
      fake.noted('getPlan', caller, { id })
      return fake.plan(id)
    },
    updateTaskStatus: async (caller, given) => {
      fake.noted('updateTaskStatus', caller, given)
      const { state } = fake.task(given.taskId)
      if (isTerminal(state)) throw invalidState(`Task ${given.taskId}`, state, [])
      return fake.move(given.taskId, given.state)
    },
  } satisfies Partial<Trellis>
}

/** The task, then its updates until it ends; a send's stream ends at `input-required` too. */
async function* followed(
  fake: FakeTrellis,
  id: string,
  afterSeq: number | undefined,
  signal: AbortSignal,
  ofSend: boolean,
): AsyncGenerator<TaskFrame> {
  const task = fake.task(id)
  const { seq, state, contextId } = task
  const context = fake.context(contextId)
  context.followers += 1
  using _ = {
    [Symbol.dispose]: () => {
      context.followers -= 1
    },
  }
  const ended = isTerminal(state) || (ofSend && isInterrupted(state))
  if (afterSeq === undefined) yield { kind: 'task', seq, task: { ...task }, last: ended }
  if (ended && afterSeq === undefined) return
  const later = (frame: TaskFrame) => frame.kind !== 'message' && frame.seq > (afterSeq ?? seq)
  for await (const frame of after(context, context.frames, signal, later)) {
    yield frame
    if (frame.kind !== 'message' && frame.last) return
  }
}

/** What was published and what will be, in order, until the signal fires. */
async function* after<T>(context: FakeContext, log: readonly T[], signal: AbortSignal, wanted: (frame: T) => boolean) {
  let at = 0
  while (!signal.aborted) {
    for (const frame of log.slice(at)) {
      at += 1
      if (wanted(frame)) yield frame
    }
    if (at < log.length) continue
    await new Promise<void>((resolve) => {
      const wake = () => {
        context.waiters.delete(wake)
        resolve()
      }
      context.waiters.add(wake)
      signal.addEventListener('abort', wake, { once: true })
    })
  }
}
