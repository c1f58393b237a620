import { readFileSync } from 'node:fs'
import t from '../tap.ts'
import { send } from './client.ts'
import { startServer } from './server.ts'
import { startReceiver } from './webhook-receiver.ts'

type Check = (headers: object, body: string, keys: object[], now?: number) => string

/** What docs/push-notifications.md tells a receiver to do. */
async function documented(): Promise<Check> {
  const text = readFileSync(new URL('../../docs/push-notifications.md', import.meta.url), 'utf8')
  const code = /```js\n(.*?)```/s.exec(text)?.[1] ?? ''
  const module = await import(`data:text/javascript,${encodeURIComponent(code)}`)
  return module.checkWebhook
}

t.test('a receiver can check who sent it what, by the words of the documentation', async (t) => {
  const server = await startServer(t, { config: { push: { allow: ['127.0.0.1'] } } })
  const receiver = await startReceiver(t)
  const configuration = { blocking: true, pushNotificationConfig: { url: receiver.url } }
  await send(server, 'Größe: 1 £', { params: { configuration } })
  const [{ headers, text }] = (await receiver.count(1)) as [Awaited<ReturnType<typeof receiver.count>>[0]]
  const { keys } = (await (await fetch(`${server.baseUrl}/.well-known/jwks.json`)).json()) as { keys: object[] }
  t.match(keys, [{ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', kid: /.{20}/ }])
  t.notOk('d' in (keys[0] ?? {}), 'the private part stays here')
  const check = await documented()
  t.equal(check(headers, text, keys), headers['webhook-id'])
  t.throws(() => check(headers, text.replace('Größe', 'Groesse'), keys), /not signed/)
  t.throws(() => check({ ...headers, 'webhook-id': 'delivery-x' }, text, keys), /not signed/)
  t.throws(() => check(headers, text, []), /not signed/)
  t.throws(() => check(headers, text, keys, Date.now() / 1_000 + 3_600), /too old/)
})

t.test('servers on one database sign with one key', async (t) => {
  const one = await startServer(t)
  const keysOf = async (url: string) => (await fetch(`${url}/.well-known/jwks.json`)).json()
  const { loadWebhookSigner } = await import('../../src/events/webhook-signature.ts')
  const again = await loadWebhookSigner(one.app.database.prisma)
  t.same(await keysOf(one.baseUrl), { keys: [again.publicKey] })
})
