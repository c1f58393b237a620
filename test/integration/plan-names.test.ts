import t from '../tap.ts'
import { ask, call } from './client.ts'
import { startServer } from './server.ts'

t.test('a new plan names plans that the objective has, by id or name, and nothing else', async (t) => {
  const server = await startServer(t, { agents: [] })
  const { objective } = await ask(server, 'objectives/create', { name: 'Move house' })
  const create = (plan: object) => call(server, 'plans/create', { objectiveId: objective.id, ...plan })
  const tasks = [{ key: 'plan', name: 'Pack' }]
  const first = (await create({ name: 'By van', tasks })).result.plan
  for (const name of ['By van', first.id]) {
    const { plan } = (await create({ name: `After ${name}`, dependencies: [name], tasks })).result
    t.strictSame(plan.dependencies, [first.id])
  }
  for (const name of ['plan', 'Self', "plan'", 'plan-none']) {
    const { error } = await create({ name: 'Self', dependencies: [name], tasks })
    t.match(error, { code: -31045, message: /which is no plan of the objective/ }, name)
    t.equal((await create({ name: 'Self', alternativeTo: name, tasks })).error.code, -31045, name)
  }
  await create({ name: 'By van', tasks })
  const { error } = await create({ name: 'Which', dependencies: ['By van'], tasks })
  t.equal(error.code, -31045, 'a name that two plans have')
})

t.test('texts of objectives have the length that config allows', async (t) => {
  const server = await startServer(t, { agents: [], config: { limits: { maxTextLength: 100 } } })
  const long = 'x'.repeat(101)
  const refused = { code: -31045, message: /description has 101 characters.*maxTextLength/ }
  t.match((await call(server, 'objectives/create', { name: 'a', description: long })).error, refused)
  const { objective } = await ask(server, 'objectives/create', { name: 'a' })
  t.match((await call(server, 'objectives/update', { id: objective.id, description: long })).error, refused)
  t.match((await call(server, 'objectives/create', { name: '  ' })).error, { code: -31045, message: /name is empty/ })
})

t.test('what the database could not read is refused before', async (t) => {
  const server = await startServer(t, { agents: [] })
  const token = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const tokens = [
    ['2020-01-01T00:00:00Z', '\0'],
    ['0000-01-01', 'task-1'],
    ['+010000-01-01', 'task-1'],
    ['infinity', 'task-1'],
    ['2020-01-01T00:00:00Z', { a: 1 }],
    null,
  ].map(token)
  for (const method of ['tasks/list', 'objectives/list']) {
    for (const pageToken of ['x', '%', ...tokens]) {
      const { error } = await call(server, method, { pageToken })
      t.match(error, { code: -32602, message: /^pageToken: was/ }, `${method} ${pageToken}`)
    }
    t.ok((await call(server, method, { pageToken: token(['2020', 'task-1']) })).result)
  }
  for (const statusTimestampAfter of ['0000-01-01T00:00:00Z', '2020-06-30T23:59:60Z', '2020-02-30T00:00:00Z']) {
    const { error } = await call(server, 'tasks/list', { statusTimestampAfter })
    t.match(error, { code: -32602, message: /^statusTimestampAfter: was/ }, statusTimestampAfter)
  }
  const { result } = await call(server, 'tasks/list', { statusTimestampAfter: '2020-01-01T00:00:00+23:59' })
  t.strictSame(result.tasks, [])
})
