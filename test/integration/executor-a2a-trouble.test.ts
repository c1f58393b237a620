import { A2aExecutor } from '../../src/executors/a2a.ts'
import type { A2aOptions } from '../../src/executors/a2a-options.ts'
import t from '../tap.ts'
import { type Answer, bodyOf, QUICK, reply, setup, taskOf } from './executor-a2a-setup.ts'
import { AttemptUnderTest } from './executor-attempt.ts'
import { deadUrl, startImpostor } from './executor-remote-agent.ts'

t.test('down: may be tried again, and the message names agent and URL', async (t) => {
  const url = await deadUrl()
  const executor = new A2aExecutor({ name: 'wolf', kind: 'a2a', url }, QUICK)
  const attempt = new AttemptUnderTest()
  await t.rejects(attempt.execute(executor), {
    name: 'RemoteAgentError',
    trouble: 'down',
    retryable: true,
    message: new RegExp(`^Agent "wolf" \\(${url}\\) could not be reached .*ECONNREFUSED`),
  })
  await executor.close()
})

t.test('slow: the send gives up when its time is up, and is not repeated', async (t) => {
  const { executor, methods, attempt } = await setup(t, ({ id, method }, response) => {
    if (method === 'ListTasks') reply(response, id, { tasks: [], nextPageToken: '' })
  })
  await t.rejects(attempt.execute(executor), { trouble: 'slow', retryable: true, message: /"wolf".*within 0.3 s/ })
  t.same(methods, ['SendMessage', 'ListTasks'])
})

t.test('slow, but it took the task: found by listing', async (t) => {
  const { executor, attempt } = await setup(t, ({ id, method }, response) => {
    const history = [{ messageId: 'attempt-1', role: 'ROLE_USER', parts: [{ text: 'x' }] }]
    if (method === 'ListTasks') reply(response, id, { tasks: [taskOf('COMPLETED', { history })], nextPageToken: '' })
  })
  await attempt.finish(executor)
  t.same(attempt.states, ['completed'])
})

t.test('a card that never comes', async (t) => {
  const slow = await startImpostor(() => undefined, { card: () => new Promise(() => undefined) })
  t.teardown(() => slow.close())
  const hanging = new A2aExecutor({ name: 'wolf', kind: 'a2a', url: `${slow.url}/nowhere/` }, QUICK)
  await t.rejects(new AttemptUnderTest().execute(hanging), { name: 'RemoteAgentError' })
})

t.test('answers nonsense: final, and says what was wrong', async (t) => {
  const cases: [string, Answer, RegExp][] = [
    ['no JSON', (_rpc, response) => response.end('<html>hello</html>'), /nonsense/],
    ['another id', (_rpc, response) => reply(response, 999, { task: taskOf('WORKING') }), /nonsense/],
    ['nothing', ({ id }, response) => reply(response, id, {}), /nonsense/],
    ['a task without id', ({ id }, response) => reply(response, id, { task: { status: {} } }), /no usable task id/],
    [
      'a part without content',
      ({ id }, response) =>
        reply(response, id, { task: taskOf('COMPLETED', { artifacts: [{ artifactId: 'a', parts: [{}] }] }) }),
      /wrong artifact/,
    ],
    [
      'an artifact without id',
      ({ id }, response) =>
        reply(response, id, { task: taskOf('COMPLETED', { artifacts: [{ parts: [{ text: 'x' }] }] }) }),
      /wrong artifact/,
    ],
  ]
  for (const [name, answer, message] of cases) {
    const { executor, attempt } = await setup(t, answer)
    await t.rejects(attempt.finish(executor), { retryable: false, message }, name)
    t.same(attempt.artifacts, [], name)
  }
})

t.test('what is too large is refused, however it comes', async (t) => {
  const parts = (count: number) => Array.from({ length: count }, () => ({ text: 'baa' }))
  const artifacts = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ artifactId: `a${i}`, parts: parts(1) }))
  const cases: [string, object, Partial<A2aOptions>, RegExp][] = [
    [
      'an answer',
      taskOf('COMPLETED', { history: [], metadata: { x: 'y'.repeat(20_000) } }),
      { maxResponseBytes: 10_000 },
      /10000 bytes in one answer/,
    ],
    ['artifacts', taskOf('COMPLETED', { artifacts: artifacts(5) }), { maxArtifacts: 4 }, /more than 4 artifacts/],
    [
      'parts',
      taskOf('COMPLETED', { artifacts: [{ artifactId: 'a', parts: parts(5) }] }),
      { maxParts: 4 },
      /more than 4 parts/,
    ],
    ['bytes', taskOf('COMPLETED', { artifacts: artifacts(5) }), { maxArtifactBytes: 12 }, /more than 12 bytes/],
  ]
  for (const [name, task, options, message] of cases) {
    const { executor, attempt } = await setup(t, ({ id }, response) => reply(response, id, { task }), { options })
    await t.rejects(attempt.finish(executor), { trouble: 'tooLarge', retryable: false, message }, name)
  }
})

t.test('HTTP errors: 503 and 429 may be tried again, 404 and redirects may not', async (t) => {
  for (const [status, retryable] of [
    [503, true],
    [429, true],
    [404, false],
    [302, false],
  ] as const) {
    const { executor, attempt } = await setup(t, (_rpc, response) => {
      response.writeHead(status, { location: 'http://127.0.0.1:1/' })
      response.end('no')
    })
    await t.rejects(attempt.execute(executor), { retryable, message: new RegExp(`HTTP ${status}`) })
  }
})

t.test('a refusal of the protocol is final, with its words', async (t) => {
  const { executor, attempt } = await setup(t, ({ id }, response) => {
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32602, message: 'no such sheep' } }))
  })
  await t.rejects(attempt.execute(executor), { trouble: 'refused', retryable: false, message: /no such sheep/ })
})

t.test('cards: other hosts, no usable interface, wrong shapes', async (t) => {
  const elsewhere = [{ url: 'http://169.254.169.254/rpc', protocolBinding: 'JSONRPC', protocolVersion: '1.0' }]
  const soap = [{ url: 'http://127.0.0.1/', protocolBinding: 'SOAP', protocolVersion: '1.0' }]
  const cases: [string, (card: Record<string, unknown>) => unknown, RegExp][] = [
    ['other hosts', (card) => ({ ...card, supportedInterfaces: elsewhere }), /other hosts only.*169\.254/],
    ['no usable interface', (card) => ({ ...card, supportedInterfaces: soap }), /only SOAP 1\.0/],
    ['wrong shape', (card) => ({ ...card, skills: 'many' }), /card that cannot be used: \/skills/],
    ['no card', () => 'hello', /card that cannot be used/],
  ]
  for (const [name, card, message] of cases) {
    const { executor, attempt } = await setup(t, () => undefined, { card })
    await t.rejects(attempt.execute(executor), { retryable: false, message }, name)
  }
})

t.test('configured headers go along', async (t) => {
  const seen: unknown[] = []
  const impostor = await startImpostor(
    (request, response) => {
      seen.push(request.headers['x-key'])
      void bodyOf(request).then((body) => reply(response, JSON.parse(body).id, { task: taskOf('COMPLETED') }))
    },
    { streaming: false },
  )
  const executor = new A2aExecutor({ name: 'wolf', kind: 'a2a', url: impostor.url, headers: { 'X-Key': 'k' } }, QUICK)
  t.teardown(() => impostor.close())
  await new AttemptUnderTest().finish(executor)
  t.same(seen, ['k'])
})
