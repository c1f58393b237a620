import { type Message, textOf } from '../../src/domain/message.ts'
import type { TaskView } from '../../src/domain/task.ts'
import { composeMessage } from '../../src/executors/compose-message.ts'
import { EchoExecutor } from '../../src/executors/echo.ts'
import type { ExecutionEvent } from '../../src/executors/executor.ts'
import { ExecutorError, isRetryable } from '../../src/executors/executor-error.ts'
import { ManualExecutor } from '../../src/executors/manual.ts'
import { type RequestContextParams, SimpleRequestContextBuilder } from '../../src/executors/request-context.ts'
import t from '../tap.ts'

const view = (id: string, more: Partial<TaskView> = {}): TaskView => ({
  id,
  contextId: 'context-1',
  state: 'working',
  statusAt: '2026-01-01T00:00:00Z',
  history: [],
  artifacts: [],
  metadata: {},
  kind: 'executed',
  skipped: false,
  seq: 1,
  ...more,
})

function params(message: Partial<Message> = {}, more: Partial<RequestContextParams> = {}): RequestContextParams {
  return {
    principal: { id: 'someone', tenant: 'acme' },
    message: { messageId: 'm', role: 'user', parts: [{ text: 'one' }, { data: 1 }, { text: 'two' }], ...message },
    currentTask: view('task-1'),
    signal: new AbortController().signal,
    attempt: { id: 'attempt-1', number: 1, lease: 1, takenOver: false, parkedTimes: 0 },
    record: async () => true,
    requestedExtensions: ['urn:x'],
    ...more,
  }
}

t.test('a context knows its request', async (t) => {
  const context = await new SimpleRequestContextBuilder().build(params({}, { metadata: { a: 1 } }))
  t.equal(context.getUserInput(), 'one\ntwo')
  t.equal(context.getUserInput(' '), 'one two')
  t.match(context, { taskId: 'task-1', contextId: 'context-1', tenant: 'acme', metadata: { a: 1 }, configuration: {} })
  t.ok(context.requestedExtensions.has('urn:x') && context.callContext.requestedExtensions.has('urn:x'))
  t.equal(context.answer, undefined)
  context.attachRelatedTask(view('task-2'))
  context.attachRelatedTask(view('task-2', { state: 'completed' }))
  t.match(context.relatedTasks, [{ id: 'task-2', state: 'completed' }])
  t.equal(context.relatedTasks.length, 1)
})

t.test('the builder reads referred tasks if told to, and makes ids that are missing', async (t) => {
  const asked: unknown[] = []
  const builder = new SimpleRequestContextBuilder({
    shouldPopulateReferredTasks: true,
    readTasks: async (ids, principal) => {
      asked.push([ids, principal.id])
      return ids.map((id) => view(id))
    },
    taskIdGenerator: () => 'task-new',
    contextIdGenerator: () => 'context-new',
  })
  const message = { referenceTaskIds: ['task-2', 'task-3', 'task-3'] }
  const context = await builder.build(params(message, { relatedTasks: [view('task-2')] }))
  t.same(asked, [[['task-3'], 'someone']], 'what is attached already is not read again')
  t.same(
    context.relatedTasks.map((task) => task.id),
    ['task-2', 'task-3'],
  )
  t.match(context, { taskId: 'task-new', contextId: 'context-new' })
  const plain = await new SimpleRequestContextBuilder().build(params(message))
  t.same(plain.relatedTasks, [])
})

t.test('echo says what it was asked and given, and that no agent did it', async (t) => {
  const message = composeMessage({
    messageId: 'attempt-1',
    task: { name: 'Summarize findings' },
    from: [
      {
        id: 'task-0',
        artifacts: [{ artifactId: 'a', name: 'findings', parts: [{ text: 'it is green' }, { data: { n: 1 } }] }],
      },
    ],
  })
  const events: ExecutionEvent[] = []
  const queue = { publish: (event: ExecutionEvent) => void events.push(event), flush: async () => undefined }
  const context = await new SimpleRequestContextBuilder().build(params(message))
  await new EchoExecutor().execute(context, queue)
  t.match(events, [
    { kind: 'artifact', artifact: { name: 'echo', parts: [{ text: /^Task: Summarize findings\n/ }] }, lastChunk: true },
    { kind: 'status', state: 'completed' },
  ])
  const text = events[0]?.kind === 'artifact' ? textOf(events[0].artifact) : ''
  t.match(text, '- findings of task-0: it is green\n- findings of task-0: {"n":1}')
  t.match(text, 'No agent is configured')
  await new EchoExecutor(() => ['cook']).execute(context, queue)
  t.match(events[2], { artifact: { parts: [{ text: /None of the configured agents \(cook\)/ }] } })
})

t.test('a manual task is never executed', async (t) => {
  await t.rejects(new ManualExecutor().execute(), { retryable: false, message: /tasks\/updateStatus/ })
  t.equal(isRetryable(new Error('any')), true)
  t.equal(isRetryable(new ExecutorError('no', { retryable: false })), false)
})
