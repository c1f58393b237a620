import { status } from '@grpc/grpc-js'
import t from '../tap.ts'
import { call, open, post } from '../wire/rpc.ts'
import { Socket } from '../wire/socket.ts'
import { Bytes, endOf, RawClient } from './grpc-raw.ts'
import { addKey } from './principals.ts'
import { startServer } from './server.ts'

const LIST = { jsonrpc: '2.0', id: 7, method: 'tasks/list', params: {} }
const JSON_BODY = { 'Content-Type': 'application/json' }
const keyed = (limits: object) => ({ config: { auth: { mode: 'apiKeys' }, limits } })

t.test('who calls too often in a minute is told when to come back; others are not', async (t) => {
  const server = await startServer(t, keyed({ requestsPerMinute: 5 }))
  const mary = await addKey(server, { principal: 'mary' })
  const again = await addKey(server, { principal: 'mary' })
  const john = await addKey(server)
  for (let n = 0; n < 5; n += 1) t.equal((await post(server, JSON.stringify(LIST), mary.headers)).status, 200)
  const over = await post(server, JSON.stringify(LIST), mary.headers)
  t.match(over, {
    status: 429,
    body: { id: 7, error: { code: -31429, message: /More than 5 calls.*try again in \d+ s/ } },
  })
  const seconds = Number(over.headers.get('retry-after'))
  t.ok(seconds >= 1 && seconds <= 60, `Retry-After: ${seconds}`)
  t.equal(over.body.error.data.retryAfterSeconds, seconds)
  t.equal((await post(server, JSON.stringify(LIST), again.headers)).status, 429, 'whatever key it uses')
  const rest = await fetch(`${server.baseUrl}/tasks`, { headers: mary.headers })
  t.match([rest.status, await rest.json()], [429, { error: { status: 'RESOURCE_EXHAUSTED' } }])
  t.match(rest.headers.get('retry-after'), /^\d+$/)
  const socket = await Socket.open(server, mary.headers)
  t.match(await socket.call('tasks/list'), { id: 1, error: { code: -31429 } })
  await socket.close()
  t.equal((await post(server, JSON.stringify(LIST), john.headers)).status, 200)
})

t.test('calls count one by one, however they come', async (t) => {
  const server = await startServer(t, keyed({ requestsPerMinute: 5 }))
  const { headers } = await addKey(server)
  const { body } = await post(server, JSON.stringify(Array.from({ length: 8 }, (_, id) => ({ ...LIST, id }))), headers)
  t.equal(body.filter(({ result }: { result?: object }) => result).length, 5)
  const socket = await Socket.open(server, headers)
  t.match(await socket.call('tasks/resubscribe', { id: 'task-1' }), { error: { code: -31429 } })
  await socket.close()
})

t.test('whatever is asked counts, also what is refused', async (t) => {
  const server = await startServer(t, { config: { ...keyed({ requestsPerMinute: 2 }).config, grpc: { port: 0 } } })
  const rpc = (body: unknown) => async (headers: Record<string, string>) => {
    const { body: answer } = await post(server, typeof body === 'string' ? body : JSON.stringify(body), headers)
    return (Array.isArray(answer) ? answer[0] : answer).error?.code
  }
  const rest = (path: string, options: RequestInit) => async (headers: Record<string, string>) => {
    const response = await fetch(`${server.baseUrl}${path}`, {
      ...options,
      headers: { ...headers, ...options.headers },
    })
    return response.status === 429 ? -31429 : response.status
  }
  const socket = (text: string) => async (headers: Record<string, string>) => {
    const one = await Socket.open(server, headers)
    one.send(text)
    const { error } = await one.next()
    await one.close()
    return error.code
  }
  const grpc = async (headers: Record<string, string>) => {
    const client = new RawClient(t, server.grpc ?? '')
    const { code } = await endOf(client.unary('getTask', new Bytes(Buffer.from([0xff])), headers))
    return code === status.RESOURCE_EXHAUSTED ? -31429 : code
  }
  const asked = {
    'a method that is not there': rpc({ ...LIST, method: 'nothing/atAll' }),
    'no JSON': rpc('{'),
    'no request': rpc({ id: 1 }),
    'params that are wrong': rpc({ ...LIST, method: 'tasks/get' }),
    'a batch of nothing': rpc([]),
    'members of a batch that are nothing': rpc([5]),
    'a stream': rpc({ ...LIST, method: 'message/stream' }),
    'a body that is no JSON over REST': rest('/message:send', { method: 'POST', body: '{', headers: JSON_BODY }),
    'a media type that is not served over REST': rest('/message:send', { method: 'POST', body: 'x' }),
    'a stream over REST': rest('/message:stream', { method: 'POST', body: '{}', headers: JSON_BODY }),
    'a frame that is no JSON': socket('{'),
    'stream/cancel': socket(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'stream/cancel', params: { id: 5 } })),
    'a message that is none over gRPC': grpc,
  }
  for (const [what, ask] of Object.entries(asked)) {
    const { headers } = await addKey(server)
    const codes = [await ask(headers), await ask(headers), await ask(headers)]
    t.same(
      codes.map((code) => code === -31429),
      [false, false, true],
      `${what}: ${codes}`,
    )
  }
})

t.test('nothing is said to notifications, also when they are too many', async (t) => {
  const server = await startServer(t, keyed({ requestsPerMinute: 1 }))
  const { headers } = await addKey(server)
  const { id: _, ...notification } = LIST
  t.equal((await post(server, JSON.stringify(LIST), headers)).status, 200)
  const socket = await Socket.open(server, headers)
  socket.send(JSON.stringify(notification))
  socket.send(JSON.stringify([notification, { ...LIST, id: 8 }]))
  t.match(await socket.next(), { length: 1, 0: { id: 8, error: { code: -31429 } } })
  t.match(await socket.call('tasks/list'), { id: 1, error: { code: -31429 } })
  await socket.close()
})

t.test('where nobody says who calls, each address has its own', async (t) => {
  const server = await startServer(t, {
    config: { limits: { requestsPerMinute: 2 }, server: { trustedProxies: ['127.0.0.1'] } },
  })
  const from = (address: string) => post(server, JSON.stringify(LIST), { 'X-Forwarded-For': address })
  t.same([(await from('192.0.2.1')).status, (await from('192.0.2.1')).status], [200, 200])
  t.equal((await from('192.0.2.1')).status, 429)
  t.equal((await from('192.0.2.2')).status, 200)
  t.equal((await from('::ffff:192.0.2.1')).status, 429, 'however it is written')
  t.same([(await from('2001:db8::1')).status, (await from('2001:db8::2')).status], [200, 200])
  t.equal((await from('2001:db8::3')).status, 429, 'a network of IPv6 is one')
  t.equal((await from('2001:db8:0:1::1')).status, 200)
})

t.test('a proxy that is not trusted speaks for itself', async (t) => {
  const server = await startServer(t, { config: { limits: { requestsPerMinute: 1 } } })
  const from = (address: string) => post(server, JSON.stringify(LIST), { 'X-Forwarded-For': address })
  t.same([(await from('192.0.2.1')).status, (await from('192.0.2.2')).status], [200, 429])
})

t.test('who guesses keys is slowed down', async (t) => {
  const server = await startServer(t, keyed({ requestsPerMinute: 3 }))
  const { headers } = await addKey(server)
  const guess = () => post(server, JSON.stringify(LIST), { 'X-API-Key': 'guess' })
  t.same([(await guess()).status, (await guess()).status, (await guess()).status], [401, 401, 401])
  t.equal((await guess()).status, 429)
  t.equal((await post(server, JSON.stringify(LIST), headers)).status, 200, 'and nobody else at that address')
})

t.test('streams of one principal, and followers of one thing, are bounded', async (t) => {
  const server = await startServer(t, keyed({ streamsPerPrincipal: 3, subscribersPerTask: 2 }))
  const mary = await addKey(server)
  const make = async (headers: Record<string, string>) =>
    (await call(server, 'objectives/create', { name: 'O' }, headers)).result.objective.id
  const [first, second] = [await make(mary.headers), await make(mary.headers)]
  const follow = async (id: string, { headers } = mary) => {
    const stream = await open(server, 'objectives/subscribe', { id }, headers)
    return { stream, first: await stream.events.next().catch(() => undefined), status: stream.response.status }
  }
  const opened = [await follow(first), await follow(first)]
  for (const { first } of opened) t.match(first, { value: { data: { result: { snapshot: {} } } } })
  const third = await call(server, 'objectives/subscribe', { id: first }, mary.headers)
  t.match(third, { error: { code: -31044, message: /2 followers/ } })
  opened.push(await follow(second))
  const fourth = await call(server, 'objectives/subscribe', { id: second }, mary.headers)
  t.match(fourth, { error: { code: -31044, message: /3 open streams/ } })
  const socket = await Socket.open(server, mary.headers)
  t.match(await socket.call('objectives/subscribe', { id: second }), { error: { code: -31044 } })
  const john = await addKey(server)
  t.match((await follow(await make(john.headers), john)).first, { done: false }, 'others have their own')
  opened[0]?.stream.leave()
  let answer = await socket.call('objectives/subscribe', { id: second })
  while (answer.error) answer = await socket.call('objectives/subscribe', { id: second })
  t.match(answer.result, { snapshot: {} }, 'who leaves makes room')
  await socket.close()
  for (const { stream } of opened) stream.leave()
})
