import { type Received, startReceiver } from '../integration/webhook-receiver.ts'
import t from '../tap.ts'
import { messageOf, type WireTask } from './client.ts'
import { createDatabase } from './databases.ts'
import { violations } from './invariants.ts'
import { type Server, startServer } from './server.ts'

const PUSH = { allow: ['127.0.0.1'], timeoutSeconds: 1, backoffSeconds: 0.1, pollSeconds: 0.3 }

interface Delivery {
  id: string
  state: string
  attempts: number
}

/** All of a task's deliveries, oldest first, once each is over. */
async function deliveriesOf({ client }: Server, taskId: string): Promise<Delivery[]> {
  for (;;) {
    const page = await client.call<{ deliveries: Delivery[] }>('pushNotifications/deliveries', { taskId })
    if (page.deliveries.every(({ state }) => state !== 'pending')) return page.deliveries.toReversed()
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

const isEnd = ({ body }: Received) => body.statusUpdate?.status.state === 'TASK_STATE_COMPLETED'

t.test('receivers are told of everything, wherever the server was killed', async (suite) => {
  const database = await createDatabase(suite)
  let server = await startServer(suite, database, { config: { push: PUSH } })
  const points = [
    { point: 'group:after-commit', what: 'committed, and nobody told', again: 0 },
    { point: 'webhook:before-send', what: 'about to tell', again: 0 },
    { point: 'webhook:before-mark', what: 'told, and not marked', again: 1 },
    { point: 'webhook:before-mark#2', what: 'the second told, and not marked', again: 1 },
  ]
  for (const { point, what, again } of points) {
    await suite.test(what, async (t) => {
      const receiver = await startReceiver(t)
      await server.killAt(point)
      const message = messageOf(`Tell of it: ${what}`)
      const taskPushNotificationConfig = { id: 'mine', url: receiver.url }
      const configuration = { returnImmediately: true, taskPushNotificationConfig }
      const send = () => server.client.call<{ task: WireTask }>('SendMessage', { message, configuration })
      await send().catch(() => undefined)
      await server.crashed()
      server = await startServer(suite, database, { config: { push: PUSH } })
      const { task } = await send()
      await receiver.first(isEnd)
      const deliveries = await deliveriesOf(server, task.id)
      t.ok(deliveries.length >= 3, 'working, an artifact, completed')
      t.ok(deliveries.every(({ state }) => state === 'delivered'))
      const came = receiver.all.map(({ headers }) => headers['webhook-id'])
      const order = came.filter((id, n) => came.indexOf(id) === n)
      t.same(
        order,
        deliveries.map(({ id }) => id),
        'each came, in order, under the id that it keeps',
      )
      t.equal(came.length - order.length, again, 'and again only what was not marked')
    })
  }
  await suite.test('stopped while a receiver does not answer', async (t) => {
    await server.stop()
    server = await startServer(suite, database, { config: { push: { ...PUSH, timeoutSeconds: 60 } } })
    const receiver = await startReceiver(t, (_, n, response) => void (n > 1 && response.writeHead(200).end()))
    const configuration = { returnImmediately: true, taskPushNotificationConfig: { url: receiver.url } }
    const message = messageOf('Tell of it, late')
    await server.client.call('SendMessage', { message, configuration })
    await receiver.count(1)
    await server.stop()
    server = await startServer(suite, database, { config: { push: PUSH } })
    await receiver.first(isEnd)
    const [first, again] = receiver.all.map(({ headers }) => headers['webhook-id'])
    t.equal(again, first, 'it is told at once by who comes next, under the same id')
  })
  await server.stop()
  suite.same(await database.read(violations), {})
})
