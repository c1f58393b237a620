import t from '../tap.ts'
import { send } from './client.ts'
import { addKey } from './principals.ts'
import { type ServerUnderTest, startServer } from './server.ts'
import { startReceiver } from './webhook-receiver.ts'

async function metricsOf({ baseUrl }: ServerUnderTest, headers: Record<string, string> = {}) {
  const response = await fetch(`${baseUrl}/metrics`, { headers })
  return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
}

t.test('deliveries are counted', async (t) => {
  const server = await startServer(t, { config: { push: { allow: ['127.0.0.1'] } } })
  const before = await metricsOf(server)
  t.match(before, { status: 200, type: /^text\/plain; version=/ })
  t.match(before.text, 'trellis_webhook_deliveries_total{outcome="delivered"} 0')
  t.match(before.text, /trellis_info\{version="[^"]+"\} 1/)
  t.match(before.text, 'process_cpu_user_seconds_total')
  const receiver = await startReceiver(t)
  const configuration = { pushNotificationConfig: { url: receiver.url } }
  await send(server, 'Tell me', { params: { configuration } })
  await receiver.first(({ body }) => body.status?.state === 'completed')
  let { text } = await metricsOf(server)
  // A delivery is marked after its answer, and counted after that.
  while (!text.includes(`{outcome="delivered"} ${receiver.all.length}`)) ({ text } = await metricsOf(server))
  t.match(text, 'trellis_webhook_deliveries_pending 0')
  t.match(text, 'trellis_attempts_running 0')
})

t.test('they are for callers with the scope admin', async (t) => {
  const server = await startServer(t, { config: { auth: { mode: 'apiKeys' } } })
  t.equal((await metricsOf(server)).status, 401)
  const { headers } = await addKey(server)
  t.match(await metricsOf(server, headers), { status: 403, text: /scope admin/ })
  const admin = await addKey(server, { scopes: ['admin'] })
  t.equal((await metricsOf(server, admin.headers)).status, 200)
})
