import { once } from 'node:events'
import pg from 'pg'
import type { Test } from 'tap'
import t from '../tap.ts'
import { userMessage } from '../wire/rpc.ts'
import { type Answer, ask, getObjective, getTask, send, sendPlans, trySend, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { type ServerUnderTest, startServer } from './server.ts'
import { createDatabase, POSTGRES } from './test-database.ts'

const config = { limits: { concurrentTasksPerObjective: 40, firstEventSeconds: 0.3 } }
const database = await createDatabase()
t.teardown(() => database.drop())
const server = await startServer(t, { config, agents: ['racer'], database })
/** On a Postgres, a second one on the same database; the embedded one has a single opener. */
const other = POSTGRES === undefined ? server : await startServer(t, { config, agents: ['racer'], database })
const { agent } = server
t.beforeEach(() => agent.forget())

/** Every event of every context is there once, from 1 on, and every counter is what its rows say. */
async function isSound(t: Test, { query }: ServerUnderTest): Promise<void> {
  const gaps = await query(
    `SELECT c.key FROM context c LEFT JOIN event e ON e.context_key = c.key GROUP BY c.key
     HAVING count(e.seq) <> coalesce(max(e.seq), 0) OR max(c.seq) <> coalesce(max(e.seq), 0)`,
  )
  t.strictSame(gaps, [], 'no event is missing or doubled')
  const counters = await query(
    `SELECT p.id, p.completed, count(t.id)::int AS actual FROM plan p
     LEFT JOIN task t ON t.plan_id = p.id AND t.state = 'completed' GROUP BY p.id HAVING p.completed <> count(t.id)`,
  )
  t.strictSame(counters, [], 'plans count their tasks')
  const running = await query(
    `SELECT c.key, c.running, count(t.id)::int AS actual FROM context c
     LEFT JOIN task t ON t.context_key = c.key AND t.state = 'working' AND t.kind = 'executed'
     GROUP BY c.key HAVING c.running <> count(t.id)`,
  )
  t.strictSame(running, [], 'contexts count what runs')
}

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)

t.test('24 tasks of one objective that finish at once', async (t) => {
  for (let round = 0; round < 3; round += 1) {
    agent.forget()
    agent.when(/./, held)
    const tasks = numbers(24).map((i) => `Round ${round}, task ${i}`)
    const root = await sendPlans(
      server,
      [
        { key: 'all', tasks },
        { dependencies: ['all'], tasks: ['After all'] },
      ],
      { wait: false },
    )
    await agent.nextRun(24)
    for (const run of agent.runs.slice(0, 24)) run.complete()
    ;(await agent.begun('After all')).complete()
    t.equal((await until(other, root.id)).status.state, 'completed')
    t.match(await getObjective(other, root.contextId), { status: 'completed', progress: { total: 25, completed: 25 } })
  }
  await isSound(t, server)
})

t.test('fifty objectives at once', async (t) => {
  const roots = await Promise.all(
    numbers(50).map((i) =>
      sendPlans(i % 2 ? server : other, [
        { tasks: [`${i} a`, `${i} b`, { name: `${i} c`, dependencies: ['task-1', 'task-2'] }] },
      ]),
    ),
  )
  for (const root of roots) t.equal(root.status.state, 'completed')
  t.equal(new Set(agent.runs.map(({ text }) => text)).size, 150)
  t.equal(agent.runs.length, 150, 'each task was done once')
  await isSound(t, server)
})

t.test('two groups with the same contexts in opposite order', async (t) => {
  const made = await Promise.all(numbers(20).map((i) => ask(server, 'objectives/create', { name: `Goal ${i}` })))
  const ids: string[] = made.map(({ objective }) => objective.id)
  const rename = (to: ServerUnderTest, id: string, name: string) => ask(to, 'objectives/update', { id, name })
  for (const round of numbers(5)) {
    await Promise.all([
      ...ids.map((id) => rename(server, id, `one ${round}`)),
      ...ids.toReversed().map((id) => rename(other, id, `other ${round}`)),
    ])
  }
  const updates = await server.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM event e JOIN context c ON c.key = e.context_key
     WHERE e.type = 'objective.updated' AND c.wire_id = ANY($1::text[]) GROUP BY c.key`,
    ids,
  )
  t.strictSame(
    updates.map(({ count }) => count),
    ids.map(() => 10),
    'every one of them landed, once',
  )
  await isSound(t, server)
})

t.test('the same message in two groups', async (t) => {
  for (const contextId of [undefined, 'of-two']) {
    const message = userMessage('Do it once', contextId === undefined ? {} : { contextId })
    agent.forget()
    const tasks = await Promise.all(numbers(30).map((i) => send(i % 2 ? server : other, message)))
    t.equal(new Set(tasks.map(({ id }) => id)).size, 1)
    t.equal(agent.runsOf('Do it once').length, 1)
  }
  const questions = numbers(10).map(() => userMessage('What is 2 + 3?'))
  const answers = await Promise.all(questions.flatMap((question) => [send(server, question), send(other, question)]))
  for (const i of numbers(10)) t.equal(answers[2 * i].messageId, answers[2 * i + 1].messageId)
})

t.test('the same new context for many messages', async (t) => {
  const tasks = await Promise.all(
    numbers(20).map((i) => send(i % 2 ? server : other, `Share ${i}`, { message: { contextId: 'shared' } })),
  )
  t.equal(new Set(tasks.map(({ id }) => id)).size, 20)
  const { totalSize } = await ask(server, 'tasks/list', { contextId: 'shared' })
  t.equal(totalSize, 20, 'all in one context')
  await isSound(t, server)
})

t.test('a bad one among many fails alone', async (t) => {
  const contextId = 'mixed'
  const good = numbers(20).map((i) => trySend(server, `Good ${i}`, { message: { contextId } }))
  const held = await send(server, 'A task that is over')
  const bad = [
    trySend(server, 'Bad', { message: { contextId, referenceTaskIds: ['none'] } }),
    trySend(server, 'Bad', { message: { taskId: held.id } }),
    trySend(server, 'Bad', {
      message: { contextId, metadata: { 'opt/v1/plans': [{ tasks: [{ name: 'a', dependencies: ['b'] }] }] } },
    }),
  ]
  for (const answer of await Promise.all(good)) t.equal(answer.result?.status.state, 'completed')
  t.strictSame(
    (await Promise.all(bad)).map(({ error }) => error.code),
    [-32001, -32004, -31045],
  )
})

t.test('canceled and finished at once: one or the other, and it stays so', async (t) => {
  agent.when(/./, held)
  const tasks: Answer[] = await Promise.all(numbers(20).map((i) => send(server, `Either ${i}`, { wait: false })))
  const runs = await Promise.all(tasks.map((_, i) => agent.begun(new RegExp(`^Either ${i}$`))))
  const said = await Promise.all(
    tasks.map(async ({ id }, i) => {
      runs[i]?.complete()
      return ask(other, 'tasks/cancel', { id }).catch((error) => error)
    }),
  )
  for (const [i, { id }] of tasks.entries()) {
    const { status } = await until(server, id)
    t.equal(status.state, said[i] instanceof Error ? 'completed' : 'canceled')
    t.equal((await getTask(other, id)).status.state, status.state)
  }
  await isSound(t, server)
})

t.test('answered twice at once: the first answer wins', async (t) => {
  agent.when('Ask', (run) => {
    const { answer } = run.context
    if (answer === undefined) run.ask('which?')
    else run.complete(JSON.stringify(answer.parts))
  })
  const task = await send(server, 'Ask')
  const answers = await Promise.all(
    ['one', 'two'].map((text, i) => trySend(i ? other : server, text, { message: { taskId: task.id } })),
  )
  const done = await until(server, task.id)
  t.equal(done.status.state, 'completed')
  t.equal(agent.runsOf('Ask').length, 2, 'the agent was given one answer')
  t.ok(answers.some(({ result }) => result))
})

t.test(
  'a context that another connection has locked',
  { skip: POSTGRES === undefined && 'needs a Postgres' },
  async (t) => {
    const task = await send(server, 'Be there', { message: { contextId: 'locked' } })
    const client = new pg.Client({ connectionString: database.url })
    await client.connect()
    await client.query('BEGIN')
    await client.query('SELECT 1 FROM context WHERE wire_id = $1 FOR UPDATE', [task.contextId])
    let released = false
    const stuck = send(server, 'Wait for the lock', { message: { contextId: 'locked' } }).then((done) => [
      done,
      released,
    ])
    const others = await Promise.all(numbers(10).map((i) => send(server, `Go on ${i}`)))
    for (const one of others) t.equal(one.status.state, 'completed', 'others do not wait for it')
    released = true
    await client.query('COMMIT')
    const [done, after] = await stuck
    t.equal(done.status.state, 'completed')
    t.ok(after, 'it waited')
    const ended = once(client, 'end')
    await client.end()
    await ended
  },
)

t.test(
  'two servers share the work, and both stream all of it',
  { skip: POSTGRES === undefined && 'needs a Postgres' },
  async (t) => {
    const small = { ...config, runner: { capacity: 4, pollSeconds: 1 } }
    const shared = await createDatabase()
    const servers = [
      await startServer(t, { config: small, agents: ['sharer'], database: shared }),
      await startServer(t, { config: small, agents: ['sharer'], database: shared }),
    ] as [ServerUnderTest, ServerUnderTest]
    t.teardown(() => shared.drop())
    const sharer = servers[0].agent
    sharer.when(/./, held)
    const tasks = numbers(8).map((i) => `Part ${i}`)
    const root = await sendPlans(servers[0], [{ tasks }], { wait: false })
    await sharer.nextRun(8)
    const holders = await servers[0].query<{ count: number }>(
      'SELECT count(*)::int AS count FROM task WHERE runner IS NOT NULL GROUP BY runner',
    )
    t.strictSame(
      holders.map(({ count }) => count),
      [4, 4],
      'four each',
    )
    const following = servers.map((each) => until(each, root.id))
    for (const run of sharer.runs.slice(0, 8)) run.complete()
    const ends = await Promise.all(following)
    t.strictSame(ends[0], ends[1])
    t.equal(ends[0]?.status.state, 'completed')
    await isSound(t, servers[0])
  },
)
