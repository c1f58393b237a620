import t from '../tap.ts'
import { post, userMessage } from '../wire/rpc.ts'
import { ask, call, getTask, send, sendPlans, textsOf, trySend } from './client.ts'
import { startServer } from './server.ts'

const limits = { maxPlansPerObjective: 3, maxTasksPerPlan: 5, maxDepth: 2, maxTextLength: 200, firstEventSeconds: 0.3 }
const server = await startServer(t, { config: { limits } })
const { agent } = server
t.beforeEach(() => agent.forget())

const draft = (plans: unknown) => trySend(server, 'Do it', { message: { metadata: { 'opt/v1/plans': plans } } })

t.test('drafts', async (t) => {
  const task = (name: string, ...dependencies: string[]) => ({ key: name, name, dependencies })
  const cases: [string, unknown, RegExp][] = [
    [
      'a cycle of tasks',
      [{ tasks: [task('a', 'c'), task('b', 'a'), task('c', 'b')] }],
      /a: it waits for itself: a → c → b → a/,
    ],
    ['a task that waits for itself', [{ tasks: [task('me', 'me')] }], /me/],
    [
      'a cycle of plans',
      [
        { key: 'p', dependencies: ['q'], tasks: ['x'] },
        { key: 'q', dependencies: ['p'], tasks: ['y'] },
      ],
      /\b[pq]\b/,
    ],
    ['an unknown task', [{ tasks: [task('a', 'ghost')] }], /ghost/],
    ['an unknown plan', [{ key: 'p', dependencies: ['ghost'], tasks: ['x'] }], /ghost/],
    ['two tasks under one key', [{ tasks: [task('twin'), task('twin')] }], /twin/],
    ['too many tasks', [{ key: 'crowd', tasks: ['a', 'b', 'c', 'd', 'e', 'f'] }], /5/],
    ['too many plans', Array.from({ length: 4 }, () => ({ tasks: ['x'] })), /3/],
    ['too deep', [{ tasks: [{ name: 'a', plans: [{ tasks: [{ name: 'b', plans: [{ tasks: ['c'] }] }] }] }] }], /2/],
    ['too long a name', [{ tasks: ['x'.repeat(201)] }], /200/],
  ]
  for (const [name, plans, message] of cases) {
    await t.test(name, async (t) => {
      const { error } = await draft(plans)
      t.ok([-31045, -31044].includes(error?.code), `${error?.code}: ${error?.message}`)
      t.match(error?.message, message)
    })
  }

  await t.test('what is no draft at all names the place', async (t) => {
    const { error } = await draft([{ tasks: [{ name: 5 }] }])
    t.match(error, { code: -32602, message: /tasks\[0\].*name/ })
  })

  await t.test('and so for plans that are added later', async (t) => {
    const { objective } = await ask(server, 'objectives/create', { name: 'Goal' })
    const tasks = [
      { key: 'a', name: 'a', dependencies: ['b'] },
      { key: 'b', name: 'b', dependencies: ['a'] },
    ]
    const { error } = await call(server, 'plans/create', { objectiveId: objective.id, name: 'Plan', tasks })
    t.match(error, { code: -31045, message: /\b[ab]\b/ })
    const ghost = { objectiveId: objective.id, name: 'Plan', dependencies: ['ghost'], tasks: [] }
    t.match((await call(server, 'plans/create', ghost)).error, { code: -31045, message: /ghost/ })
    for (const n of [1, 2, 3])
      await ask(server, 'plans/create', { objectiveId: objective.id, name: `Plan ${n}`, tasks: [{ name: 'x' }] })
    const fourth = await call(server, 'plans/create', {
      objectiveId: objective.id,
      name: 'Plan 4',
      tasks: [{ name: 'x' }],
    })
    t.match(fourth.error?.message, /3/, 'the limit is for all of them')
  })

  await t.test('nothing of a refused one is left', async (t) => {
    const before = await ask(server, 'tasks/list', {})
    await draft([{ tasks: [{ key: 'a', name: 'a', dependencies: ['a'] }] }])
    t.equal((await ask(server, 'tasks/list', {})).totalSize, before.totalSize)
  })
})

t.test('sizes', async (t) => {
  await t.test('ten megabytes are the limit, and more is refused with it', async (t) => {
    const message = userMessage('', { parts: [{ kind: 'text', text: 'x'.repeat(11 * 1024 * 1024) }] })
    const { status, body } = await post(
      server,
      JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }),
    )
    t.equal(status, 413)
    t.match(body.error.message, /10485760/)
  })

  await t.test('nine are taken, and handed on whole', async (t) => {
    const text = 'y'.repeat(9 * 1024 * 1024)
    const message = userMessage('', {
      parts: [
        { kind: 'text', text: 'Keep this' },
        { kind: 'text', text },
      ],
    })
    const task = await send(server, message)
    t.equal(task.status.state, 'completed')
    t.equal(agent.runsOf('Keep this')[0]?.told[1]?.length, text.length)
  })

  await t.test('deeply nested metadata does no harm', async (t) => {
    const nested = `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`
    const message = JSON.stringify(userMessage('Feed the cat')).replace('"kind"', `"metadata":${nested},"kind"`)
    const { body } = await post(
      server,
      `{"jsonrpc":"2.0","id":1,"method":"message/send","params":{"message":${message}}}`,
    )
    t.ok(body.result ?? body.error.code !== -32603, JSON.stringify(body).slice(0, 300))
    t.equal((await send(server, 'Feed the dog')).status.state, 'completed')
  })
})

t.test('characters that a database does not take', async (t) => {
  for (const [name, text] of [
    ['NUL', 'a\u0000b'],
    ['half a surrogate pair', 'a\ud800b'],
  ] as const) {
    await t.test(name, async (t) => {
      const others = [1, 2, 3].map((n) => send(server, `Besides ${n}`))
      const answers = await Promise.all([
        trySend(server, `Say ${text}`),
        trySend(server, 'Say it', { message: { metadata: { note: text } } }),
        trySend(server, 'Say it', { message: { contextId: text } }),
        trySend(server, 'Say it', { message: { messageId: text } }),
        call(server, 'tasks/get', { id: text }),
        call(server, 'tasks/list', { contextId: text }),
        call(server, 'objectives/get', { id: text }),
        call(server, 'objectives/create', { name: text }),
      ])
      for (const [i, { result, error }] of answers.entries()) {
        t.ok(result ?? error.code !== -32603, `${i}: ${JSON.stringify(error ?? 'taken')}`)
      }
      for (const task of await Promise.all(others)) t.equal(task.status.state, 'completed')
    })

    await t.test(`${name}, from an agent`, async (t) => {
      agent.when('Print', (run) => run.complete(`it is ${text}`))
      const task = await send(server, `Print ${name}`)
      t.match(task.status.state, /completed|failed/)
      agent.when('Ask', (run) => run.ask(`which ${text}?`))
      t.match((await send(server, `Ask ${name}`)).status.state, /input-required|failed/)
      agent.when('Throw', () => {
        throw new Error(`no ${text}`)
      })
      t.equal((await send(server, `Throw ${name}`)).status.state, 'failed')
    })
  }
})

t.test('what an agent may publish', async (t) => {
  await t.test('the same artifact many times, and very many parts', async (t) => {
    agent.when('Flood', async (run) => {
      for (let i = 0; i < 2_000; i += 1) run.chunk(`${i}`, { name: 'flood', append: i > 0, lastChunk: i === 1_999 })
      run.end('completed')
    })
    const task = await send(server, 'Flood')
    t.strictSame(
      textsOf(task.artifacts),
      Array.from({ length: 2_000 }, (_, i) => `${i}`),
    )
  })

  await t.test('nonsense fails the task, and not the server', async (t) => {
    for (const event of [{}, { kind: 'status', state: 'nonsense' }, { kind: 'artifact' }, null]) {
      agent.when('Babble', (run) => {
        run.events.publish(event as never)
        run.end('completed')
      })
      t.equal((await send(server, 'Babble')).status.state, 'failed', JSON.stringify(event))
    }
  })

  await t.test('names that mean something to JavaScript are refused', async (t) => {
    const message = JSON.parse('{"metadata":{"__proto__":{"polluted":true}}}')
    t.match((await trySend(server, 'Feed the cat', { message })).error, { code: -32602, message: /__proto__/ })
    t.notOk(({} as Record<string, unknown>)['polluted'])
  })
})

t.test('requests for more work than there is', async (t) => {
  const root = await sendPlans(server, [{ tasks: ['One'] }])
  t.equal((await getTask(server, root.id)).status.state, 'completed')
  const params = { message: { taskId: root.id, contextId: root.contextId } }
  t.equal((await trySend(server, 'More', params)).error.code, -32004)
  t.equal((await call(server, 'objectives/update', { id: root.contextId, status: 'working' })).error.code, -31042)
})
