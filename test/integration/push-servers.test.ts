import t from '../tap.ts'
import { send } from './client.ts'
import { startServer } from './server.ts'
import { createDatabase, POSTGRES } from './test-database.ts'
import { startReceiver } from './webhook-receiver.ts'

const options = POSTGRES === undefined ? { skip: 'two servers need a Postgres: set TEST_DATABASE_URL' } : {}

t.test('two servers share the deliveries, and none is made twice', options, async (t) => {
  const database = await createDatabase()
  // One at a time, so that neither can take all there is.
  const push = { allow: ['127.0.0.1'], concurrent: 1, pollSeconds: 0.02 }
  const servers = [
    await startServer(t, { database, config: { push } }),
    await startServer(t, { database, config: { push } }),
  ] as const
  t.teardown(() => database.drop())
  const receiver = await startReceiver(t, (_, __, response) => void setTimeout(() => response.writeHead(200).end(), 20))
  const configuration = { blocking: true, pushNotificationConfig: { url: receiver.url } }
  const texts = Array.from({ length: 12 }, (_, n) => `Task ${n}`)
  const tasks = await Promise.all(texts.map((text) => send(servers[0], text, { params: { configuration } })))
  const all = await receiver.count(3 * tasks.length)
  while ((await servers[0].app.webhooks?.pending()) !== 0) await new Promise((resolve) => setTimeout(resolve, 20))
  t.equal(all.length, 3 * tasks.length)
  t.equal(new Set(all.map(({ headers }) => headers['webhook-id'])).size, all.length, 'each once')
  for (const { id } of tasks) {
    const states = all.filter(({ body }) => body.id === id).map(({ body }) => body.status.state)
    t.same(states, ['working', 'working', 'completed'], 'in order')
  }
  const delivered = servers.map(({ app }) => app.webhooks?.counts.delivered ?? 0)
  t.ok(
    delivered.every((count) => count > 0),
    `by both: ${delivered}`,
  )
  t.equal(
    delivered.reduce((sum, count) => sum + count, 0),
    all.length,
  )
})
