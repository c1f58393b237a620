import { conformanceSettings } from '../../examples/conformance/settings.ts'
import t from '../tap.ts'
import { call, V1 } from '../wire/rpc.ts'
import { speakers } from './conformance-speakers.ts'
import { startServer } from './server.ts'

process.env['TCK_STREAMING_TIMEOUT'] = '0.3'
const server = await startServer(t, { config: conformanceSettings({}, t.testdir()) })
const file = { name: 'output', text: 'Hello from TCK\n' }

/** What the parts of an artifact hold, in any version's spelling. */
function contentOf({ parts: [part] }: { parts: Record<string, unknown>[] }) {
  const { text, data, raw, url, filename, mediaType } = part as Record<string, string>
  const held = (part?.['file'] ?? {}) as Record<string, string>
  const bytes = raw ?? held['bytes'] ?? held['fileWithBytes']
  const uri = url ?? held['uri'] ?? held['fileWithUri']
  if (bytes === undefined && uri === undefined) return text ?? data
  const named = [filename ?? held['name'], mediaType ?? held['mimeType']].join(' ')
  return bytes === undefined ? `${uri} ${named}` : `${Buffer.from(bytes, 'base64')} ${named}`
}

for (const speaker of speakers(server)) {
  t.test(`${speaker.name}: every prefix ends where it should`, async (t) => {
    const ends: Record<string, object> = {
      'tck-complete-task-1': { state: 'completed', text: 'Hello from TCK' },
      'tck-delayed-complete-1': { state: 'completed', text: 'Done after delay' },
      'tck-input-required-1': { state: 'input-required' },
      'tck-auth-required-1': { state: 'auth-required' },
      'tck-reject-task-1': { state: 'rejected' },
      'tck-message-response-1': { state: undefined, text: 'Direct message response' },
      'tck-stream-002-1': { state: 'completed', artifacts: [] },
      'tck-anything-else': { state: 'completed' },
      'tck-artifact-text-1': { state: 'completed', artifacts: [{ name: 'output' }] },
      'nothing in particular': { state: 'input-required' },
    }
    for (const [id, end] of Object.entries(ends)) t.match(await speaker.send(id), end, id)
    t.match(await speaker.send('tck-complete-task-1'), { state: 'completed' }, 'the same messageId is a new message')
  })

  t.test(`${speaker.name}: artifacts of every kind`, async (t) => {
    const contents: Record<string, unknown> = {
      'tck-complete-task': 'Hello from TCK',
      'tck-artifact-text': 'Generated text content',
      'tck-artifact-file': `${file.text} output.txt text/plain`,
      'tck-artifact-file-url': 'https://example.com/output.txt output.txt text/plain',
      'tck-stream-artifact-file': `${file.text} output.txt text/plain`,
    }
    for (const [id, content] of Object.entries(contents)) {
      const { artifacts } = await speaker.send(`${id}-1`)
      t.strictSame(artifacts.map(contentOf), [content], id)
    }
    const { artifacts } = await speaker.send('tck-artifact-data-1')
    t.match(JSON.stringify(artifacts[0]), '{"key":"value","count":42}')
    const chunked = await speaker.send('tck-stream-artifact-chunked-1')
    t.strictSame(
      chunked.artifacts.map(({ parts }) => parts.map(({ text }: { text: string }) => text).join('')),
      ['chunk-1 chunk-2 chunk-3'],
      'chunks are folded into one artifact',
    )
  })

  t.test(`${speaker.name}: streams show every step in order`, async (t) => {
    const streamed = (artifact: string) => ['status working', `artifact ${artifact}`, 'status completed']
    const frames: Record<string, string[]> = {
      'tck-stream-001': streamed('Stream hello from TCK,false,true'),
      'tck-stream-002': ['status completed'],
      'tck-stream-003': streamed('Stream task lifecycle,false,true'),
      'tck-stream-ordering-001': streamed('Ordered output,false,true'),
      'tck-stream-artifact-text': streamed('Streamed text content,false,true'),
      'tck-stream-artifact-file': streamed('file,false,true'),
      'tck-stream-artifact-chunked': [
        'status working',
        'artifact chunk-1 ,false,false',
        'artifact chunk-2 ,true,false',
        'artifact chunk-3,true,true',
        'status completed',
      ],
      'tck-input-required': ['status input-required'],
    }
    for (const [id, wanted] of Object.entries(frames)) {
      const [first, ...rest] = await speaker.stream(`${id}-1`)
      t.match(first, /^task (submitted|working)$/, id)
      t.strictSame(rest, wanted, id)
    }
    t.strictSame(await speaker.stream('tck-message-response-1'), ['message'])
    t.match(await speaker.stream('tck-reject-task-1'), [/^task/, 'status rejected'])
  })

  t.test(`${speaker.name}: an interrupted task is answered, followed and canceled`, async (t) => {
    const { taskId = '', state } = await speaker.send('tck-input-required-2')
    t.equal(state, 'input-required')
    t.match(await speaker.send('just so', taskId), { taskId, state: 'input-required' }, 'it stays open')
    t.match(await speaker.send('tck-auth-required-2', taskId), { taskId, state: 'auth-required' })
    t.match(await speaker.send('just so again', taskId), { taskId, state: 'auth-required' }, 'and as it was')
    t.match(await speaker.send('tck-complete-task-2', taskId), { taskId, state: 'completed' })
    const other = (await speaker.send('tck-input-required-3')).taskId ?? ''
    const followed = Promise.withResolvers<void>()
    const following = speaker.subscribe(other, () => followed.resolve())
    await followed.promise
    t.match(await speaker.cancel(other), { taskId: other, state: 'canceled' })
    t.strictSame(await following, ['task input-required', 'status canceled'])
    await t.rejects(speaker.cancel(other), /cannot be canceled/)
  })

  t.test(`${speaker.name}: a task that works for a while can be subscribed to`, async (t) => {
    for (const id of ['test-resubscribe-message-id-1', 'test-subscribe-message-id-1']) {
      const taskId = await working(id)
      const words = await speaker.subscribe(taskId)
      t.equal(words[0], 'task working')
      t.equal(words.at(-1), 'status completed')
    }
    const left = await working('list-test-message-id-1')
    t.match(await tasksIn('TASK_STATE_WORKING'), [left], 'left working')
    const heard = Promise.withResolvers<void>()
    const following = speaker.subscribe(left, () => heard.resolve())
    await heard.promise
    t.match(
      await speaker.send('tck-complete-task-4', left),
      { state: 'completed' },
      'until something else is asked for',
    )
    t.match((await following).at(-1), 'status completed')
    t.match(await speaker.cancel(await working('list-test-message-id-2')), { state: 'canceled' })
  })
}

/** The id of a task that its sender did not wait for. */
async function working(messageId: string): Promise<string> {
  const message = { messageId, role: 'ROLE_USER', parts: [{ text: 'Go on' }] }
  const { result } = await call(server, 'SendMessage', { message, configuration: { returnImmediately: true } }, V1)
  return result.task.id
}

async function tasksIn(status: string): Promise<string[]> {
  const { result } = await call(server, 'ListTasks', { status }, V1)
  return result.tasks.map(({ id }: { id: string }) => id)
}
