import t from '../tap.ts'
import { V1 } from '../wire/rpc.ts'
import { ask, send, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'
import { startReceiver } from './webhook-receiver.ts'

const PUSH = { allow: ['127.0.0.1'], backoffSeconds: 0.05, pollSeconds: 0.5 }

t.test('a 0.3 receiver is told of the task, once for each state', async (t) => {
  const server = await startServer(t, { config: { push: PUSH } })
  const receiver = await startReceiver(t)
  server.agent.when('Be told', held)
  const pushNotificationConfig = {
    url: receiver.url,
    token: 'token-1',
    authentication: { schemes: ['Bearer'], credentials: 'secret' },
  }
  const task = await send(server, 'Be told', {
    wait: false,
    params: { configuration: { blocking: false, pushNotificationConfig } },
  })
  ;(await server.agent.begun('Be told')).complete('It is done')
  await until(server, task.id)
  const all = await receiver.count(3)
  t.same(
    all.map(({ body }) => [body.kind, body.id, body.status.state]),
    [
      ['task', task.id, 'working'],
      ['task', task.id, 'working'],
      ['task', task.id, 'completed'],
    ],
  )
  t.equal(all[2]?.body.artifacts[0].parts[0].text, 'It is done')
  const [first] = all
  t.equal(first?.headers['x-a2a-notification-token'], 'token-1')
  t.equal(first?.headers.authorization, 'Bearer secret')
  t.match(first?.headers, {
    'content-type': 'application/json',
    'webhook-id': /^delivery-/,
    'webhook-timestamp': /^\d+$/,
    'webhook-signature': /^v1a,/,
  })
  const { deliveries } = await ask(server, 'pushNotifications/deliveries', { taskId: task.id })
  t.same(
    deliveries.map((one: { id: string }) => one.id),
    all.map(({ headers }) => headers['webhook-id']).toReversed(),
  )
})

t.test('a 1.0 receiver is told what a stream would say', async (t) => {
  const server = await startServer(t, { config: { push: PUSH } })
  const receiver = await startReceiver(t)
  server.agent.when('Be told', held)
  const task = await send(server, 'Be told', { wait: false })
  const run = await server.agent.begun('Be told')
  const config = await ask(server, 'CreateTaskPushNotificationConfig', { taskId: task.id, url: receiver.url }, V1)
  t.match(config, { taskId: task.id, url: receiver.url, id: /^push-/ })
  run.complete('It is done')
  const [artifact, end] = await receiver.count(2)
  t.match(artifact?.body, { artifactUpdate: { taskId: task.id, artifact: { parts: [{ text: 'It is done' }] } } })
  t.match(end?.body, { statusUpdate: { taskId: task.id, status: { state: 'TASK_STATE_COMPLETED' } } })
  t.equal(end?.headers['content-type'], 'application/a2a+json')
})
