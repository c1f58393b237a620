import '../unit/property-seed.ts'
import { once } from 'node:events'
import fc from 'fast-check'
import { WebSocket } from 'ws'
import { createTrellis } from '../../src/a2a/core/core.ts'
import { SCOPES } from '../../src/a2a/identity.ts'
import type { Operation } from '../../src/a2a/operation.ts'
import { OPERATIONS } from '../../src/a2a/operations.ts'
import { type RestRoute, restRoutes } from '../../src/a2a/rest.ts'
import { ask } from '../integration/client.ts'
import { type ServerUnderTest, startServer } from '../integration/server.ts'
import t from '../tap.ts'
import { damage, damaged, mutated, mutations } from './mutations.ts'
import { type Known, paramsFor } from './requests.ts'

/** Stands in all that another tenant has. */
const SECRET = 'the-other-tenants-own'
const PATIENCE_MS = 20_000
const TRIES = Number(process.env['FUZZ_TRIES'] ?? 400)

/** What came back is an answer, whatever was asked: no failure of ours, and nothing of another tenant's. */
function blameless(status: number, text: string): void {
  if (status >= 500) throw new Error(`HTTP ${status}: ${text.slice(0, 500)}`)
  if (/"error":\{"code":(?:-32603|500)\b/.test(text)) throw new Error(text.slice(0, 500))
  if (text.includes(SECRET)) throw new Error(`another tenant's data: ${text.slice(0, 500)}`)
}

/** Asks, and reads the answer; of a stream, its first piece. */
async function answer(url: string, init: RequestInit): Promise<{ status: number; text: string }> {
  const controller = new AbortController()
  const timer = setTimeout(() => controller.abort(new Error('there was no answer')), PATIENCE_MS)
  try {
    const response = await fetch(url, { ...init, signal: controller.signal })
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      return { status: response.status, text: await response.text() }
    }
    const reader = response.body?.getReader()
    const { value } = (await reader?.read()) ?? {}
    return { status: response.status, text: Buffer.from(value ?? '').toString() }
  } finally {
    clearTimeout(timer)
    controller.abort()
  }
}

async function provide(server: ServerUnderTest): Promise<Known> {
  const other = { tenant: 'other', owner: 'other', scopes: SCOPES, extensions: [] }
  await createTrellis(server.app.core).createObjective(other, { id: SECRET, name: SECRET, plans: [] })
  const { objective } = await ask(server, 'objectives/create', {
    name: 'Fuzz',
    plans: [{ name: 'By hand', tasks: [{ name: 'One' }] }],
  })
  const message = { messageId: 'first', role: 'user', parts: [{ kind: 'text', text: 'Feed the cat' }] }
  const task = await ask(server, 'message/send', { message })
  const [plan] = objective.plans
  return { taskId: task.id, contextId: objective.id, planId: plan.id, manualTaskId: plan.tasks[0].id }
}

const versions = fc.constantFrom<Record<string, string>>(
  {},
  { 'a2a-version': '1.0' },
  { 'a2a-version': '0.3', 'x-a2a-extensions': 'https://github.com/zeroasterisk/a2a-opt/v1' },
  { 'a2a-extensions': 'https://github.com/zeroasterisk/a2a-opt/v1' },
  { 'a2a-version': 'x', 'last-event-id': 'y' },
)
// By where they stand in the table: a report that prints one is short.
const row = fc.nat(OPERATIONS.length - 1)
const ROUTES = restRoutes()

t.test('whatever is asked is answered', async (t) => {
  const unhandled: unknown[] = []
  const note = (error: unknown) => unhandled.push(error)
  process.on('unhandledRejection', note)
  t.teardown(() => process.off('unhandledRejection', note))
  const server = await startServer(t, { agents: [], config: { limits: { firstEventSeconds: 0.05 } } })
  const known = await provide(server)
  let tries = 0

  await t.test('over JSON-RPC', async () => {
    await fc.assert(
      fc.asyncProperty(row, mutations, versions, damage, async (at, changes, headers, how) => {
        tries += 1
        const operation = OPERATIONS[at] as Operation
        const rpc = { jsonrpc: '2.0', id: tries, method: operation.method, params: paramsFor(operation, known) }
        const body = damaged(JSON.stringify(mutated(rpc, changes)) ?? '', how)
        const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body }
        const { status, text } = await answer(`${server.baseUrl}/`, init)
        blameless(status, text)
      }),
      { numRuns: TRIES },
    )
  })

  await t.test('over HTTP+JSON', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(ROUTES.length - 1), mutations, versions, damage, async (at, changes, headers, how) => {
        tries += 1
        const route = ROUTES[at] as RestRoute
        const { url, init } = restRequest(route, mutated(paramsFor(route.operation, known), changes), headers, how)
        const { status, text } = await answer(`${server.baseUrl}${url}`, init)
        blameless(status, text)
      }),
      { numRuns: TRIES },
    )
  })

  await t.test('over WebSocket', async () => {
    let socket = await open(server)
    await fc.assert(
      fc.asyncProperty(row, mutations, damage, async (at, changes, how) => {
        tries += 1
        const operation = OPERATIONS[at] as Operation
        const rpc = { jsonrpc: '2.0', id: tries, method: operation.method, params: paramsFor(operation, known) }
        if (socket.readyState !== WebSocket.OPEN) socket = await open(server)
        const bytes = damaged(JSON.stringify(mutated(rpc, changes)) ?? '', how)
        for (const text of await answered(socket, bytes, tries)) blameless(200, text)
      }),
      { numRuns: TRIES },
    )
    socket.terminate()
  })

  t.equal((await ask(server, 'tasks/get', { id: known.taskId })).id, known.taskId, 'it serves as before')
  t.equal(({} as { polluted?: boolean }).polluted, undefined)
  t.strictSame(unhandled, [])
  t.comment(`${tries} tries`)
})

function restRequest(
  route: RestRoute,
  given: unknown,
  headers: Record<string, string>,
  how: Parameters<typeof damaged>[1],
) {
  const params = typeof given === 'object' && given !== null ? (given as Record<string, unknown>) : {}
  const path = route.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(
      String(name === 'tenant' ? 'default' : (params[name] ?? 'none'))
        .toWellFormed()
        .slice(0, 2_000),
    ),
  )
  if (route.verb === 'GET' || route.verb === 'DELETE') {
    const query = new URLSearchParams(
      Object.entries(params).map(([name, value]): [string, string] => [name, String(value).slice(0, 2_000)]),
    )
    return { url: `${path}?${query}`, init: { method: route.verb, headers } }
  }
  const body = damaged(JSON.stringify(given) ?? '', how)
  return { url: path, init: { method: route.verb, headers: { 'content-type': 'application/json', ...headers }, body } }
}

async function open({ baseUrl }: ServerUnderTest): Promise<WebSocket> {
  const socket = new WebSocket(`${baseUrl.replace(/^http/, 'ws')}/ws`)
  socket.on('error', () => undefined)
  await once(socket, 'open')
  return socket
}

/** What comes until a request that is right is answered, or the socket is closed for what was sent. */
async function answered(socket: WebSocket, bytes: Buffer, n: number): Promise<string[]> {
  const texts: string[] = []
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const timer = setTimeout(() => reject(new Error('there was no answer')), PATIENCE_MS)
  const hear = (data: Buffer) => {
    texts.push(String(data))
    if (texts.at(-1)?.includes(`"ping-${n}"`)) resolve()
  }
  socket.on('message', hear).once('close', resolve)
  socket.send(bytes, { binary: false })
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: `ping-${n}`, method: 'tasks/get', params: { id: 'none' } }))
  await promise
  clearTimeout(timer)
  socket.off('message', hear).off('close', resolve)
  return texts
}
