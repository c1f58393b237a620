import { TaskState } from '@a2a-js/sdk'
import type { Test } from 'tap'
import t from '../tap.ts'
import { setupAgent as setup } from './executor-a2a-setup.ts'
import { AttemptUnderTest, answerOf } from './executor-attempt.ts'

const { TASK_STATE_COMPLETED, TASK_STATE_INPUT_REQUIRED } = TaskState

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
