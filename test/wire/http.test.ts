import t from '../tap.ts'
import { post, V1 } from './rpc.ts'
import { card } from './scenarios/card.ts'
import { clients } from './scenarios/clients.ts'
import { startDouble } from './start-double.ts'

t.test('card', async (t) => card(t, await startDouble(t)))
t.test('clients', async (t) => clients(t, await startDouble(t)))

t.test('health says whether the process lives, readiness whether it can work', async (t) => {
  let why = ''
  const ready = async () => {
    if (why === 'throws') throw new Error('secret')
    return why === '' ? ({ ready: true } as const) : ({ ready: false, why } as const)
  }
  const { baseUrl } = await startDouble(t, { ready })
  const get = async (path: string) => {
    const response = await fetch(`${baseUrl}${path}`)
    return { status: response.status, body: await response.json() }
  }
  t.match(await get('/healthz'), { status: 200, body: { status: 'ok' } })
  t.match(await get('/readyz'), { status: 200, body: { status: 'ready' } })
  why = 'the database cannot be reached'
  t.match(await get('/readyz'), { status: 503, body: { why } })
  why = 'throws'
  t.match(await get('/readyz'), { status: 503, body: { why: 'the check failed' } })
  t.match(await get('/healthz'), { status: 200 })
})

t.test('a body over the limit is refused with the limit', async (t) => {
  const server = await startDouble(t, { limits: { bodyBytes: 1_000 } })
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/get', params: { id: 'x'.repeat(1_000) } })
  const legacy = await post(server, body)
  t.match(legacy, { status: 413, body: { id: null, error: { code: -32600, message: /1000 bytes/ } } })
  const modern = await post(server, body, V1)
  t.match(modern.body.error.data, [{ reason: 'REQUEST_TOO_LARGE', metadata: { limitBytes: '1000' } }])
})
