import { existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { startChild } from '../../examples/demo/child.ts'
import { copyDataFolder } from '../embedded-template.ts'
import t from '../tap.ts'

const ROOT = join(import.meta.dirname, '../..')
const README = readFileSync(join(ROOT, 'README.md'), 'utf8')

/** The curl line of a text, as a request. */
function curlIn(text: string): { headers: Record<string, string>; body: string } {
  const command = /curl -s http:\/\/localhost:8080\/[\s\S]*?-d '[^']+'/.exec(text)?.[0] ?? ''
  const headers = [...command.matchAll(/-H '([^:']+): ([^']+)'/g)].map((match) => [match[1], match[2]])
  return { headers: Object.fromEntries(headers), body: /-d '([^']+)'/.exec(command)?.[1] ?? '' }
}

function freePort(): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const server = createServer().listen(0, '127.0.0.1', () => {
    const address = server.address()
    server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
  })
  return promise
}

t.test('what the README names is there', async (t) => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
  const commands = [...README.matchAll(/npm (?:run )?(start|test|demo|check)\b/g)].map((match) => match[1] ?? '')
  for (const name of new Set(commands)) t.ok(name in scripts, `npm run ${name}`)
  const links = [...README.matchAll(/\]\(((?!https?:)[^)]+)\)/g)].map((match) => match[1] ?? '')
  for (const link of links) t.ok(existsSync(join(ROOT, link)), link)
})

t.test('the curl line of the README works as printed', async (t) => {
  const port = await freePort()
  const data = t.testdir()
  await copyDataFolder(data)
  const env = { PORT: String(port), DATA_DIR: data, DATABASE_URL: '', LOG_LEVEL: 'warn', NODE_OPTIONS: '' }
  const readyAt = { url: `http://127.0.0.1:${port}/readyz` }
  const server = await startChild('server', { args: [join(ROOT, 'src/main.ts')], readyAt, env })
  t.teardown(() => server.stop())
  const { headers, body } = curlIn(README)
  const response = await fetch(`http://127.0.0.1:${port}/`, { method: 'POST', headers, body })
  t.match(await response.json(), {
    result: {
      task: {
        status: { state: 'TASK_STATE_COMPLETED' },
        artifacts: [{ parts: [{ text: /No agent is configured/i }] }],
        metadata: { 'opt/v1/objective': { plans: [{ name: 'Research', status: 'completed' }, { name: 'Writing' }] } },
      },
    },
  })
})
