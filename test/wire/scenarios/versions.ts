import type { Test } from 'tap'
import { call, OPT, post, type Server, userMessage, V1 } from '../rpc.ts'

/** Which names and shapes which version gets. (design §8.1) */
export async function versions(t: Test, server: Server): Promise<void> {
  await t.test('a name of the other version is not found, and the header that decides is named', async (t) => {
    const modern = await call(server, 'SendMessage', { message: userMessage('x') })
    t.match(modern.error, { code: -32601, message: /A2A-Version: 1\.0/ })
    const legacy = await call(server, 'message/send', { message: userMessage('x') }, V1)
    t.match(legacy.error, { code: -32601, message: /A2A-Version says 1\.0/ })
    t.equal((await call(server, 'message.send', { message: userMessage('x') }, V1)).error.code, -32601)
  })

  await t.test('a patch number says nothing, and an unknown version is refused', async (t) => {
    const get = (version: string) => call(server, 'GetTask', { id: 'task-none' }, { 'A2A-Version': version })
    t.equal((await get('1.0')).error.code, -32001)
    t.equal((await get('1.0.1')).error.code, -32001)
    const newer = (await get('2.0')).error
    t.match(newer, { code: -32009, message: /1\.0 and 0\.3/, data: [{ reason: 'VERSION_NOT_SUPPORTED' }] })
    t.match((await get('banana')).error, { code: -32009 })
    for (const twice of ['1.0, 1.0', '1.0,1.0.1', ' 1.0 ,  1.0']) t.equal((await get(twice)).error.code, -32001, twice)
    t.match((await get('1.0, 0.3')).error, { code: -32009, message: /was 1\.0, 0\.3; expected one version/ })
    t.match((await get('1.0, 2.0')).error, { code: -32009, message: /was 1\.0, 2\.0; expected one version/ })
    const old = await call(server, 'tasks/get', { id: 'task-none' }, { 'A2A-Version': '0.3.0' })
    t.equal(old.error.code, -32001)
    const query = await post(
      server,
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'GetTask', params: { id: 'task-none' } }),
      {},
      '/?A2A-Version=1.0',
    )
    t.equal(query.body.error.code, -32001)
  })

  await t.test('extensions that are known are activated and echoed', async (t) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/list', params: {} })
    const modern = await post(server, body, { 'A2A-Extensions': `https://example.org/other, ${OPT}` })
    t.equal(modern.headers.get('a2a-extensions'), OPT)
    const legacy = await post(server, body, { 'X-A2A-Extensions': OPT })
    t.equal(legacy.headers.get('x-a2a-extensions'), OPT)
    t.equal((await post(server, body)).headers.get('a2a-extensions'), null)
  })

  await t.test('one task reads as each version writes it', async (t) => {
    const sent = await call(server, 'message/send', {
      message: userMessage('Water the plants'),
      configuration: { blocking: false },
    })
    const { id, contextId } = sent.result
    t.match(sent.result, {
      kind: 'task',
      id: String,
      contextId: String,
      status: { state: /^[a-z-]+$/, timestamp: /Z$/ },
    })
    const legacy = await call(server, 'tasks/get', { id })
    t.match(legacy.result, {
      kind: 'task',
      id,
      contextId,
      history: [{ kind: 'message', role: 'user', parts: [{ kind: 'text' }] }],
    })
    const modern = await call(server, 'GetTask', { id }, V1)
    t.match(modern.result, { id, contextId, status: { state: /^TASK_STATE_/ }, history: [{ role: 'ROLE_USER' }] })
    t.notOk('kind' in modern.result)
    t.strictSame(modern.result.history[0].parts, [{ text: 'Water the plants' }])
  })

  await t.test('1.0 wraps what a send answers, and lists with all four members', async (t) => {
    const message = { messageId: `m-${Date.now()}`, role: 'ROLE_USER', parts: [{ text: 'What is 2 + 2?' }] }
    const answer = await call(server, 'SendMessage', { message }, V1)
    t.match(answer.result.message, { role: 'ROLE_AGENT', parts: [{ text: '2 + 2 = 4' }], messageId: String })
    const task = { messageId: `t-${Date.now()}`, role: 'ROLE_USER', parts: [{ text: 'Feed the cat' }] }
    const configuration = { returnImmediately: true }
    const { result } = await call(server, 'SendMessage', { message: task, configuration }, V1)
    t.match(result.task, { id: String, status: { state: /^TASK_STATE_/ } })
    const list = await call(server, 'ListTasks', { contextId: result.task.contextId, includeArtifacts: true }, V1)
    t.match(list.result, {
      tasks: [{ id: result.task.id, artifacts: Array }],
      nextPageToken: '',
      pageSize: 50,
      totalSize: 1,
    })
    t.equal((await call(server, 'ListTasks', { pageSize: 0 }, V1)).error.code, -32602)
    t.equal((await call(server, 'ListTasks', { statusTimestampAfter: 'yesterday' }, V1)).error.code, -32602)
  })

  await t.test('what is not offered says so by its own error', async (t) => {
    const pushNotificationConfig = { url: 'https://example.org/hook' }
    const legacyConfig = { taskId: 'x', pushNotificationConfig }
    const config = { taskId: 'x', ...pushNotificationConfig }
    t.equal((await call(server, 'tasks/pushNotificationConfig/set', legacyConfig)).error.code, -32003)
    t.equal((await call(server, 'CreateTaskPushNotificationConfig', config, V1)).error.code, -32003)
    t.equal((await call(server, 'GetExtendedAgentCard', {}, V1)).error.code, -32004)
    t.equal((await call(server, 'agent/getAuthenticatedExtendedCard')).error.code, -32007)
  })

  await t.test("another tenant's calls find nothing", async (t) => {
    t.equal((await call(server, 'GetTask', { id: 'x', tenant: 'another' }, V1)).error.code, -32001)
    t.equal((await call(server, 'ListTasks', { tenant: 'another' }, V1)).error.code, -32001)
  })
}
