import { ClientFactory } from '@a2a-js/sdk/client'
import * as legacy from 'a2a-sdk-0.3/client'
import t from '../tap.ts'
import { call, V1 } from '../wire/rpc.ts'
import { ask, send, trySend } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'
import { startReceiver } from './webhook-receiver.ts'

const URL_1 = 'https://one.example/hook'
const URL_2 = 'https://two.example/hook'
const SET = 'tasks/pushNotificationConfig/set'
const LIST = 'tasks/pushNotificationConfig/list'
const GET = 'tasks/pushNotificationConfig/get'
const DELETE = 'tasks/pushNotificationConfig/delete'
const resolve = async () => ['93.184.216.34']

t.test('0.3: set, get, list and delete', async (t) => {
  const server = await startServer(t, { resolve, config: { push: { maxConfigsPerTask: 2 } } })
  const { id } = await send(server, 'A task')
  const authentication = { schemes: ['Bearer', 'Basic'], credentials: 'secret' }
  const first = { taskId: id, pushNotificationConfig: { id: 'first', url: URL_1, token: 'token', authentication } }
  t.same(await ask(server, SET, first), first, 'answered as it was given')
  const second = await ask(server, SET, { taskId: id, pushNotificationConfig: { url: URL_2 } })
  t.match(second.pushNotificationConfig, { id: /^push-/, url: URL_2 }, 'one without an id gets one')
  t.same(await ask(server, LIST, { id }), [first, second])
  t.same(await ask(server, GET, { id, pushNotificationConfigId: 'first' }), first)
  t.same(await ask(server, GET, { id }), first, 'without an id, the first one')

  const full = await call(server, SET, { taskId: id, pushNotificationConfig: { id: 'third', url: URL_1 } })
  t.match(full.error, { code: -31044, message: /has 2 .* allowed are 2 \(push\.maxConfigsPerTask\)/ })
  const replaced = { taskId: id, pushNotificationConfig: { id: 'first', url: URL_2 } }
  t.same(await ask(server, SET, replaced), replaced, 'set replaces')
  t.same(await ask(server, LIST, { id }), [replaced, second])

  t.equal(await ask(server, DELETE, { id, pushNotificationConfigId: 'first' }), null)
  t.equal(await ask(server, DELETE, { id, pushNotificationConfigId: 'first' }), null, 'and again')
  t.same(await ask(server, LIST, { id }), [second])
  t.match((await call(server, GET, { id, pushNotificationConfigId: 'first' })).error, {
    code: -32001,
    message: /first/,
  })
  t.same(await ask(server, SET, first), first, 'there is room again, under the same id too')
})

t.test("0.3 over HTTP+JSON: a new one's id may stand in the query, as its Protocol Buffers have it", async (t) => {
  const server = await startServer(t, { resolve })
  const { id } = await send(server, 'A task')
  const at = `${server.baseUrl}/v1/tasks/${id}/pushNotificationConfigs`
  const create = async (query: string, config: object) => {
    const headers = { 'Content-Type': 'application/json' }
    const body = JSON.stringify({ pushNotificationConfig: { url: URL_1, ...config } })
    return (await fetch(`${at}${query}`, { method: 'POST', headers, body })).json()
  }
  t.match(await create('?config_id=mine', {}), { name: `tasks/${id}/pushNotificationConfigs/mine` })
  t.match(await create('?configId=other', { id: 'other' }), { pushNotificationConfig: { id: 'other', url: URL_1 } })
  t.match(await create('?config_id=mine', { id: 'other' }), { code: -32602, message: /was "other".* says "mine"/ })
  t.match(await (await fetch(`${at}/mine`)).json(), { pushNotificationConfig: { id: 'mine', url: URL_1 } })
})

t.test('1.0: create, get, list and delete', async (t) => {
  const server = await startServer(t, { resolve })
  const { id: taskId } = await send(server, 'A task')
  const config = {
    taskId,
    id: 'mine',
    url: URL_1,
    token: 'token',
    authentication: { scheme: 'Bearer', credentials: 'x' },
  }
  t.same(await ask(server, 'CreateTaskPushNotificationConfig', config, V1), config)
  t.same(await ask(server, 'GetTaskPushNotificationConfig', { taskId, id: 'mine' }, V1), config)
  t.same(await ask(server, 'ListTaskPushNotificationConfigs', { taskId }, V1), { configs: [config], nextPageToken: '' })
  const legacy = { schemes: ['Bearer'], credentials: 'x' }
  t.same((await ask(server, GET, { id: taskId })).pushNotificationConfig.authentication, legacy, 'as 0.3 writes it')
  t.same(await ask(server, 'DeleteTaskPushNotificationConfig', { taskId, id: 'mine' }, V1), {})
  t.same((await ask(server, 'ListTaskPushNotificationConfigs', { taskId }, V1)).configs, [])
})

t.test("the SDK's client registers, reads and removes", async (t) => {
  const server = await startServer(t, { resolve })
  const { id: taskId } = await send(server, 'A task')
  const client = await new ClientFactory().createFromUrl(server.baseUrl)
  const config = { tenant: '', taskId, id: 'mine', url: URL_1, token: '', authentication: undefined }
  t.match(await client.createTaskPushNotificationConfig(config), { id: 'mine', url: URL_1 })
  t.match(await client.getTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' }), { id: 'mine', url: URL_1 })
  const { configs } = await client.listTaskPushNotificationConfig({ tenant: '', taskId, pageSize: 0, pageToken: '' })
  t.equal(configs.length, 1)
  await client.deleteTaskPushNotificationConfig({ tenant: '', taskId, id: 'mine' })
  t.same(await ask(server, LIST, { id: taskId }), [])
})

t.test('the SDK of 0.3 does, over each binding', async (t) => {
  const server = await startServer(t, { resolve })
  const { id: taskId } = await send(server, 'A task')
  for (const binding of ['JSONRPC', 'HTTP+JSON'] as const) {
    const transport = binding === 'JSONRPC' ? new legacy.JsonRpcTransportFactory() : new legacy.RestTransportFactory()
    const factory = new legacy.ClientFactory({ transports: [transport], preferredTransports: [binding] })
    const client = await factory.createFromUrl(server.baseUrl)
    const pushNotificationConfig = { id: 'mine', url: URL_1, token: 'token' }
    const one = { id: taskId, pushNotificationConfigId: 'mine' }
    t.match(
      await client.setTaskPushNotificationConfig({ taskId, pushNotificationConfig }),
      { pushNotificationConfig },
      binding,
    )
    t.match(await client.getTaskPushNotificationConfig(one), { pushNotificationConfig }, binding)
    t.same(await ask(server, LIST, { id: taskId }), [{ taskId, pushNotificationConfig }], binding)
    await client.deleteTaskPushNotificationConfig(one)
    t.same(await ask(server, LIST, { id: taskId }), [], binding)
  }
})

t.test('over HTTP+JSON, as each version has it', async (t) => {
  const server = await startServer(t, { resolve })
  const { id } = await send(server, 'A task')
  const http = async (method: string, path: string, body?: object) => {
    const headers = body ? { 'content-type': 'application/json' } : {}
    const response = await fetch(`${server.baseUrl}${path}`, {
      method,
      headers,
      ...(body && { body: JSON.stringify(body) }),
    })
    t.ok(response.ok, `${method} ${path}: ${response.status}`)
    const text = await response.text()
    return text === '' ? null : JSON.parse(text)
  }
  const all = `/tasks/${id}/pushNotificationConfigs`
  t.match(await http('POST', all, { id: 'mine', url: URL_1 }), { taskId: id, id: 'mine', url: URL_1 })
  t.match(await http('GET', `${all}/mine`), { id: 'mine' })
  t.match(await http('GET', all), { configs: [{ id: 'mine' }] })
  await http('DELETE', `${all}/mine`)
  const legacy = `/v1${all}`
  const pushNotificationConfig = { id: 'old', url: URL_2 }
  t.match(await http('POST', legacy, { pushNotificationConfig }), { pushNotificationConfig })
  t.match(await http('GET', `${legacy}/old`), { pushNotificationConfig })
  t.match(await http('GET', legacy), { configs: [{ pushNotificationConfig }] })
  await http('DELETE', `${legacy}/old`)
  t.same(await ask(server, LIST, { id }), [])
  t.match(await http('GET', `/pushNotificationDeliveries?taskId=${id}`), { deliveries: [], totalSize: 0 })
})

t.test('of an objective', async (t) => {
  const server = await startServer(t, { resolve })
  const { id } = (await ask(server, 'objectives/create', { name: 'An objective' })).objective
  const of = (method: string) => `objectives/pushNotificationConfig/${method}`
  const given = { id, pushNotificationConfig: { id: 'mine', url: URL_1, authentication: { scheme: 'Bearer' } } }
  const config = { objectiveId: id, pushNotificationConfig: given.pushNotificationConfig }
  t.same(await ask(server, of('set'), given, V1), config)
  t.same(await ask(server, of('get'), { id, pushNotificationConfigId: 'mine' }, V1), config)
  t.same(await ask(server, of('list'), { id }, V1), { configs: [config] })
  t.same(await ask(server, of('delete'), { id, pushNotificationConfigId: 'mine' }), {})
  t.same(await ask(server, of('list'), { id }), { configs: [] })
  t.equal((await call(server, of('list'), { id: 'nobody' })).error.code, -31040)
  t.equal((await call(server, of('get'), { id, pushNotificationConfigId: 'mine' })).error.code, -31040)
})

t.test('what cannot be told is refused: the field, what it was, and what it may be', async (t) => {
  const names: Record<string, string[]> = { 'inside.example': ['10.0.0.7'], 'outside.example': ['93.184.216.34'] }
  const server = await startServer(t, { resolve: async (name) => names[name] ?? [] })
  const { id: taskId } = await send(server, 'A task')
  const refused = [
    'http://127.0.0.1:9/',
    'http://[::1]/',
    'http://2130706433/',
    'http://0x7f.1/',
    'http://0177.0.0.1/',
    'http://169.254.169.254/latest/meta-data',
    'http://inside.example/',
    'https://user:word@outside.example/',
    'ftp://outside.example/',
    'no url',
  ]
  for (const url of refused) {
    const { error } = await call(server, SET, { taskId, pushNotificationConfig: { url } })
    t.match(error, { code: -32602, data: { violations: [{ field: 'pushNotificationConfig.url' }] } }, url)
    t.match(error.message, /was "[^"]+"; expected /)
  }
  const inline = { configuration: { pushNotificationConfig: { url: 'http://127.0.0.1/' } } }
  const { error } = await trySend(server, 'Never begun', { params: inline })
  t.match(error.data.violations, [{ field: 'configuration.pushNotificationConfig.url' }])
  t.same(await ask(server, LIST, { id: taskId }), [])
  t.same(
    server.agent.runs.map(({ text }) => text),
    ['A task'],
    'and nothing was begun',
  )
  const smuggled = { url: 'https://outside.example/', token: 'a\r\nHost: b' }
  t.equal((await call(server, SET, { taskId, pushNotificationConfig: smuggled })).error.code, -32602)
  t.equal((await call(server, SET, { taskId: 'nobody', pushNotificationConfig: { url: URL_1 } })).error.code, -32001)
  const later = { taskId, pushNotificationConfig: { id: 'later', url: 'https://not-there-yet.example/' } }
  t.same(await ask(server, SET, later), later, 'a name that does not resolve yet is accepted')
})

t.test('a name that moves inside after it was registered is not connected to', async (t) => {
  const receiver = await startReceiver(t)
  const { port } = new URL(receiver.url)
  let address = '93.184.216.34'
  const push = { backoffSeconds: 0.05, maxBackoffSeconds: 0.05, pollSeconds: 0.2 }
  const server = await startServer(t, { resolve: async () => [address], config: { push } })
  server.agent.when('Rebind', held)
  const task = await send(server, 'Rebind', { wait: false })
  const run = await server.agent.begun('Rebind')
  await ask(server, SET, { taskId: task.id, pushNotificationConfig: { url: `http://turncoat.example:${port}/` } })
  address = '127.0.0.1'
  run.complete()
  for (;;) {
    const { deliveries } = await ask(server, 'pushNotifications/deliveries', { taskId: task.id })
    const [first] = deliveries.toReversed()
    if (first?.attempts < 2) continue
    if (first === undefined) continue
    t.match(first, { state: 'pending', lastError: /at an address that is not public/ })
    break
  }
  t.same(receiver.all, [])
})

t.test('switched off, it says so', async (t) => {
  const server = await startServer(t, { config: { push: { enabled: false } } })
  const { id } = await send(server, 'A task')
  const config = { taskId: id, pushNotificationConfig: { url: URL_1 } }
  for (const [method, params] of [
    [SET, config],
    [LIST, { id }],
    [GET, { id }],
    ['pushNotifications/deliveries', {}],
  ] as const)
    t.match((await call(server, method, params)).error, { code: -32003, message: /push\.enabled is false/ }, method)
  const inline = { configuration: { pushNotificationConfig: { url: URL_1 } } }
  t.equal((await trySend(server, 'No', { params: inline })).error.code, -32003)
  const card = await (await fetch(`${server.baseUrl}/.well-known/agent-card.json`)).json()
  t.equal((card as { capabilities: { pushNotifications?: boolean } }).capabilities.pushNotifications ?? false, false)
  const other = await startServer(t)
  const on = await (await fetch(`${other.baseUrl}/.well-known/agent-card.json`)).json()
  t.equal((on as { capabilities: { pushNotifications?: boolean } }).capabilities.pushNotifications, true)
})
