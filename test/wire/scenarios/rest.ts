import type { Test } from 'tap'
import { type Answer, call, type Event, eventsOf, OPT, type Server, V1 } from '../rpc.ts'

interface RestAnswer {
  status: number
  type: string | null
  headers: Headers
  body: Answer
}

/** One request of the HTTP+JSON binding. */
async function ask(
  { baseUrl }: Server,
  verb: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<RestAnswer> {
  const response = await fetch(`${baseUrl}${path}`, {
    method: verb,
    headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const type = response.headers.get('content-type')
  return { status: response.status, type, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

let sent = 0
const message = (text: string, more: object = {}) => {
  sent += 1
  return { messageId: `rest-${process.pid}-${Date.now()}-${sent}`, role: 'ROLE_USER', parts: [{ text }], ...more }
}
const soon = { returnImmediately: true }

/** The HTTP+JSON binding, of both versions, by requests as they stand on the wire. (A2A 1.0 §11, 0.3 §3.2.3) */
export async function rest(t: Test, server: Server): Promise<void> {
  await t.test('1.0: send, get, list, cancel', async (t) => {
    const { status, type, body } = await ask(
      server,
      'POST',
      '/message:send',
      { message: message('What is 2 + 2?') },
      V1,
    )
    t.match({ status, type }, { status: 200, type: 'application/json; charset=utf-8' })
    t.match(body, { message: { role: 'ROLE_AGENT', parts: [{ text: '2 + 2 = 4' }] } })
    const started = await ask(server, 'POST', '/message:send', {
      message: message('Feed the cat'),
      configuration: soon,
    })
    t.match(started.body, { task: { id: String, status: { state: /^TASK_STATE_/ } } }, 'the path says the version')
    const { id, contextId } = started.body.task
    const got = await ask(server, 'GET', `/tasks/${id}?historyLength=0`, undefined, V1)
    t.match(got.body, { id, contextId })
    const bad = await ask(server, 'GET', `/tasks/${id}?historyLength=-1`, undefined, V1)
    t.match(bad, { status: 400, body: { error: { message: /historyLength/ } } })
    const listed = await ask(server, 'GET', `/tasks?context_id=${contextId}&page_size=5&includeArtifacts=true`)
    t.match(listed.body, { tasks: [{ id, artifacts: [] }], pageSize: 5, nextPageToken: '', totalSize: 1 })
    const canceled = await ask(server, 'POST', `/tasks/${id}:cancel`, undefined, V1)
    if (canceled.status === 200) t.equal(canceled.body.status.state, 'TASK_STATE_CANCELED')
    else t.match(canceled.body, { error: { status: 'FAILED_PRECONDITION' } }, 'it was done already')
  })

  await t.test('1.0: errors are google.rpc.Status with details', async (t) => {
    const missing = await ask(server, 'GET', '/tasks/none', undefined, V1)
    t.match(missing, {
      status: 404,
      body: {
        error: {
          code: 404,
          status: 'NOT_FOUND',
          message: 'Task not found: none',
          details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'TASK_NOT_FOUND' }],
        },
      },
    })
    const bad = await ask(server, 'POST', '/message:send', { message: message('', { parts: [] }) }, V1)
    t.match(bad, { status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT' } } })
    t.match(bad.body.error.details[1], { fieldViolations: [{ field: 'message.parts' }] })
    t.match(await ask(server, 'GET', '/tasks?pageSize=many'), { status: 400, body: { error: { message: /pageSize/ } } })
    t.match(await ask(server, 'POST', '/message:send', '{', V1), { status: 400 })
    t.match(await ask(server, 'POST', '/message:send', '[]', V1), { body: { error: { message: /body/ } } })
    const zipped = await ask(server, 'POST', '/message:send', '{}', { 'content-encoding': 'gzip' })
    t.match(zipped, { status: 400, body: { error: { message: /Content-Encoding was gzip/ } } })
    const plain = await ask(server, 'POST', '/message:send', 'hello', { 'content-type': 'text/plain', ...V1 })
    t.match(plain.body, { error: { details: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }] } })
  })

  await t.test('a path that is served otherwise says how', async (t) => {
    const wrong = await ask(server, 'GET', '/message:send', undefined, V1)
    t.match(wrong, { status: 405, body: { error: { message: /expected POST/ } } })
    t.equal(wrong.headers.get('allow'), 'POST')
    const task = await ask(server, 'PUT', '/default/tasks/some-task', {}, V1)
    t.match([task.status, task.headers.get('allow')], [405, 'GET'])
    for (const [verb, path] of [
      ['GET', '/tasks/x:cancel'],
      ['GET', '/v1/tasks/x:cancel'],
      ['DELETE', '/tasks/x:cancel'],
      ['GET', '/default/tasks/x:cancel'],
      ['GET', '/objectives/x:cancel'],
    ] as const) {
      const { status, headers, body } = await ask(server, verb, path)
      t.match([status, headers.get('allow')], [405, 'POST'], `${verb} ${path}`)
      t.match(JSON.stringify(body), /expected POST/)
    }
    t.equal((await ask(server, 'GET', '/tasks/x:y')).status, 404, 'that is no action')
    t.equal(
      (await ask(server, 'GET', '/tasks/x:subscribe')).status,
      404,
      'and that is one, of a task that is not there',
    )
    t.match(await ask(server, 'GET', '/nowhere/at/all', undefined, V1), { status: 404 })
    t.equal((await ask(server, 'HEAD', '/tasks', undefined, V1)).status, 200)
    const endless = await ask(server, 'HEAD', '/objectives/some-objective/events', undefined, V1)
    t.match([endless.status, endless.headers.get('allow')], [405, 'GET'], 'a stream without its events would never end')
  })

  await t.test('the version that the path says and the one that the header says', async (t) => {
    const body = { message: message('What is 2 + 2?') }
    for (const [path, version] of [['/message:send', '0.3'], ['/v1/message:send', '1.0'], ['/tasks/x', '2.0']] as const) {
      const { status, body: said } = await ask(server, path === '/tasks/x' ? 'GET' : 'POST', path,
        path === '/tasks/x' ? undefined : body, { 'A2A-Version': version })
      t.equal(status, 400)
      t.match(JSON.stringify(said), /supported|served/, `${version} at ${path}`)
    }
    const byQuery = await ask(server, 'GET', '/tasks/none?A2A-Version=9')
    t.match(byQuery.body, { error: { details: [{ reason: 'VERSION_NOT_SUPPORTED' }] } })
  }) // biome-ignore format: the cases stand beside each other

  await t.test("A2A's own media type is answered with itself, errors too", async (t) => {
    const headers = { 'content-type': 'application/a2a+json', ...V1 }
    const sentSo = await ask(server, 'POST', '/message:send', { message: message('What is 2 + 2?') }, headers)
    t.match(sentSo.type, /^application\/a2a\+json/)
    const accepted = await ask(server, 'GET', '/tasks/none', undefined, { accept: 'application/a2a+json', ...V1 })
    t.match(accepted, { status: 404, type: /^application\/a2a\+json/ })
    t.match((await ask(server, 'GET', '/tasks/none')).type, /^application\/json/)
    const refused = await ask(server, 'GET', '/tasks/none', undefined, { accept: 'application/a2a+json;q=0, */*' })
    t.match(refused.type, /^application\/json/, 'unless the request says that it does not take it')
    const loud = await ask(server, 'GET', '/tasks/none', undefined, {
      accept: 'text/html, Application/A2A+JSON; q=0.5',
    })
    t.match(loud.type, /^application\/a2a\+json/, 'in any case')
  })

  await t.test("a tenant in the path is the caller's own, or there is nothing", async (t) => {
    const own = await ask(server, 'POST', '/default/message:send', { message: message('What is 2 + 2?') }, V1)
    t.match(own.body, { message: { parts: [{ text: '2 + 2 = 4' }] } })
    t.equal((await ask(server, 'GET', '/default/tasks', undefined, V1)).status, 200)
    t.equal((await ask(server, 'GET', '/other/tasks', undefined, V1)).status, 404)
    t.equal((await ask(server, 'GET', '/tasks?tenant=other', undefined, V1)).status, 404)
    t.equal((await ask(server, 'GET', '/v1/extendedAgentCard', undefined, V1)).status, 404, '/v1 is no tenant')
  })

  await t.test('1.0: streams', async (t) => {
    const frames = await streamed(server, 'POST', '/message:stream', {
      message: message('Draw a sailboat on the ocean'),
    })
    t.match(frames[0]?.data, { task: { id: String } })
    t.equal(endOf(frames), 'TASK_STATE_COMPLETED')
    const id = frames[0]?.data.task.id
    for (const verb of ['GET', 'POST']) {
      const over = await ask(server, verb, `/tasks/${id}:subscribe`, undefined, V1)
      t.match(over, { status: 400, body: { error: { details: [{ reason: 'UNSUPPORTED_OPERATION' }] } } })
    }
    t.ok(Number(frames[0]?.id) > 0, 'and an id to come back with')
  })

  await t.test("0.3 writes its Protocol Buffers' JSON", async (t) => {
    const legacy = {
      messageId: `legacy-${message('').messageId}`,
      role: 'ROLE_USER',
      content: [{ text: 'What is 2 + 2?' }],
    }
    const answered = await ask(server, 'POST', '/v1/message:send', { request: legacy })
    t.match(answered.body, { message: { role: 'ROLE_AGENT', content: [{ text: '2 + 2 = 4' }] } })
    t.notOk(answered.body.message.kind)
    const said = message('Generate an image of a sailboat on the ocean.')
    const inJson = await ask(server, 'POST', '/v1/message:send', { message: { ...said, role: 'user' } })
    t.match(inJson.body, { task: { status: { state: 'TASK_STATE_COMPLETED' } } }, "JSON-RPC's spelling is read, too")
    const { id } = inJson.body.task
    const got = await ask(server, 'GET', `/v1/tasks/${id}?history_length=1`)
    t.match(got.body, { id, history: [{ content: [{ text: /sailboat/ }] }] })
    t.match(await ask(server, 'GET', '/v1/tasks/none'), { status: 404, body: { code: -32001, message: /none/ } })
    t.match(await ask(server, 'POST', `/v1/tasks/${id}:cancel`), { status: 400, body: { code: -32002 } })
    const frames = await streamed(server, 'POST', '/v1/message:stream', {
      message: { ...legacy, messageId: message('').messageId, content: [{ text: 'Draw a sailboat on the ocean' }] },
    })
    t.equal(endOf(frames), 'TASK_STATE_COMPLETED')
  })

  await t.test('enums may be written as their numbers', async (t) => {
    const modern = { ...message('What is 2 + 2?'), role: 1 }
    t.match(await ask(server, 'POST', '/message:send', { message: modern }), {
      status: 200,
      body: { message: { role: 'ROLE_AGENT' } },
    })
    const { messageId } = message('')
    const legacy = { messageId, role: 1, content: [{ text: 'What is 2 + 2?' }] }
    t.match(await ask(server, 'POST', '/v1/message:send', { request: legacy }), { status: 200 })
    const started = await ask(server, 'POST', '/message:send', {
      message: message('Feed the fish'),
      configuration: soon,
    })
    const { id, contextId } = started.body.task
    await ask(server, 'POST', `/tasks/${id}:cancel`)
    const { state } = (await ask(server, 'GET', `/tasks/${id}`)).body.status
    const number = { TASK_STATE_COMPLETED: 3, TASK_STATE_CANCELED: 5 }[state as string]
    const ended = await ask(server, 'GET', `/tasks?contextId=${contextId}&status=${number}`)
    t.match(ended.body, { tasks: [{ id }], totalSize: 1 }, state)
    for (const role of [0, 3, 1.5]) {
      const refused = await ask(server, 'POST', '/message:send', { message: { ...message('x'), role } })
      t.match(refused, { status: 400, body: { error: { message: /^message\.role: was/ } } }, `role ${role}`)
    }
  })

  await t.test('the extension has paths of its own', async (t) => {
    const created = await ask(server, 'POST', '/objectives', { name: 'Move house' })
    t.match(created, { status: 200, body: { objective: { id: String, name: 'Move house' } } })
    const { id } = created.body.objective
    const plan = await ask(server, 'POST', '/plans', { objective_id: id, name: 'Pack', tasks: [{ name: 'Books' }] })
    t.match(plan.body, { plan: { objectiveId: id, tasks: [{ name: 'Books', status: 'pending' }] } })
    t.match((await ask(server, 'GET', `/plans/${plan.body.plan.id}`)).body, { plan: { name: 'Pack' } })
    t.notOk((await ask(server, 'GET', `/objectives/${id}?includePlans=false`)).body.objective.plans)
    t.ok((await ask(server, 'GET', '/objectives?pageSize=1')).body.objectives.length <= 1)
    const renamed = await ask(server, 'PATCH', `/objectives/${id}`, { name: 'Move' })
    t.equal(renamed.body.objective.name, 'Move')
    t.match(await ask(server, 'PATCH', `/objectives/${id}`, { id: 'other' }), { status: 400 }, 'one id, not two')
    t.match((await ask(server, 'GET', '/objectives/none')).body, {
      error: { details: [{ reason: 'OBJECTIVE_NOT_FOUND' }] },
    })
    const echoed = await ask(server, 'GET', `/objectives/${id}`, undefined, { 'A2A-Extensions': OPT })
    t.equal(echoed.headers.get('a2a-extensions'), OPT)
    t.match((await ask(server, 'GET', `/v1/objectives/${id}`)).body, { objective: { id } })
    const colons = `urn:trip/${message('').messageId}/${'é'.repeat(400)}`
    await ask(server, 'POST', '/objectives', { id: colons, name: 'Travel' })
    const at = `/objectives/${encodeURIComponent(colons)}`
    t.match((await ask(server, 'GET', at)).body, { objective: { id: colons } })
    t.match((await ask(server, 'POST', `${at}:cancel`)).body, { objective: { id: colons, status: 'canceled' } })
    t.match((await ask(server, 'GET', `/default${at}`)).body, { objective: { id: colons } })
    const plans = [{ name: 'By van', tasks: [{ name: 'Pack' }] }]
    const changed = await ask(server, 'POST', `/objectives/${id}:replan`, { plans, reason: 'the train is full' })
    t.match(changed, { status: 200, body: { objective: { id } } })
    t.match(await ask(server, 'POST', `/v1/objectives/${id}:replan`, { plans }), { status: 200 })
    t.match(await ask(server, 'POST', '/objectives/none:replan', { plans }), { status: 404 })
    t.match(await ask(server, 'POST', `/objectives/${id}:replan`), {
      status: 400,
      body: { error: { message: /^plans/ } },
    })
    const canceled = await ask(server, 'POST', `/objectives/${id}:cancel`)
    t.equal(canceled.body.objective.status, 'canceled')
  })

  await t.test('JSON-RPC reads snake_case, too', async (t) => {
    const { messageId, parts } = message('What is 2 + 2?')
    const said = { message_id: messageId, role: 'ROLE_USER', parts, metadata: { keep_me: 1 } }
    const { result } = await call(
      server,
      'SendMessage',
      { message: said, configuration: { return_immediately: true } },
      V1,
    )
    t.match(result, { message: { parts: [{ text: '2 + 2 = 4' }] } })
  })
}

async function streamed(server: Server, verb: string, path: string, body: unknown) {
  const response = await fetch(`${server.baseUrl}${path}`, {
    method: verb,
    headers: { 'content-type': 'application/json', accept: 'text/event-stream' },
    body: JSON.stringify(body),
  })
  const frames = []
  for await (const event of eventsOf(response)) frames.push(event)
  return frames
}

/** The state in a stream's last frame: a task that has ended at once, or the update that ended it. */
function endOf(frames: readonly Event[]): string {
  const { task, statusUpdate } = frames.at(-1)?.data ?? {}
  return (task ?? statusUpdate)?.status.state
}
