import { ConfigError, loadCommandConfig, loadConfig } from '../../src/base/config.ts'
import t from '../tap.ts'

const missing = () => {
  throw Object.assign(new Error('no such file'), { code: 'ENOENT' })
}
const problemsOf = (env: Record<string, string>, text?: string): readonly string[] => {
  try {
    loadConfig(env, text === undefined ? missing : () => text)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems
    throw error
  }
}

t.test('with nothing configured there are defaults, and the echo agent', async (t) => {
  const config = loadConfig({}, missing)
  t.match(config, {
    server: { host: '127.0.0.1', port: 8080 },
    data: { dir: './data' },
    limits: { bodyBytes: 10_485_760, heartbeatSeconds: 15, blockingSeconds: undefined },
    runner: { beatSeconds: 5, lostSeconds: 20, sweepSeconds: 10, pollSeconds: 5 },
    agents: [{ name: 'echo', kind: 'echo' }],
    defaultAgent: 'echo',
  })
})

t.test('the file is read, the environment wins, and empty sections count as absent', async (t) => {
  const text = 'server:\n  port: 9000\n  host: 127.0.0.2\nlog:\nagents: [{kind: manual, name: desk}]\n'
  const read: string[] = []
  const config = loadConfig({ TRELLIS_CONFIG: 'my.yaml', PORT: '9001', LOG_LEVEL: 'debug', DATA_DIR: '' }, (path) => {
    read.push(path)
    return text
  })
  t.same(read, ['my.yaml'])
  t.match(config, {
    server: { port: 9001, host: '127.0.0.2' },
    log: { level: 'debug' },
    data: { dir: './data' },
    agents: [{ name: 'desk', kind: 'manual' }],
    defaultAgent: 'desk',
  })
})

t.test('strings take variables from the environment', async (t) => {
  const text = `agents: [{kind: a2a, name: w, url: "https://w.test", headers: {authorization: "Bearer \${W_TOKEN}"}}]`
  t.match(loadConfig({ W_TOKEN: 'abc' }, () => text).agents[0], { headers: { authorization: 'Bearer abc' } })
  t.match(problemsOf({}, text), [/^agents\[0\]\.headers\.authorization: was "\$\{W_TOKEN\}"; .*W_TOKEN must be set/])
})

t.test('what is wrong is named with its path, what it was and what it may be', async (t) => {
  const cases: [env: Record<string, string>, text: string, problem: string | RegExp][] = [
    [{ PORT: 'eighty' }, '', 'server.port (PORT): was "eighty"; must be a whole number from 0 up to 65535'],
    [{}, 'server: {prot: 1}', 'server.prot (config/trellis.yaml): is no setting; did you mean server.port?'],
    [{}, 'zzzzzzzzz: 1', /zzzzzzzzz .*is no setting; may be server, auth, data, log/],
    [{}, 'grpc: {tls: {cert: a.pem}}', /grpc\.tls\.key .*missing/],
    [{}, 'push: {timeoutSeconds: 2592000}', /push.timeoutSeconds .*was 2592000; must be .* above 0 up to 2073600/],
    [{}, 'runner: {pollSeconds: 2592000}', /runner.pollSeconds .*must be .* up to 2073600/],
    [{}, 'limits: {heartbeatSeconds: 0}', /heartbeatSeconds .*was 0; must be a number of seconds above 0/],
    [{ LOG_LEVEL: 'loud' }, '', /^log\.level \(LOG_LEVEL\): was "loud"; must be one of fatal, error/],
    [{ PUBLIC_URL: 'here' }, '', /was "here"; must be an http:\/\/ or https:\/\/ URL/],
    [{}, 'agents: [{name: a, kind: a2q}]', /^agents\[0\]\.kind .*was "a2q"; must be one of a2a, manual, echo, module/],
    [{}, 'agents: [{name: a}]', /^agents\[0\]\.kind .*is missing; must be one of a2a/],
    [{}, 'agents: [{name: a, kind: a2a}]', /^agents\[0\]\.url .*is missing; must be an http/],
    [{}, 'agents: [{name: a, kind: echo}, {name: a, kind: echo}]', /^agents\[1\]\.name: was "a"; must differ/],
    [{}, 'defaultAgent: bob', 'defaultAgent: was "bob"; must be one of echo'],
    [{}, 'runner: {lostSeconds: 5}', /^runner\.lostSeconds: was 5; must be at least twice/],
    [{}, 'groupCommit: {lanes: 10}', /^groupCommit\.lanes: was 10; must be less than data\.poolSize/],
    [
      { HOST: '0.0.0.0' },
      '',
      /^server\.host: was "0\.0\.0\.0", .* must be 127\.0\.0\.1.*AUTH_MODE.*AUTH_ALLOW_ANONYMOUS/,
    ],
    [{ AUTH_MODE: 'open' }, '', /^auth\.mode \(AUTH_MODE\): was "open"; must be one of none, apiKeys, oidc, both/],
    [{ AUTH_ALLOW_ANONYMOUS: 'yes' }, '', /was "yes"; must be true or false/],
    [{ AUTH_MODE: 'oidc' }, '', /^auth\.oidc: is missing; .*because auth\.mode is oidc/],
    [
      {},
      'auth: {oidc: {issuer: "https://i", audience: [a], algorithms: [HS256]}}',
      /was "HS256"; must be one of RS256/,
    ],
    [{}, 'server: {allowedOrigins: [app.test]}', /was "app\.test"; must be an origin/],
    [{}, 'a: b: c', /^config\/trellis\.yaml: .* at line 1/],
    [{}, '- 1', /was \[1\]; must be settings/],
  ]
  for (const [env, text, problem] of cases) t.match(problemsOf(env, text), [problem], text || JSON.stringify(env))
})

t.test('every problem is told at once, and secrets are not', async (t) => {
  const problems = problemsOf({ DATABASE_URL: 'mysql://u:hush@h/d', PORT: '-1' }, 'idempotency: maybe')
  t.equal(problems.length, 3)
  t.match(problems.join('\n'), 'data.databaseUrl (DATABASE_URL): was (not shown); must be a postgres:// URL')
  t.notMatch(problems.join('\n'), 'hush')
})

t.test(
  'beyond this machine the server listens where someone asks who calls, or the settings say that nobody does',
  async (t) => {
    for (const HOST of ['0.0.0.0', '::', '192.0.2.1', 'trellis.example.com']) {
      t.equal(problemsOf({ HOST }).length, 1, HOST)
      t.same(problemsOf({ HOST, AUTH_MODE: 'apiKeys' }), [])
      t.same(problemsOf({ HOST, AUTH_ALLOW_ANONYMOUS: 'true' }), [])
    }
    for (const HOST of ['127.0.0.1', '127.8.8.8', '::1', '[::1]', 'localhost']) t.same(problemsOf({ HOST }), [], HOST)
    t.doesNotThrow(() => loadCommandConfig({ HOST: '0.0.0.0' }, missing), 'commands do not listen')
  },
)

t.test('a file that was named must be there', async (t) => {
  t.match(problemsOf({ TRELLIS_CONFIG: 'gone.yaml' }), [/^TRELLIS_CONFIG: was "gone\.yaml".*no such file/])
})
