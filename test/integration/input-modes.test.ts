import { covers } from '../../src/a2a/media-types.ts'
import t from '../tap.ts'
import { startServer } from './server.ts'

t.test('a media type that the card does not accept is refused and named', async (t) => {
  const config = { card: { inputModes: ['text/plain', 'image/*'] } }
  const server = await startServer(t, { config })
  const card = (await (await fetch(`${server.baseUrl}/.well-known/agent-card.json`)).json()) as Record<string, unknown>
  t.strictSame(card['defaultInputModes'], ['text/plain', 'image/*'])
  let sent = 0
  const send = async (part: object) => {
    sent += 1
    const message = { messageId: `mode-${sent}`, role: 'ROLE_USER', parts: [{ text: 'Look at this' }, part] }
    const response = await fetch(`${server.baseUrl}/message:send`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'A2A-Version': '1.0' },
      body: JSON.stringify({ message }),
    })
    return response.json()
  }
  t.match(await send({ raw: 'AAAA', mediaType: 'image/png' }), { task: { id: String } })
  t.match(await send({ raw: 'AAAA' }), { task: { id: String } }, 'of no declared type')
  for (const part of [{ url: 'https://example.com/a.pdf', mediaType: 'application/pdf' }, { data: { a: 1 } }]) {
    const refused = { code: 400, message: /message\.parts\[1\]\.mediaType was .*; accepted are text\/plain, image\/\*/ }
    t.match(await send(part), { error: { ...refused, details: [{ reason: 'CONTENT_TYPE_NOT_SUPPORTED' }] } })
  }
})

t.test('ranges of media types', async (t) => {
  t.ok(covers('*/*', 'x/y'))
  t.ok(covers('text/plain', 'Text/Plain; charset=utf-8'))
  t.ok(covers('image/*', 'image/svg+xml'))
  t.notOk(covers('image/*', 'imagery/png'))
  t.notOk(covers('text/plain', 'text/html'))
})
