import type { Run } from '../integration/scripted-agent.ts'
import { startServer } from '../integration/server.ts'
import t from '../tap.ts'
import { type Json, type MatrixClient, matrixClients } from './matrix-clients.ts'
import { legacyClients } from './matrix-legacy-clients.ts'

/** The same scenarios over every binding and version: what comes of them is the same, field by field. */

const PARTS: readonly Json[] = [
  { text: 'Mind the gap' },
  { text: 'marked', metadata: { lang: 'en' } },
  { data: { n: 1, deep: [{ yes: true }, 'two'] } },
  { raw: 'aGVsbG8=', mediaType: 'text/plain', filename: 'hello.txt' },
  { url: 'https://example.com/a.png', mediaType: 'image/png' },
]

let sent = 0
function request(text: string, more: Json = {}, parts: readonly Json[] = []): Json {
  sent += 1
  const message = { messageId: `matrix-${sent}`, role: 'ROLE_USER', parts: [{ text }, ...parts] }
  return { message, configuration: { returnImmediately: false, ...more } }
}

/** What is not the same twice: ids, times, and what bindings leave out or write as empty. */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value)
    .filter(([name]) => !/^(?:id|contextId|taskId|messageId|artifactId|timestamp)$/.test(name))
    .map(([name, member]) => [name, comparable(member)] as const)
    .filter(([, member]) => !isBlank(member))
  return Object.fromEntries(members.sort(([a], [b]) => (a < b ? -1 : 1)))
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === '' || value === false) return true
  return typeof value === 'object' && Object.keys(value).length === 0
}

/** Without what a forgetful client does not tell. */
function remembered(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(remembered)
  if (typeof value !== 'object' || value === null) return value
  const isPart = ['text', 'raw', 'url', 'data'].some((name) => name in value)
  const kept = Object.entries(value).filter(
    ([name]) => name !== 'filename' && name !== 'append' && !(isPart && name === 'metadata'),
  )
  return Object.fromEntries(kept.map(([name, member]) => [name, remembered(member)]))
}

async function all(frames: AsyncIterable<Json>): Promise<Json[]> {
  const found: Json[] = []
  for await (const frame of frames) found.push(frame)
  return found
}

async function failure(promise: Promise<unknown>): Promise<string> {
  return promise.then(
    () => 'none',
    (error: Error) => error.name,
  )
}

const idOf = ({ task }: Json): string => (task as { id: string }).id

/** Each resolves with what came of it. */
const SCENARIOS: Readonly<Record<string, (client: MatrixClient, agent: Agent) => Promise<unknown>>> = {
  'an answer': (client) => client.send(request('What is 2 + 2?')),
  'a task to its end': async (client, agent) => {
    agent.when('Paint', paints)
    const done = await client.send(request('Paint', {}, PARTS))
    return { done, again: await client.get(idOf(done)), short: await client.get(idOf(done), 1) }
  },
  'null is a value': async (client, agent) => {
    if (client.nullable === false) return true
    agent.when('Paint', paints)
    const data = { deep: [null], none: null }
    const { task } = await client.send(request('Paint', {}, [{ data }]))
    const [message] = (task as { history: { parts: Json[] }[] }).history
    return JSON.stringify(message?.parts[1]?.['data']) === JSON.stringify(data)
  },
  'a stream': async (client, agent) => {
    agent.when('Paint', paints)
    return all(client.stream(request('Paint')))
  },
  'a question and its answer': async (client, agent) => {
    agent.when('Ask', (run) => (run.context.answer ? run.complete() : run.ask('Which one?')))
    const asked = await client.send(request('Ask'))
    const { id, contextId } = asked['task'] as { id: string; contextId: string }
    const reply = request('The first')
    const answered = await client.send({ ...reply, message: { ...(reply['message'] as Json), taskId: id, contextId } })
    return { asked, answered }
  },
  'a cancel, and what follows it': async (client, agent) => {
    agent.when('Wait', (run) => run.left)
    const { task } = await client.send(request('Wait', { returnImmediately: true }))
    const { id } = task as { id: string }
    const canceled = await client.cancel(id)
    return { canceled, again: await failure(client.cancel(id)), followed: await failure(all(client.subscribe(id))) }
  },
  'an objective as one task': async (client) => {
    const { task } = await client.send(request('Research bees and write a summary'))
    const { status, artifacts } = task as Record<string, Json>
    return { state: status?.['state'], artifacts: Object.values(artifacts ?? {}).length }
  },
  'what is not there': async (client) => ({
    get: await failure(client.get('none')),
    cancel: await failure(client.cancel('none')),
    subscribe: await failure(all(client.subscribe('none'))),
  }),
}

type Agent = Awaited<ReturnType<typeof startServer>>['agent']

function paints(run: Run): void {
  run.say('working')
  run.chunk('a ', { lastChunk: false })
  run.chunk('sea', { append: true })
  run.complete()
}

t.test('every binding and version', async (t) => {
  const server = await startServer(t, {
    config: { grpc: { port: 0 }, limits: { firstEventSeconds: 0.05 } },
    agents: ['painter'],
  })
  const clients = [...(await matrixClients(server)), ...(await legacyClients(server))]
  t.teardown(() => clients.map((client) => client.close()))
  for (const [name, scenario] of Object.entries(SCENARIOS)) {
    await t.test(name, async (t) => {
      let first: unknown
      for (const client of clients) {
        server.agent.forget()
        const found = comparable(await scenario(client, server.agent))
        first ??= found
        if (client.forgetful) t.strictSame(remembered(found), remembered(first), client.name)
        else t.strictSame(found, first, client.name)
      }
    })
  }
})
