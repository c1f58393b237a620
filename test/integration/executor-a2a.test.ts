import { TaskState } from '@a2a-js/sdk'
import t from '../tap.ts'
import { setupAgent as setup } from './executor-a2a-setup.ts'
import { answerOf } from './executor-attempt.ts'
import { DIALECTS } from './executor-remote-agent.ts'

const { TASK_STATE_COMPLETED, TASK_STATE_FAILED, TASK_STATE_INPUT_REQUIRED, TASK_STATE_WORKING } = TaskState
const { TASK_STATE_AUTH_REQUIRED, TASK_STATE_REJECTED } = TaskState

for (const dialect of DIALECTS) {
  for (const streaming of [true, false]) {
    // Over 0.3's REST and gRPC the SDK's client loses `append`: such an agent is checked even if it streams.
    const followed = streaming && dialect !== '0.3 HTTP+JSON' && dialect !== '0.3 GRPC'
    t.test(`${dialect}, ${streaming ? 'streams' : 'checks'}`, async (t) => {
      t.test('a task is sent once, and its artifacts and end become ours', async (t) => {
        const { agent, executor, attempt } = await setup(t, {
          dialect,
          streaming,
          work: (reply) => {
            reply.task()
            reply.status(TASK_STATE_WORKING, 'counting')
            reply.chunk('sheep', 'one ')
            reply.chunk('sheep', 'two ', { append: true })
            reply.chunk('sheep', 'three', { append: true, lastChunk: true })
            reply.status(TASK_STATE_COMPLETED, 'all counted')
          },
        })
        attempt.acceptedOutputModes = ['text/plain']
        await attempt.finish(executor)
        t.equal(attempt.textOf('sheep'), 'one two three')
        t.equal(attempt.states.at(0), 'working')
        t.match(attempt.events.at(-1), {
          kind: 'status',
          state: 'completed',
          message: { parts: [{ text: 'all counted' }] },
        })
        t.equal(agent.received.length, 1)
        t.equal(agent.received[0]?.messageId, 'attempt-1')
        t.match(attempt.patches[0], { sentAt: String }, 'what was sent is recorded before it is sent')
        t.match(attempt.record, { remoteTaskId: String, remoteContextId: String })
      })

      t.test('a question comes up, and the answer goes down', async (t) => {
        const { agent, executor, attempt } = await setup(t, {
          dialect,
          streaming,
          work: (reply) => {
            reply.task()
            if (reply.text !== 'white ones') return reply.status(TASK_STATE_INPUT_REQUIRED, 'Which sheep?')
            reply.chunk('sheep', 'seven', { lastChunk: true })
            reply.status(TASK_STATE_COMPLETED)
          },
        })
        await attempt.finish(executor)
        t.match(attempt.events.at(-1), { state: 'input-required', message: { parts: [{ text: 'Which sheep?' }] } })
        await attempt.finish(executor, answerOf('white ones'))
        t.equal(attempt.states.at(-1), 'completed')
        t.equal(attempt.textOf('sheep'), 'seven')
        t.equal(attempt.states.filter((state) => state === 'input-required').length, 1)
        const [asked, answered] = agent.received
        t.equal(answered?.taskId, attempt.record.remoteTaskId)
        t.equal(answered?.contextId, asked?.contextId)
        t.equal(answered?.messageId, 'attempt-1-message-2')
      })

      t.test('a cancel cancels there, twice is as good as once', async (t) => {
        const { agent, executor, attempt } = await setup(t, {
          dialect,
          streaming,
          work: async (reply) => {
            reply.task()
            await reply.canceled
          },
        })
        const running = attempt.execute(executor)
        await attempt.until(() => attempt.record.remoteTaskId !== undefined)
        await attempt.cancel(executor)
        await attempt.cancel(executor)
        await running
        t.same(agent.canceled, [attempt.record.remoteTaskId])
      })

      t.test('a lone message is passed on as one', async (t) => {
        const { executor, attempt } = await setup(t, {
          dialect,
          streaming,
          work: (reply) => reply.message('forty-two'),
        })
        await attempt.finish(executor)
        t.match(attempt.events, [{ kind: 'message', message: { role: 'agent', parts: [{ text: 'forty-two' }] } }])
        t.equal(attempt.events.length, 1)
        t.equal(attempt.record.remoteTaskId, undefined)
      })

      t.test('failed, rejected and auth-required are what they are', async (t) => {
        const ends = [
          [TASK_STATE_FAILED, 'failed'],
          [TASK_STATE_REJECTED, 'rejected'],
          [TASK_STATE_AUTH_REQUIRED, 'auth-required'],
        ] as const
        for (const [state, ours] of ends) {
          const { executor, attempt } = await setup(t, {
            dialect,
            streaming,
            work: (reply) => {
              reply.task()
              reply.status(state, 'because')
            },
          })
          await attempt.finish(executor)
          t.match(attempt.events.at(-1), { state: ours, message: { parts: [{ text: 'because' }] } })
        }
      })

      t.test('a process that takes over goes on with the same remote task', async (t) => {
        const release = Promise.withResolvers<void>()
        const { agent, executor, attempt } = await setup(t, {
          dialect,
          streaming,
          work: async (reply) => {
            reply.task()
            reply.chunk('sheep', 'one ')
            reply.chunk('sheep', 'two ', { append: true })
            await release.promise
            reply.chunk('sheep', 'three', { append: true, lastChunk: true })
            reply.status(TASK_STATE_COMPLETED)
          },
        })
        const first = attempt.execute(executor)
        await attempt.until(() => attempt.record.remoteTaskId !== undefined)
        if (followed) await attempt.until(() => attempt.textOf('sheep') === 'one two ')
        attempt.abort('shutdown')
        await first
        const second = attempt.takeOver()
        const resumed = second.finish(executor)
        if (followed) await second.until(() => second.events.length > 0)
        release.resolve()
        await resumed
        t.equal(second.textOf('sheep'), 'one two three', 'nothing is published twice')
        t.equal(second.states.at(-1), 'completed')
        t.equal(agent.received.length, 1)
      })
    })
  }
}
