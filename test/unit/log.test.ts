import { createLogger } from '../../src/base/log.ts'
import t from '../tap.ts'

function linesOf(level: string, write: (log: ReturnType<typeof createLogger>) => void): string[] {
  const lines: string[] = []
  write(createLogger(level, { write: (line: string) => void lines.push(line) }))
  return lines
}

t.test('a line is JSON with its level by name and an ISO time', async (t) => {
  const [line = ''] = linesOf('info', (log) => log.info({ taskId: 'task-1' }, 'claimed'))
  t.match(JSON.parse(line), { level: 'info', taskId: 'task-1', msg: 'claimed', time: /^\d{4}-.*Z$/ })
})

t.test('below its level nothing is written', async (t) => {
  t.same(
    linesOf('warn', (log) => log.info('quiet')),
    [],
  )
})

t.test('secrets are not written', async (t) => {
  const lines = linesOf('info', (log) => {
    log.info({ databaseUrl: 'postgres://u:hush@h/d', headers: { authorization: 'Bearer hush' } })
    log.info({
      req: { headers: { authorization: 'hush', 'x-api-key': 'hush', cookie: 'hush' } },
      push: { token: 'hush' },
    })
  })
  t.equal(lines.length, 2)
  t.notMatch(lines.join(''), 'hush')
})

t.test('nor are they where they stand in the middle of something', async (t) => {
  const key = `trl_0123456789ab_${'c0ffee'.repeat(10)}cafe`
  const jwt = `eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiJtYXJ5In0.c2lnbmF0dXJlLWh1c2g`
  const said = [
    new Error('cannot connect to postgres://trellis:hush@db.example.com:5432/trellis'),
    new Error('refused', { cause: new Error('sent Authorization: Bearer hush-hush-hush') }),
    `the key ${key} is unknown`,
    `https://mary:hush@agents.example.com/ answered, given ${jwt}`,
  ]
  const lines = linesOf('info', (log) => {
    for (const what of said) {
      log.error({ err: what }, 'one')
      log.error({ deep: { er: { still: { there: String(what) } } } }, 'two')
    }
  })
  t.equal(lines.length, 8)
  t.notMatch(lines.join(''), /hush|c0ffee|eyJzdWIi/)
  t.match(lines.join(''), /postgres:\/\/trellis:\(redacted\)@db\.example\.com/)
  t.match(lines.join(''), /trl_0123456789ab_\(redacted\)/, 'which key it was can still be seen')
  for (const line of lines) t.doesNotThrow(() => JSON.parse(line))
})

t.test('nor at any depth, however the field is spelled', async (t) => {
  const names = ['authorization', 'Proxy-Authorization', 'Set-Cookie', 'X-API-Key', 'x-a2a-notification-token', 'token']
  names.push('client_secret', 'accessToken', 'credentials', 'password', 'webhook-signature')
  const failed = Object.assign(new Error('refused'), { config: { headers: { Authorization: 'hush' } } })
  const lines = linesOf('info', (log) => {
    for (const name of names) {
      log.info({ a: { b: { c: { [name]: 'hush' } } } })
      log.info({ agents: [{ card: { headers: { [name]: ['hush', 'hush'] } } }] })
      log.info({ request: { rawHeaders: ['Host', 'example.com', name, 'hush'] } })
    }
    log.error({ err: failed, pageToken: 'page-2', token: null }, 'one')
  })
  t.equal(lines.length, 3 * names.length + 1)
  t.notMatch(lines.join(''), 'hush')
  t.match(JSON.parse(lines.at(-1) ?? ''), { pageToken: 'page-2', token: null, err: { message: 'refused' } })
  t.match(lines.join(''), 'example.com')
})

t.test('nor in the URLs and headers that texts speak of', async (t) => {
  const said = [
    'POST https://hush@hooks.example.com/a failed',
    'POST https://hooks.example.com/a?id=5&access_token=hush#x failed',
    'GET https://agents.example.com/card?api_key=hush: 500',
    'sent Authorization: Digest hush, and more',
    'sent {"x-api-key":"hush"}',
    "headers: { 'X-A2A-Notification-Token': 'hush' }",
    'HTTP/1.1 200 OK\r\nSet-Cookie: hush=hush\r\nDate: now',
    'answered {"access_token":"hush","expires_in":60}',
    `asked ${JSON.stringify(JSON.stringify({ client_secret: 'hush', id: 5 }))}`,
    'posted client_secret=hush&grant_type=client_credentials',
    'host=db.example.com user=trellis password=hush',
  ]
  const lines = linesOf('info', (log) => {
    for (const what of said) log.warn({ err: new Error(what), reason: what, list: [what] }, what)
  })
  t.equal(lines.length, said.length)
  t.notMatch(lines.join(''), 'hush')
  t.match(lines[0], 'https://(redacted)@hooks.example.com/a failed')
  t.match(lines[1], 'https://hooks.example.com/a?id=5&access_token=(redacted)#x failed')
  t.match(lines[6], /Date: now/)
  t.match(lines[9], 'client_secret=(redacted)&grant_type=client_credentials')
  for (const line of lines) t.match(line, /^\{.*\}\n$/, 'one line of JSON')
})

t.test('what is no secret stays', async (t) => {
  const [line = ''] = linesOf('info', (log) =>
    log.info('http://localhost:8080/a@b is up; bearer of news, basic things'),
  )
  t.match(line, 'http://localhost:8080/a@b is up; bearer of news, basic things')
})
