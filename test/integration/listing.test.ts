import t from '../tap.ts'
import { V1 } from '../wire/rpc.ts'
import { type Answer, ask, call, OPT_03, send, sendPlans, tasksOf, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t)
const { agent } = server

/** Every page of a list, from the first to the last. */
async function pages(method: string, params: object, between: () => Promise<unknown> = async () => undefined) {
  const found: Answer[] = []
  let pageToken = ''
  do {
    const page = await ask(server, method, { ...params, pageSize: 4, pageToken })
    found.push(...(page.tasks ?? page.objectives))
    pageToken = page.nextPageToken
    await between()
  } while (pageToken !== '')
  return found
}
const idsOf = (items: Answer[]): string[] => items.map(({ id }) => id)

t.test('tasks/list', async (t) => {
  const made: Answer[] = []
  for (let i = 0; i < 11; i += 1) made.push(await send(server, `Job ${i}`, { message: { contextId: 'list' } }))

  await t.test('newest status first, page by page, with the total', async (t) => {
    const { totalSize, pageSize, tasks } = await ask(server, 'tasks/list', { contextId: 'list', pageSize: 4 })
    t.match({ totalSize, pageSize, length: tasks.length }, { totalSize: 11, pageSize: 4, length: 4 })
    t.strictSame(idsOf(await pages('tasks/list', { contextId: 'list' })), idsOf(made).reverse())
    t.equal((await ask(server, 'tasks/list', { contextId: 'list', pageSize: 11 })).nextPageToken, '')
  })

  await t.test('while others are made, no task of before is missing or comes twice', async (t) => {
    let more = 0
    const during = () => {
      more += 1
      return send(server, `More ${more}`, { message: { contextId: 'list' } })
    }
    const found = idsOf(await pages('tasks/list', { contextId: 'list' }, during))
    t.strictSame(
      found.filter((id) => idsOf(made).includes(id)),
      idsOf(made).reverse(),
    )
    t.equal(new Set(found).size, found.length)
  })

  await t.test('tasks that moved in the same transaction all have their place', async (t) => {
    const root = await sendPlans(server, [{ tasks: Array.from({ length: 9 }, (_, i) => `Twin ${i}`) }])
    const found = idsOf(await pages('tasks/list', { contextId: root.contextId }))
    t.equal(found.length, 10)
    t.equal(new Set(found).size, 10)
  })

  await t.test('by state and by time', async (t) => {
    agent.when('Long', held)
    const long = await send(server, 'Long', { wait: false, message: { contextId: 'filters' } })
    const done = await send(server, 'Short', { message: { contextId: 'filters' } })
    const list = async (params: object) =>
      idsOf((await ask(server, 'tasks/list', { contextId: 'filters', ...params })).tasks)
    t.strictSame(await list({ status: 'working' }), [long.id])
    t.strictSame(await list({ status: 'completed' }), [done.id])
    t.strictSame(await list({ status: 'failed' }), [])
    const numbered = async (status: number) => {
      const response = await fetch(`${server.baseUrl}/tasks?contextId=filters&status=${status}`)
      return idsOf(((await response.json()) as { tasks: { id: string }[] }).tasks)
    }
    t.strictSame([await numbered(2), await numbered(3), await numbered(4)], [[long.id], [done.id], []], 'by number')
    t.strictSame(await list({ statusTimestampAfter: done.status.timestamp }), [done.id])
    const { timestamp } = done.status
    const digits = (more: string) => timestamp.replace('Z', `${more}Z`)
    t.strictSame(await list({ statusTimestampAfter: digits('000') }), [done.id])
    t.strictSame(await list({ statusTimestampAfter: digits('000001') }), [], 'it is a little before that')
    const before = new Date(Date.parse(timestamp) - 1).toISOString()
    t.strictSame(await list({ statusTimestampAfter: before.replace('Z', '999Z') }), [done.id], 'and after this')
    t.strictSame(await list({ statusTimestampAfter: new Date(Date.now() + 60_000).toISOString() }), [])
    t.strictSame(await list({}), [done.id, long.id])
    ;(await agent.begun('Long')).complete()
    await until(server, long.id)
  })

  await t.test('with artifacts and history only when asked for', async (t) => {
    const { tasks } = await ask(server, 'tasks/list', { contextId: 'list', pageSize: 1 })
    t.notOk(tasks[0].artifacts)
    t.notOk(tasks[0].history?.length)
    const params = { contextId: 'list', pageSize: 1, includeArtifacts: true, historyLength: 5 }
    t.match((await ask(server, 'tasks/list', params)).tasks, [{ artifacts: [{ name: 'result' }], history: [{}] }])
  })

  await t.test('with OPT, an objective is its tasks, without the one that stands for all', async (t) => {
    const root = await sendPlans(server, [{ tasks: ['One', 'Two'] }])
    const { tasks, totalSize } = await ask(server, 'tasks/list', { contextId: root.contextId }, OPT_03)
    const inner = Object.values(await tasksOf(server, root.contextId)) as Answer[]
    t.strictSame(idsOf(tasks).sort(), idsOf(inner).sort())
    t.equal(totalSize, 2)
  })

  await t.test('a token of another list, or none at all, is refused', async (t) => {
    for (const pageToken of ['nonsense', Buffer.from('["x","y"]').toString('base64url')]) {
      const { error } = await call(server, 'tasks/list', { pageToken })
      t.match(error, { code: -32602, message: /pageToken/ })
    }
  })
})

t.test('objectives/list', async (t) => {
  const made: Answer[] = []
  for (let i = 0; i < 9; i += 1) made.push((await ask(server, 'objectives/create', { name: `Goal ${i}` })).objective)
  await ask(server, 'objectives/cancel', { id: made[3].id })

  await t.test('newest first, page by page, while others are made', async (t) => {
    const during = () => ask(server, 'objectives/create', { name: 'Another' })
    const found = idsOf(await pages('objectives/list', {}, during)).filter((id) => idsOf(made).includes(id))
    t.strictSame(found, idsOf(made).reverse())
  })

  await t.test('by status, with the total of those', async (t) => {
    const { objectives, totalSize } = await ask(server, 'objectives/list', { status: 'canceled' })
    t.strictSame(idsOf(objectives), [made[3].id])
    t.equal(totalSize, 1)
    const planning = await ask(server, 'objectives/list', { status: 'planning', pageSize: 2 })
    t.ok(planning.totalSize >= 8)
    t.equal(planning.objectives.length, 2)
  })
})

t.test('tenants', async (t) => {
  await t.test("a tenant on the wire that is not the caller's finds nothing, and makes nothing", async (t) => {
    const task = await send(server, 'Secret work')
    const elsewhere = { tenant: 'another' }
    for (const [method, params] of [
      ['GetTask', { id: task.id }],
      ['CancelTask', { id: task.id }],
      ['ListTasks', {}],
      ['SendMessage', { message: { messageId: 'm', role: 'ROLE_USER', parts: [{ text: 'Feed the cat' }] } }],
    ] as const) {
      const answer = await call(server, method, { ...params, ...elsewhere }, V1)
      t.ok(answer.error, method)
      t.notMatch(JSON.stringify(answer), /Secret work/)
    }
    t.equal((await call(server, 'GetTask', { id: task.id, tenant: 'default' }, V1)).result.id, task.id)
    t.equal(agent.runsOf('Feed the cat').length, 0)
  })

  await t.test('what is not there and what is not theirs is answered alike', async (t) => {
    const task = await send(server, 'More secret work')
    const [known, unknown] = await Promise.all(
      [task.id, 'task-none'].map((id) => call(server, 'GetTask', { id, tenant: 'another' }, V1)),
    )
    t.strictSame(JSON.stringify(known).replaceAll(task.id, 'x'), JSON.stringify(unknown).replaceAll('task-none', 'x'))
  })
})
