import { TaskState } from '@a2a-js/sdk'
import t, { type Test } from 'tap'
import { A2aExecutor } from '../../src/executors/a2a.ts'
import { DEFAULT_A2A_OPTIONS } from '../../src/executors/a2a-options.ts'
import { AttemptUnderTest, answerOf } from './executor-attempt.ts'
import { type AgentOptions, DIALECTS, startAgent } from './executor-remote-agent.ts'

const { TASK_STATE_COMPLETED, TASK_STATE_FAILED, TASK_STATE_INPUT_REQUIRED, TASK_STATE_WORKING } = TaskState
const { TASK_STATE_AUTH_REQUIRED, TASK_STATE_REJECTED } = TaskState

const OPTIONS = { ...DEFAULT_A2A_OPTIONS, minCheckMs: 5, maxCheckMs: 20 }

async function setup(t: Test, options: AgentOptions) {
  const agent = await startAgent(options)
  const executor = new A2aExecutor({ name: 'shepherd', kind: 'a2a', url: agent.url }, OPTIONS)
  t.teardown(async () => {
    await executor.close()
    await agent.close()
  })
  return { agent, executor, attempt: new AttemptUnderTest() }
}

/** An agent that, once told to, refuses the next message. */
async function startAnswerless(t: Test) {
  let refusing = false
  const { executor } = await setup(t, {
    dialect: '1.0 JSONRPC',
    work: (reply) => {
      reply.task()
      if (reply.text !== 'white ones') return reply.status(TASK_STATE_INPUT_REQUIRED, 'Which sheep?')
      reply.status(TASK_STATE_COMPLETED, 'seven')
    },
    intercept: ({ method }, drop) => {
      if (!refusing || method !== 'SendStreamingMessage') return false
      refusing = false
      drop()
      return true
    },
  })
  return {
    executor,
    refuse: () => {
      refusing = true
    },
  }
}

for (const dialect of DIALECTS) {
  for (const streaming of [true, false]) {
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
        if (streaming) await attempt.until(() => attempt.textOf('sheep') === 'one two ')
        attempt.abort('shutdown')
        await first
        const second = attempt.takeOver()
        const resumed = second.finish(executor)
        if (streaming) await second.until(() => second.events.length > 0)
        release.resolve()
        await resumed
        t.equal(second.textOf('sheep'), 'one two three', 'nothing is published twice')
        t.equal(second.states.at(-1), 'completed')
        t.equal(agent.received.length, 1)
      })
    })
  }
}

t.test('a stream that is cut is followed again, without gap or repeat', async (t) => {
  const release = Promise.withResolvers<void>()
  const { agent, executor, attempt } = await setup(t, {
    dialect: '1.0 JSONRPC',
    work: async (reply) => {
      reply.task()
      reply.chunk('sheep', 'one ')
      await release.promise
      reply.chunk('sheep', 'two', { append: true, lastChunk: true })
      reply.status(TASK_STATE_COMPLETED)
    },
  })
  const running = attempt.finish(executor)
  await attempt.until(() => attempt.textOf('sheep') === 'one ')
  agent.cut()
  release.resolve()
  await running
  t.equal(attempt.textOf('sheep'), 'one two')
  t.equal(attempt.states.at(-1), 'completed')
  t.equal(agent.received.length, 1)
})

t.test('sent, then nothing known: found by listing, not sent again', async (t) => {
  for (const dialect of ['1.0 JSONRPC', '1.0 HTTP+JSON'] as const) {
    const { agent, executor, attempt } = await setup(t, {
      dialect,
      work: (reply) => {
        reply.task()
        reply.chunk('sheep', 'nine', { lastChunk: true })
        reply.status(TASK_STATE_COMPLETED)
      },
    })
    await attempt.finish(executor)
    const next = new AttemptUnderTest()
    next.record = { ...attempt.record, takenOver: true }
    delete next.record.remoteTaskId
    delete next.record.remoteContextId
    delete next.record.memo
    await next.finish(executor)
    t.equal(next.textOf('sheep'), 'nine', dialect)
    t.equal(next.record.remoteTaskId, attempt.record.remoteTaskId)
    t.equal(next.record.maybeDuplicate, undefined)
    t.equal(agent.received.length, 1)
  }
})

t.test(
  'sent, then nothing known, and no listing: sent once more under the same id, and that is recorded',
  async (t) => {
    const { agent, executor, attempt } = await setup(t, {
      dialect: '0.3 JSONRPC',
      work: (reply) => {
        reply.task()
        reply.status(TASK_STATE_COMPLETED, 'done')
      },
    })
    attempt.record = { ...attempt.record, sentAt: new Date().toISOString(), takenOver: true }
    await attempt.finish(executor)
    t.equal(attempt.record.maybeDuplicate, true)
    t.equal(agent.received[0]?.messageId, 'attempt-1')
    t.equal(attempt.textOf('attempt-1-response'), 'done', 'a result that is only said becomes an artifact')

    const again = new AttemptUnderTest()
    again.record = { ...attempt.record, maybeDuplicate: true }
    delete again.record.remoteTaskId
    await t.rejects(again.finish(executor), { message: /"shepherd" \(http.*twice/ })
  },
)

t.test('canceled while its send is on the way: the id is recorded all the same, and canceled there', async (t) => {
  const taken = Promise.withResolvers<void>()
  const release = Promise.withResolvers<void>()
  const { agent, executor, attempt } = await setup(t, {
    dialect: '1.0 JSONRPC',
    work: async (reply) => {
      taken.resolve()
      await release.promise
      reply.task()
      await reply.canceled
    },
  })
  const running = attempt.execute(executor)
  await taken.promise
  const canceling = attempt.cancel(executor)
  await running
  t.equal(attempt.record.remoteTaskId, undefined, 'execute returned before the agent answered')
  release.resolve()
  await canceling
  t.match(attempt.record, { remoteTaskId: String })
  t.same(agent.canceled, [attempt.record.remoteTaskId])
})

t.test('a timeout cancels there too', async (t) => {
  const gone = Promise.withResolvers<void>()
  const { executor, attempt } = await setup(t, {
    dialect: '1.0 JSONRPC',
    work: async (reply) => {
      reply.task()
      await reply.canceled
      gone.resolve()
    },
  })
  const running = attempt.execute(executor)
  await attempt.until(() => attempt.record.remoteTaskId !== undefined)
  attempt.abort('timeout')
  await running
  await gone.promise
  t.pass('the remote work was ended')
})

t.test('a task that the agent forgot is lost, and it says so', async (t) => {
  const { executor, attempt } = await setup(t, { dialect: '1.0 JSONRPC', work: () => undefined })
  attempt.record = {
    ...attempt.record,
    sentAt: new Date().toISOString(),
    remoteTaskId: 'no-such-task',
    takenOver: true,
  }
  await t.rejects(attempt.finish(executor), {
    message: /does not know the task no-such-task any more/,
    retryable: false,
  })
})

t.test('an answer is not sent twice, and not lost, when the process ends around it', async (t) => {
  const { agent, executor, attempt } = await setup(t, {
    dialect: '1.0 JSONRPC',
    work: (reply) => {
      reply.task()
      if (reply.text !== 'white ones') return reply.status(TASK_STATE_INPUT_REQUIRED, 'Which sheep?')
      reply.status(TASK_STATE_COMPLETED, 'seven')
    },
  })
  await attempt.finish(executor)
  const before = structuredClone(attempt.record)
  await attempt.finish(executor, answerOf('white ones'))
  const answering = attempt.patches.find((patch) => (patch.memo as { answer?: unknown } | undefined)?.answer)
  const after = attempt.takeOver()
  after.record = { ...before, memo: answering?.memo ?? {}, takenOver: true }
  await after.finish(executor, answerOf('white ones'))
  t.equal(after.states.at(-1), 'completed')
  t.equal(agent.received.length, 2, 'received before the process ended')

  const lost = new AttemptUnderTest()
  const unreceived = await startAnswerless(t)
  await lost.finish(unreceived.executor)
  const asked = structuredClone(lost.record)
  unreceived.refuse()
  t.match(await lost.execute(unreceived.executor, answerOf('white ones')), { parked: true })
  const resumed = lost.takeOver()
  resumed.record = { ...asked, ...(lost.record.memo && { memo: lost.record.memo }), takenOver: true }
  await resumed.finish(unreceived.executor, answerOf('white ones'))
  t.equal(resumed.states.at(-1), 'completed', 'sent again where it was not received')
})
