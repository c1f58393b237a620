import type { Test } from 'tap'
import { call, type Server, userMessage, V1 } from '../rpc.ts'

const later = { blocking: false }

/** What is tolerated, and what is refused with the field that is at fault. (design §8.1) */
export async function inputs(t: Test, server: Server): Promise<void> {
  const part = async (given: unknown, expected?: object): Promise<void> => {
    const params = { message: userMessage('', { parts: [{ text: 'Keep this' }, given] }), configuration: later }
    const { result, error } = await call(server, 'message/send', params)
    const name = JSON.stringify(given)
    if (expected === undefined) {
      t.match(error, { code: -32602, message: /^message\.parts\[1\]/ }, name)
      return
    }
    const task = await call(server, 'tasks/get', { id: result.id })
    t.strictSame(task.result.history[0].parts[1], expected, name)
  }

  const file = { kind: 'file', file: { name: 'a.png', mimeType: 'image/png', bytes: 'aGk=' } }
  const link = { kind: 'file', file: { uri: 'https://example.org/a' } }
  await part({ type: 'text', text: 'a' }, { kind: 'text', text: 'a' })
  await part({ kind: 'text', text: 'a' }, { kind: 'text', text: 'a' })
  await part({ text: 'a', metadata: { b: 1 } }, { kind: 'text', text: 'a', metadata: { b: 1 } })
  await part({ type: 'file', file: { name: 'a.png', mimeType: 'image/png', bytes: 'aGk=' } }, file)
  await part({ file: { name: 'a.png', mediaType: 'image/png', fileWithBytes: 'aGk=' } }, file)
  await part({ raw: 'aGk=', filename: 'a.png', mediaType: 'image/png' }, file)
  await part({ kind: 'file', file: { uri: 'https://example.org/a' } }, link)
  await part({ file: { fileWithUri: 'https://example.org/a' } }, link)
  await part({ url: 'https://example.org/a' }, link)
  await part({ kind: 'data', data: { a: [1] } }, { kind: 'data', data: { a: [1] } })
  await part({ type: 'data', data: {} }, { kind: 'data', data: {} })
  await part({ data: [1] }, { kind: 'data', data: { value: [1] }, metadata: { data_part_compat: true } })
  await part({ text: 'a', raw: null, data: null, file: null, metadata: null }, { kind: 'text', text: 'a' })
  await part({ kind: '', text: 'a', filename: null, mediaType: null }, { kind: 'text', text: 'a' })
  await part({ kind: 'file', file: { ...file.file, uri: null }, metadata: null }, file)
  await part({ kind: 'file', file: { uri: link.file.uri, bytes: null, name: null, mimeType: null } }, link)
  await part({ data: null }, { kind: 'data', data: { value: null }, metadata: { data_part_compat: true } })
  await part({})
  await part({ text: null })
  await part('text')
  await part({ text: 1 })
  await part({ kind: 'text' })
  await part({ kind: 'video', video: 'x' })
  await part({ text: 'a', url: 'https://example.org' })
  await part({ kind: 'file', file: {} })
  await part({ kind: 'file', file: { bytes: 'aGk=', uri: 'https://example.org' } })
  await part({ kind: 'file', file: { bytes: 'not base64!' } })
  await part({ kind: 'data', data: 'text' })

  await t.test('sessionId and contextId mean the same, in the message or beside it', async (t) => {
    const unique = () => `ctx-${process.pid}-${Date.now()}-${Math.random()}`
    for (const place of ['sessionId', 'contextId']) {
      const [inside, beside] = [unique(), unique()]
      const message = userMessage('Feed the cat', { [place]: inside })
      const within = await call(server, 'message/send', { message, configuration: later })
      t.equal(within.result.contextId, inside)
      const next = { message: userMessage('Feed the cat'), [place]: beside, configuration: later }
      t.equal((await call(server, 'message/send', next)).result.contextId, beside)
    }
    const torn = { message: userMessage('x', { contextId: 'a', sessionId: 'b' }) }
    t.match((await call(server, 'message/send', torn)).error, { code: -32602, message: /contextId/ })
  })

  await t.test('null and empty members count as absent', async (t) => {
    const message = userMessage('Feed the cat', { contextId: null, taskId: '', referenceTaskIds: null, metadata: null })
    const params = { message, metadata: null, configuration: { blocking: false, historyLength: null } }
    t.match((await call(server, 'message/send', params)).result, { kind: 'task', contextId: /./ })
  })

  await t.test('bad params name the field, what it was, and what is expected', async (t) => {
    const cases: [string, object, RegExp][] = [
      ['message/send', {}, /^message: is missing; expected an object/],
      ['message/send', { message: { role: 'user', parts: [{ text: 'x' }] } }, /^message\.messageId: is missing/],
      [
        'message/send',
        { message: userMessage('x', { role: 'boss' }) },
        /^message\.role: was "boss"; expected one of user/,
      ],
      [
        'message/send',
        { message: userMessage('x', { parts: [] }) },
        /^message\.parts: was \[\]; expected a list of at least 1/,
      ],
      ['message/send', { message: userMessage('x', { parts: 'x' }) }, /^message\.parts: was "x"; expected a list/],
      ['message/send', { message: userMessage('x', { metadata: [] }) }, /^message\.metadata/],
      [
        'message/send',
        { message: userMessage('x', { referenceTaskIds: [1] }) },
        /^message\.referenceTaskIds\[0\]: was 1/,
      ],
      [
        'message/send',
        { message: userMessage('x'), configuration: { blocking: 'yes' } },
        /^configuration\.blocking: was "yes"/,
      ],
      ['tasks/get', { id: 'x', historyLength: -1 }, /^historyLength: was -1; expected an integer of at least 0/],
      ['tasks/get', { id: 5 }, /^id: was 5; expected a string/],
      ['tasks/list', { pageSize: 101 }, /^pageSize: was 101; expected an integer of at most 100/],
      ['tasks/list', { status: 'done' }, /^status: was "done"; expected one of submitted/],
      ['objectives/get', {}, /^id: is missing/],
      ['objectives/list', { status: 'done' }, /^status: was "done"/],
      ['objectives/create', {}, /^name: is missing/],
      ['plans/create', { objectiveId: 'x', name: 'y', tasks: [{}] }, /^tasks\[0\]\.name: is missing/],
      ['plans/create', { objectiveId: 'x', name: 'y', onFailure: 'panic' }, /^onFailure: was "panic"/],
      ['tasks/updateStatus', { taskId: 'x' }, /^state: is missing/],
    ]
    for (const [method, params, message] of cases) {
      const { error } = await call(server, method, params)
      t.match(error, { code: -32602, message }, `${method} ${message}`)
      t.match(error.data.violations, [{ field: String, description: String }])
    }
  })

  await t.test('a wish for push notifications is refused, as there are none', async (t) => {
    const pushNotificationConfig = { url: 'https://example.org/hook' }
    const params = { message: userMessage('x'), configuration: { pushNotificationConfig } }
    t.equal((await call(server, 'message/send', params)).error.code, -32003)
    const modern = { message: userMessage('x'), configuration: { taskPushNotificationConfig: pushNotificationConfig } }
    t.equal((await call(server, 'SendMessage', modern, V1)).error.code, -32003)
  })
}
