import type { Work } from '../../src/domain/queries/work.ts'
import { contextParams } from '../../src/scheduler/attempt-context.ts'
import t from '../tap.ts'

function recordOf(attempt: { sentAt: string | null; remoteContextId: string | null }) {
  const work = {
    task: { id: 'task-1', contextId: 'context-1', artifacts: [], history: [] },
    name: 'it',
    description: null,
    parts: null,
    firstMessage: null,
    clarifications: [],
    answer: null,
    request: {},
    related: [],
    attempt: { id: 'attempt-1', number: 1, takeovers: 1, remoteTaskId: null, memo: null, parkedTimes: 0, ...attempt },
    remoteContextId: 'of another task',
  }
  const params = contextParams(work as unknown as Work, new AbortController().signal, async () => true)
  return params.attempt.remoteContextId
}

t.test('the remote context of an attempt', async (t) => {
  t.equal(recordOf({ sentAt: null, remoteContextId: null }), 'of another task', 'not sent yet: where others are')
  const sentAt = '2026-01-01T00:00:00.000Z'
  t.equal(recordOf({ sentAt, remoteContextId: null }), undefined, 'sent without one: looked for, and sent again, so')
  t.equal(recordOf({ sentAt, remoteContextId: 'its own' }), 'its own')
})
