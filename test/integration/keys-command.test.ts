import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Test } from 'tap'
import { parse } from 'yaml'
import { apiKeyId, isApiKey } from '../../src/base/api-key.ts'
import { runCommand } from '../../src/cli-command.ts'
import { lockDataFolder } from '../../src/db/data-folder.ts'
import { copyDataFolder } from '../embedded-template.ts'
import { plainEnvironment } from '../plain-environment.ts'
import t from '../tap.ts'
import { post } from '../wire/rpc.ts'
import { startServer } from './server.ts'
import { POSTGRES } from './test-database.ts'

const COMMAND = new URL('../../src/cli.ts', import.meta.url).pathname

interface Ran {
  code: number
  stdout: string
  stderr: string
}

/** `npm run trellis -- …` as a process of its own, with a database of the test's own. */
function processOf(env: Record<string, string>) {
  return async (...args: string[]): Promise<Ran> => {
    const node = ['--disable-warning=ExperimentalWarning', COMMAND, ...args]
    const options = { env: plainEnvironment({ HOST: '0.0.0.0', ...env }) }
    const run = promisify(execFile)(process.execPath, node, options)
    return run.then(
      ({ stdout, stderr }) => ({ code: 0, stdout, stderr }),
      ({ code, stdout, stderr }: Ran) => ({ code, stdout, stderr }),
    )
  }
}

/** The same in this process. */
function commandOf(env: Record<string, string>) {
  return async (...args: string[]): Promise<Ran> => {
    const out: string[] = []
    const err: string[] = []
    const code = await runCommand(args, {
      out: (text) => void out.push(text),
      err: (text) => void err.push(text),
      env: { HOST: '0.0.0.0', ...env },
    })
    return { code, stdout: out.join(''), stderr: err.join('') }
  }
}

/** A data folder with a migrated embedded database that nobody has open. */
async function dataFolder(t: Test): Promise<string> {
  const folder = t.testdir()
  await copyDataFolder(folder)
  return folder
}

const CREATE = ['keys', 'create', '--tenant', 'acme', '--name', 'ci']

t.test('keys are made, listed and revoked', async (t) => {
  const env = { DATA_DIR: await dataFolder(t) }
  const trellis = commandOf(env)
  const made = await processOf(env)(...CREATE, '--scopes', 'read,write', '--principal', 'reports', '--expires', '90d')
  const key = made.stdout.trim()
  const id = apiKeyId(key) ?? ''
  t.match(id, /^[a-z0-9]{12}$/, 'stdout has the key and nothing else')
  t.match(made.stderr, new RegExp(`Key ${id} of reports in acme may read, write until \\d{4}-`))
  t.notMatch(made.stderr, key)
  const listed = await trellis('keys', 'list')
  t.match(listed.stdout, new RegExp(`^ID +TENANT +PRINCIPAL.*\\n${id} +acme +reports +ci +read,write +valid until`))
  t.notMatch(listed.stdout, key.slice(-20))
  t.match(await trellis('keys', 'revoke', id), { code: 0, stderr: /is revoked.*within 10 seconds/ })
  t.match((await trellis('keys', 'list', '--tenant', 'acme')).stdout, /revoked \d{4}-/)
  t.match((await trellis('keys', 'list', '--tenant', 'other')).stdout, /^ID[^\n]*\n$/)
  t.match(await trellis('keys', 'revoke', 'nosuchkey'), { code: 2, stderr: /no key "nosuchkey".*keys list/ })
})

t.test('what is called wrongly is named, with what is expected', async (t) => {
  const env = { DATA_DIR: t.testdir() }
  const trellis = commandOf(env)
  const cases: [args: string[], says: RegExp][] = [
    [['keys', 'crate'], /no command "keys crate"; expected one of keys create, keys list, keys revoke/],
    [['keys', 'create', '--name', 'n', '--scopes', 'read'], /--tenant was not given/],
    [[...CREATE], /--scopes was not given; expected some of read, write, work, admin/],
    [[...CREATE, '--scopes', 'read,reed'], /--scopes was "reed"/],
    [[...CREATE, '--scopes', 'read', '--expires', 'soon'], /--expires was "soon"; expected a time to come/],
    [[...CREATE, '--scopes', 'read', '--expires', '2020-01-01'], /--expires was "2020-01-01"/],
    [[...CREATE, '--scopes', 'read', '--colour', 'red'], /--colour/],
    [['keys', 'revoke'], /0 words were given; expected 1/],
  ]
  for (const [args, says] of cases)
    t.match(await trellis(...args), { code: 2, stdout: '', stderr: says }, args.join(' '))
  const [wrong, says] = cases[0] as (typeof cases)[number]
  t.match(await processOf(env)(...wrong), { code: 2, stdout: '', stderr: says }, 'as a process')
  t.match(await trellis('--help'), { code: 0, stdout: /keys create --tenant T/ })
  const broken = join(t.testdir(), 'broken.yaml')
  writeFileSync(broken, 'server: {prot: 1}')
  const { code, stderr } = await commandOf({ TRELLIS_CONFIG: broken })('keys', 'list')
  t.match([code, stderr], [1, /server\.prot .*is no setting/])
})

t.test('while a server has the embedded database open, keys can stand in the configuration', async (t) => {
  const folder = t.testdir()
  const lock = lockDataFolder(folder)
  t.teardown(() => lock.release())
  const refused = await processOf({ DATA_DIR: folder })(...CREATE, '--scopes', 'read')
  t.match(refused, { code: 1, stdout: '', stderr: /is in use by the process \d+.*keys create --config/ })
  const { code, stdout } = await commandOf({ DATA_DIR: folder })(...CREATE, '--scopes', 'read', '--config')
  t.equal(code, 0)
  const { auth } = parse(stdout)
  const key = /trl_\S+/.exec(stdout)?.[0] ?? ''
  t.ok(isApiKey(key, auth.keys[0].hash))
  const server = await startServer(t, { config: { auth } })
  const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/list', params: {} })
  t.equal((await post(server, list, { 'X-API-Key': key })).status, 200, 'what was printed works as printed')
})

t.test(
  'a key made beside a running server opens it at once',
  { skip: POSTGRES === undefined && 'needs a server' },
  async (t) => {
    const server = await startServer(t, { config: { auth: { mode: 'apiKeys' } } })
    const { stdout } = await commandOf({ DATABASE_URL: server.database.url ?? '' })(...CREATE, '--scopes', 'read')
    const list = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tasks/list', params: {} })
    t.equal((await post(server, list, { 'X-API-Key': stdout.trim() })).status, 200)
  },
)
