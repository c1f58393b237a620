import { ActiveTaskRegistry } from '../../src/executors/active-task.ts'
import type { AgentExecutor, EventQueue, RequestContext } from '../../src/executors/executor.ts'
import t from '../tap.ts'

const ref = (lease = 1, attempt = 1) => ({ taskId: 'task-1', attemptId: `attempt-${attempt}`, attempt, lease })
const context = {} as RequestContext
const events = {} as EventQueue

/** An executor that works until it is let go. */
function slowExecutor() {
  const started = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const calls: string[] = []
  const executor: AgentExecutor = {
    execute: async () => {
      calls.push('execute')
      started.resolve()
      await release.promise
    },
    cancel: async () => {
      calls.push('cancel')
      release.resolve()
    },
  }
  return { executor, started: started.promise, release: release.resolve, calls }
}

t.test('one execute for one request at a time', async (t) => {
  const registry = new ActiveTaskRegistry()
  const { executor, started, release } = slowExecutor()
  const running = registry.run(ref(), async (active) => {
    const first = active.execute(executor, context, events)
    await t.rejects(active.execute(executor, context, events), { message: /already/ })
    await first
  })
  await started
  await t.rejects(
    registry.run(ref(), async () => undefined),
    { message: /already runs here/ },
  )
  t.equal(registry.size, 1)
  release()
  await running
  t.equal(registry.size, 0)
})

t.test('a later lease ends an earlier one, and waits for it', async (t) => {
  const registry = new ActiveTaskRegistry()
  const order: string[] = []
  const first = registry.run(ref(1), async (active) => {
    await new Promise<void>((resolve) => active.signal.addEventListener('abort', () => resolve()))
    order.push(String(active.signal.reason))
  })
  const second = registry.run(ref(2), async () => void order.push('second'))
  await t.rejects(
    registry.run(ref(1), async () => undefined),
    { message: /already/ },
  )
  await Promise.all([first, second])
  t.same(order, ['leaseLost', 'second'])
})

t.test('cancel fires the signal, then calls the executor, once', async (t) => {
  const registry = new ActiveTaskRegistry()
  const { executor, started, calls } = slowExecutor()
  const running = registry.run(ref(), async (active) => {
    await active.execute(executor, context, events)
    return active.signal.reason
  })
  await started
  t.same(await Promise.all([registry.cancel('task-1'), registry.cancel('task-1')]), [true, true])
  t.equal(await running, 'canceled')
  t.same(calls, ['execute', 'cancel'])
  t.equal(await registry.cancel('task-1'), false)
  t.equal(registry.abort('task-1', 'timeout'), false)
})

t.test('a cancel that fails is heard by who asked, and does not hold the task', async (t) => {
  const registry = new ActiveTaskRegistry()
  const { executor, started, release } = slowExecutor()
  executor.cancel = async () => {
    release()
    throw new Error('agent is down')
  }
  const running = registry.run(ref(), (active) => active.execute(executor, context, events))
  await started
  await t.rejects(registry.cancel('task-1'), { message: 'agent is down' })
  await running
  t.equal(registry.size, 0)
})

t.test('close aborts all, waits for all, and takes nothing new', async (t) => {
  const registry = new ActiveTaskRegistry(() => new Date(0))
  const settled: string[] = []
  const runs = ['a', 'b'].map((taskId) =>
    registry.run({ ...ref(), taskId }, async (active) => {
      t.same(active.startedAt, new Date(0))
      await new Promise<void>((resolve) => active.signal.addEventListener('abort', () => resolve()))
      settled.push(taskId)
    }),
  )
  await registry.close()
  t.same(settled, ['a', 'b'])
  await registry.close()
  await t.rejects(
    registry.run(ref(), async () => undefined),
    { message: /stopping/ },
  )
  await Promise.all(runs)
})

t.test('work that fails leaves nothing behind', async (t) => {
  const registry = new ActiveTaskRegistry()
  await t.rejects(
    registry.run(ref(), async () => Promise.reject(new Error('boom'))),
    { message: 'boom' },
  )
  t.equal(registry.get('task-1'), undefined)
  await registry.run(ref(), async (active) => t.equal(registry.get('task-1'), active))
})
