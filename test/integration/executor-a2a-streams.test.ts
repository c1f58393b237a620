import { A2aExecutor } from '../../src/executors/a2a.ts'
import t from '../tap.ts'
import { type Answer, event, QUICK, reply, setup, taskOf } from './executor-a2a-setup.ts'
import { AttemptUnderTest } from './executor-attempt.ts'
import { startAgent } from './executor-remote-agent.ts'

t.test('a stream that stalls is left, and checks find the end', async (t) => {
  const { executor, methods, attempt } = await setup(
    t,
    ({ id, method }, response) => {
      if (method === 'SendStreamingMessage') return event(response, id, { task: taskOf('WORKING') })
      const artifacts = [{ artifactId: 'howl', parts: [{ text: 'awoo' }] }]
      reply(response, id, taskOf('COMPLETED', { artifacts }))
    },
    { streaming: true },
  )
  t.equal(await attempt.finish(executor), 1, 'parked once')
  t.equal(attempt.textOf('howl'), 'awoo')
  t.same(methods, ['SendStreamingMessage', 'GetTask'])
})

t.test('events for other tasks, repeated and late ones change nothing', async (t) => {
  const { executor, attempt } = await setup(
    t,
    ({ id }, response) => {
      const chunk = (taskId: string, text: string, append = false) => ({
        artifactUpdate: { taskId, contextId: 'there', append, artifact: { artifactId: 'howl', parts: [{ text }] } },
      })
      const status = (taskId: string, state: string) => ({
        statusUpdate: { taskId, contextId: 'there', status: { state: `TASK_STATE_${state}` } },
      })
      event(response, id, { task: taskOf('WORKING') })
      event(response, id, chunk('another', 'no'))
      event(response, id, status('another', 'FAILED'))
      event(response, id, chunk('remote-1', 'awoo'))
      event(response, id, chunk('remote-1', 'awoo'))
      event(response, id, status('remote-1', 'WORKING'))
      event(response, id, { statusUpdate: { taskId: 'remote-1', status: { state: 'TASK_STATE_UNSPECIFIED' } } })
      event(response, id, status('remote-1', 'COMPLETED'))
      event(response, id, chunk('remote-1', 'too late'))
      event(response, id, status('remote-1', 'FAILED'))
      response.end()
    },
    { streaming: true },
  )
  await attempt.finish(executor)
  t.equal(attempt.textOf('howl'), 'awoo')
  t.same(attempt.states, ['working', 'completed'])
})

t.test('a chunk that goes on with something missed: the whole task sets it right', async (t) => {
  const { executor, attempt } = await setup(
    t,
    ({ id, method }, response) => {
      if (method === 'GetTask') {
        return reply(
          response,
          id,
          taskOf('COMPLETED', { artifacts: [{ artifactId: 'howl', parts: [{ text: 'a' }, { text: 'woo' }] }] }),
        )
      }
      event(response, id, { task: taskOf('WORKING') })
      event(response, id, {
        artifactUpdate: {
          taskId: 'remote-1',
          append: true,
          artifact: { artifactId: 'howl', parts: [{ text: 'woo' }] },
        },
      })
      event(response, id, { statusUpdate: { taskId: 'remote-1', status: { state: 'TASK_STATE_COMPLETED' } } })
      response.end()
    },
    { streaming: true },
  )
  await attempt.finish(executor)
  t.equal(attempt.textOf('howl'), 'awoo')
})

t.test('checks that fail are tried again so often, then the attempt fails', async (t) => {
  let failing = 2
  const answer: Answer = ({ id, method }, response) => {
    if (method === 'SendMessage') return reply(response, id, { task: taskOf('WORKING') })
    if (failing-- > 0) return void response.writeHead(503).end()
    reply(response, id, taskOf('COMPLETED'))
  }
  const patient = await setup(t, answer)
  await patient.attempt.finish(patient.executor)
  t.equal(patient.attempt.states.at(-1), 'completed')
  failing = 100
  const hopeless = await setup(t, answer)
  await t.rejects(hopeless.attempt.finish(hopeless.executor), { retryable: true, message: /503/ })
  t.equal(hopeless.methods.length, 1 + QUICK.maxFailedChecks + 1)
})

t.test('never ends: the signal ends the call at once, in the middle of a stream or of a send', async (t) => {
  const opened = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const { executor, attempt } = await setup(
    t,
    ({ id, method }, response) => {
      if (method !== 'SendStreamingMessage') return reply(response, id, taskOf('CANCELED'))
      event(response, id, { task: taskOf('WORKING') })
      response.on('close', () => closed.resolve())
      opened.resolve()
    },
    { streaming: true, options: { idleTimeoutMs: 60_000 } },
  )
  const running = attempt.execute(executor)
  await attempt.until(() => attempt.record.remoteTaskId !== undefined)
  attempt.abort('timeout')
  await running
  await closed.promise
  t.pass('and the stream is closed')
})

t.test('the intervals between checks grow up to a bound', async (t) => {
  const { executor, attempt } = await setup(
    t,
    ({ id, method }, response) => {
      const task = taskOf('WORKING')
      reply(response, id, method === 'SendMessage' ? { task } : task)
    },
    { options: { minCheckMs: 1_000, maxCheckMs: 30_000 } },
  )
  const waits: number[] = []
  for (let parked = 0; parked < 8; parked += 1) {
    const outcome = await attempt.execute(executor)
    waits.push(Math.round(((outcome?.checkAt.getTime() ?? 0) - Date.now()) / 1000))
  }
  t.same(waits, [1, 2, 4, 8, 16, 30, 30, 30])
})

t.test('an agent that dies in the middle, and comes back with its tasks', async (t) => {
  const release = Promise.withResolvers<void>()
  const first = await startAgent({
    dialect: '1.0 JSONRPC',
    work: async (reply) => {
      reply.task()
      reply.chunk('howl', 'a')
      await release.promise
    },
  })
  const executor = new A2aExecutor({ name: 'wolf', kind: 'a2a', url: first.url }, QUICK)
  t.teardown(() => executor.close())
  const attempt = new AttemptUnderTest()
  const running = attempt.execute(executor)
  await attempt.until(() => attempt.textOf('howl') === 'a')
  await first.close()
  t.match(await running, { parked: true }, 'its work is not given up')
  t.match(await attempt.execute(executor), { parked: true })
  release.resolve()
})
