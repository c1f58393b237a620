import pg from 'pg'
import t from '../tap.ts'
import { post, userMessage } from '../wire/rpc.ts'
import { type Answer, call, getObjective, getTask, send, sendPlans, tasksOf, trySend, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { type ServerUnderTest, startServer } from './server.ts'
import { POSTGRES } from './test-database.ts'

const skip = POSTGRES === undefined && 'needs a Postgres'
const UNAVAILABLE = 'UNAVAILABLE'

/** Kills every connection that the server has, as a restart of the database does. */
async function killAll({ database }: ServerUnderTest): Promise<void> {
  await onServer(
    'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
    nameOf(database.url),
  )
}

/** While it is closed, nobody gets in. */
async function setOpen({ database }: ServerUnderTest, open: boolean): Promise<void> {
  await onServer(`ALTER DATABASE ${nameOf(database.url)} WITH ALLOW_CONNECTIONS ${open}`)
}

function nameOf(url = ''): string {
  return new URL(url).pathname.slice(1)
}

async function onServer(sql: string, ...params: unknown[]): Promise<void> {
  const client = new pg.Client({ connectionString: POSTGRES })
  await client.connect()
  await client.query(sql, params)
  await client.end()
}

t.test('connections that are killed again and again under load', { skip }, async (t) => {
  const server = await startServer(t)
  const messages = Array.from({ length: 150 }, (_, i) => userMessage(`Job ${i}.`))
  const first: Answer[] = []
  const sending = messages.map(async (message, i) => {
    await new Promise((resolve) => setTimeout(resolve, i * 4))
    first[i] = await trySend(server, message)
    if (i % 30 === 10) await killAll(server)
  })
  await Promise.all(sending)
  const failed = first.filter(({ error }) => error)
  t.comment(`${failed.length} of ${messages.length} failed`)
  for (const { error } of failed) t.match(error, { code: -32603, message: /database.*[Tt]ry again/ })

  const again = await Promise.all(messages.map((message) => send(server, message)))
  for (const [i, task] of again.entries()) {
    const done = await until(server, task.id).catch(() => getTask(server, task.id))
    t.equal(done.status.state, 'completed', `job ${i}`)
    if (first[i].result) t.equal(first[i].result.id, task.id, 'the same task as the first time')
  }
  const rows = await server.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM task t JOIN message m ON m.task_id = t.id GROUP BY m.body ->> 'messageId' HAVING count(DISTINCT t.id) > 1`,
  )
  t.strictSame(rows, [], 'no message became two tasks')
  const gaps = await server.query(
    `SELECT c.key FROM context c JOIN event e ON e.context_key = c.key GROUP BY c.key, c.seq
     HAVING count(*) <> max(e.seq) OR c.seq <> max(e.seq)`,
  )
  t.strictSame(gaps, [])
})

t.test('a database that is away for a while', { skip }, async (t) => {
  const server = await startServer(t, { config: { runner: { pollSeconds: 0.2 } } })
  const { agent } = server
  agent.when(/^Work/, held)
  const root = await sendPlans(server, [{ tasks: ['Work', { name: 'After', dependencies: ['task-1'] }] }], {
    wait: false,
  })
  const run = await agent.begun('Work')
  const following = until(server, root.id)
  await setOpen(server, false)
  await killAll(server)

  const refused = await trySend(server, 'Feed the cat')
  t.match(refused.error, { code: -32603, message: /database cannot be reached/ })
  const modern = await call(server, 'GetTask', { id: root.id }, { 'A2A-Version': '1.0' })
  t.match(modern.error?.data, [{ reason: UNAVAILABLE }])
  const { status, headers } = await post(
    server,
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/list', params: {} }),
  )
  t.comment(`tasks/list: HTTP ${status}, Retry-After ${headers.get('retry-after')}`)
  t.equal((await fetch(`${server.baseUrl}/readyz`)).status, 503)
  t.equal((await fetch(`${server.baseUrl}/healthz`)).status, 200)
  run.complete('done while nobody could note it')

  await setOpen(server, true)
  t.equal((await following).status.state, 'completed', 'the outcome was not lost, and the stream went on')
  t.strictSame(agent.runsOf('After')[0]?.told, ['After', 'done while nobody could note it'])
  t.equal(agent.runsOf('Work').length, 1, 'the work was not done twice')
  t.equal((await fetch(`${server.baseUrl}/readyz`)).status, 200)
  t.equal((await send(server, 'Feed the cat')).status.state, 'completed')
  t.match(await getObjective(server, root.contextId), { status: 'completed', progress: { completed: 2 } })
  t.match(await tasksOf(server, root.contextId), { Work: { status: 'completed' } })
})
