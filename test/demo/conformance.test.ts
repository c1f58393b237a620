import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { conformanceSettings } from '../../examples/conformance/settings.ts'
import { startServer } from '../integration/server.ts'
import { plainEnvironment } from '../plain-environment.ts'
import t from '../tap.ts'
import { call, post, type Server, userMessage, V1 } from '../wire/rpc.ts'

const ROOT = join(import.meta.dirname, '../..')
const EXTENSION = 'urn:a2a:tck:required-extension'

interface Started {
  child: ChildProcess
  baseUrl: string
  /** Where its temporary files go. */
  folder: string
}

/** `npm run conformance`, and what it said when it was ready. Its output fails the test if it ends before. */
async function start(t: Test): Promise<Started> {
  const folder = join(t.testdir(), 'temporary')
  mkdirSync(folder)
  const child = spawn(process.execPath, [join(ROOT, 'examples/conformance/main.ts')], {
    cwd: ROOT,
    stdio: ['ignore', 'pipe', 'inherit'],
    env: plainEnvironment({ PORT: '0', TMPDIR: folder }),
  })
  t.teardown(() => child.kill('SIGKILL'))
  const [line] = await once(createInterface({ input: child.stdout as NodeJS.ReadableStream }), 'line')
  const [, url = ''] = /^ready (http:\S+)/.exec(String(line)) ?? []
  return { child, baseUrl: url.replace('localhost', '127.0.0.1'), folder }
}

async function cardOf({ baseUrl }: Server) {
  const response = await fetch(`${baseUrl}/.well-known/agent-card.json`)
  return response.json() as Promise<{ capabilities: Record<string, unknown> } & Record<string, unknown>>
}

t.test('it serves a strict card with everything on, and Ctrl-C leaves nothing behind', async (t) => {
  const started = await start(t)
  const card = await cardOf(started)
  t.match(card, {
    capabilities: { streaming: true, pushNotifications: true, extendedAgentCard: true },
    defaultInputModes: ['*/*'],
  })
  t.notOk('url' in card, "1.0's members only")
  t.notMatch(JSON.stringify(card), /websocket/i)
  const { body } = await post(started, JSON.stringify(rest('tck-complete-task-1')), V1, '/message:send')
  t.match(body, { task: { status: { state: 'TASK_STATE_COMPLETED' } } })
  await post(started, JSON.stringify(rest('list-test-message-id-1')), V1, '/message:send')
  const config = { taskId: body.task.id, url: 'http://127.0.0.1:9/hook' }
  const { result } = await call(started, 'CreateTaskPushNotificationConfig', config, V1)
  t.match(result, { url: config.url }, 'webhooks may be on this machine')
  t.equal(readdirSync(started.folder).length, 1, 'what it needs is in a folder of its own')
  started.child.kill('SIGINT')
  const [code] = await once(started.child, 'exit')
  t.equal(code, 0)
  t.strictSame(readdirSync(started.folder), [])
})

t.test('capabilities are switched by variables', async (t) => {
  const off = { TCK_STREAMING: 'false', TCK_PUSH: 'false', TCK_EXTENDED_CARD: 'false' }
  const config = conformanceSettings({ ...off, TCK_REQUIRED_EXTENSION: 'true' }, t.testdir())
  const started = await startServer(t, { config })
  const { capabilities } = await cardOf(started)
  t.notOk(capabilities['streaming'] || capabilities['pushNotifications'] || capabilities['extendedAgentCard'])
  t.match(JSON.stringify(capabilities['extensions']), `"uri":"${EXTENSION}"`)
  const refused = await call(started, 'SendMessage', rest('tck-complete-task-2'), V1)
  t.match(refused, { error: { code: -32008 } }, 'the extension is required')
  const activated = { ...V1, 'A2A-Extensions': EXTENSION }
  t.match(await call(started, 'SendMessage', rest('tck-complete-task-2'), activated), { result: { task: {} } })
  const noStream = await call(started, 'SendStreamingMessage', rest('tck-stream-001-1'), activated)
  t.match(noStream, { error: { code: -32004 } })
  t.match(await call(started, 'GetExtendedAgentCard', {}, activated), { error: { code: -32004 } })
  const push = { taskId: 'any', url: 'http://127.0.0.1:9/hook' }
  t.match(await call(started, 'CreateTaskPushNotificationConfig', push, activated), { error: { code: -32003 } })
})

t.test('what a variable may be is said', async (t) => {
  const folder = t.testdir()
  const env = plainEnvironment({ TCK_STREAMING: 'maybe', TMPDIR: folder })
  const child = spawn(process.execPath, [join(ROOT, 'examples/conformance/main.ts')], { cwd: ROOT, env })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  const [code] = await once(child, 'close')
  t.equal(code, 1)
  t.match(said, /TCK_STREAMING was "maybe"; must be true or false/)
  t.strictSame(readdirSync(folder), [])
})

function rest(messageId: string) {
  const message = { ...userMessage('Go on'), messageId, role: 'ROLE_USER', parts: [{ text: 'Go on' }] }
  return { message, configuration: { returnImmediately: messageId.startsWith('list-') } }
}
