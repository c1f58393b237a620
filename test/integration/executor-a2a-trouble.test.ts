import type { IncomingMessage, ServerResponse } from 'node:http'
import t, { type Test } from 'tap'
import { A2aExecutor } from '../../src/executors/a2a.ts'
import { type A2aOptions, DEFAULT_A2A_OPTIONS } from '../../src/executors/a2a-options.ts'
import type { AgentConfig } from '../../src/executors/agent-config.ts'
import { AttemptUnderTest } from './executor-attempt.ts'
import { deadUrl, startAgent, startImpostor } from './executor-remote-agent.ts'

const QUICK: A2aOptions = {
  ...DEFAULT_A2A_OPTIONS,
  cardTimeoutMs: 300,
  responseTimeoutMs: 300,
  sendTimeoutMs: 300,
  idleTimeoutMs: 100,
  minCheckMs: 1,
  maxCheckMs: 2,
  maxFailedChecks: 3,
}

type Answer = (rpc: { id: number; method: string; params: Record<string, unknown> }, response: ServerResponse) => void

async function setup(
  t: Test,
  answer: Answer,
  more: { streaming?: boolean; card?: (card: Record<string, unknown>) => unknown; options?: Partial<A2aOptions> } = {},
  config: Partial<AgentConfig> = {},
) {
  const methods: string[] = []
  const impostor = await startImpostor(
    (request, response) => {
      void bodyOf(request).then((body) => {
        const rpc = JSON.parse(body)
        methods.push(rpc.method)
        answer(rpc, response)
      })
    },
    { streaming: false, ...more },
  )
  const options = { ...QUICK, ...more.options }
  const executor = new A2aExecutor({ name: 'wolf', kind: 'a2a', ...config, url: impostor.url }, options)
  t.teardown(async () => {
    await executor.close()
    await impostor.close()
  })
  return { impostor, executor, methods, attempt: new AttemptUnderTest() }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

function reply(response: ServerResponse, id: number, result: unknown): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

function taskOf(state: string, more: object = {}) {
  return { id: 'remote-1', contextId: 'there', status: { state: `TASK_STATE_${state}` }, ...more }
}

function event(response: ServerResponse, id: number, result: unknown): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
}

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
  const grpc = [{ url: 'http://127.0.0.1/', protocolBinding: 'GRPC', protocolVersion: '1.0' }]
  const cases: [string, (card: Record<string, unknown>) => unknown, RegExp][] = [
    ['other hosts', (card) => ({ ...card, supportedInterfaces: elsewhere }), /other hosts only.*169\.254/],
    ['no usable interface', (card) => ({ ...card, supportedInterfaces: grpc }), /only GRPC 1\.0/],
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

t.test('a stream that stalls is left, and checks find the end', async (t) => {
  const { executor, methods, attempt } = await setup(
    t,
    ({ id, method }, response) => {
      if (method === 'SendStreamingMessage') return event(response, id, { task: taskOf('WORKING') })
      const artifacts = [{ artifactId: 'howl', parts: [{ text: 'awoo' }] }]
      reply(response, id, taskOf('COMPLETED', { artifacts }))
    },
    { streaming: true },
  )
  t.equal(await attempt.finish(executor), 1, 'parked once')
  t.equal(attempt.textOf('howl'), 'awoo')
  t.same(methods, ['SendStreamingMessage', 'GetTask'])
})

t.test('events for other tasks, repeated and late ones change nothing', async (t) => {
  const { executor, attempt } = await setup(
    t,
    ({ id }, response) => {
      const chunk = (taskId: string, text: string, append = false) => ({
        artifactUpdate: { taskId, contextId: 'there', append, artifact: { artifactId: 'howl', parts: [{ text }] } },
      })
      const status = (taskId: string, state: string) => ({
        statusUpdate: { taskId, contextId: 'there', status: { state: `TASK_STATE_${state}` } },
      })
      event(response, id, { task: taskOf('WORKING') })
      event(response, id, chunk('another', 'no'))
      event(response, id, status('another', 'FAILED'))
      event(response, id, chunk('remote-1', 'awoo'))
      event(response, id, chunk('remote-1', 'awoo'))
      event(response, id, status('remote-1', 'WORKING'))
      event(response, id, { statusUpdate: { taskId: 'remote-1', status: { state: 'TASK_STATE_UNSPECIFIED' } } })
      event(response, id, status('remote-1', 'COMPLETED'))
      event(response, id, chunk('remote-1', 'too late'))
      event(response, id, status('remote-1', 'FAILED'))
      response.end()
    },
    { streaming: true },
  )
  await attempt.finish(executor)
  t.equal(attempt.textOf('howl'), 'awoo')
  t.same(attempt.states, ['working', 'completed'])
})

t.test('a chunk that goes on with something missed: the whole task sets it right', async (t) => {
  const { executor, attempt } = await setup(
    t,
    ({ id, method }, response) => {
      if (method === 'GetTask') {
        return reply(
          response,
          id,
          taskOf('COMPLETED', { artifacts: [{ artifactId: 'howl', parts: [{ text: 'a' }, { text: 'woo' }] }] }),
        )
      }
      event(response, id, { task: taskOf('WORKING') })
      event(response, id, {
        artifactUpdate: {
          taskId: 'remote-1',
          append: true,
          artifact: { artifactId: 'howl', parts: [{ text: 'woo' }] },
        },
      })
      event(response, id, { statusUpdate: { taskId: 'remote-1', status: { state: 'TASK_STATE_COMPLETED' } } })
      response.end()
    },
    { streaming: true },
  )
  await attempt.finish(executor)
  t.equal(attempt.textOf('howl'), 'awoo')
})

t.test('checks that fail are tried again so often, then the attempt fails', async (t) => {
  let failing = 2
  const answer: Answer = ({ id, method }, response) => {
    if (method === 'SendMessage') return reply(response, id, { task: taskOf('WORKING') })
    if (failing-- > 0) return void response.writeHead(503).end()
    reply(response, id, taskOf('COMPLETED'))
  }
  const patient = await setup(t, answer)
  await patient.attempt.finish(patient.executor)
  t.equal(patient.attempt.states.at(-1), 'completed')
  failing = 100
  const hopeless = await setup(t, answer)
  await t.rejects(hopeless.attempt.finish(hopeless.executor), { retryable: true, message: /503/ })
  t.equal(hopeless.methods.length, 1 + QUICK.maxFailedChecks + 1)
})

t.test('never ends: the signal ends the call at once, in the middle of a stream or of a send', async (t) => {
  const opened = Promise.withResolvers<void>()
  const closed = Promise.withResolvers<void>()
  const { executor, attempt } = await setup(
    t,
    ({ id, method }, response) => {
      if (method !== 'SendStreamingMessage') return reply(response, id, taskOf('CANCELED'))
      event(response, id, { task: taskOf('WORKING') })
      response.on('close', () => closed.resolve())
      opened.resolve()
    },
    { streaming: true, options: { idleTimeoutMs: 60_000 } },
  )
  const running = attempt.execute(executor)
  await attempt.until(() => attempt.record.remoteTaskId !== undefined)
  attempt.abort('timeout')
  await running
  await closed.promise
  t.pass('and the stream is closed')
})

t.test('the intervals between checks grow up to a bound', async (t) => {
  const { executor, attempt } = await setup(
    t,
    ({ id, method }, response) => {
      const task = taskOf('WORKING')
      reply(response, id, method === 'SendMessage' ? { task } : task)
    },
    { options: { minCheckMs: 1_000, maxCheckMs: 30_000 } },
  )
  const waits: number[] = []
  for (let parked = 0; parked < 8; parked += 1) {
    const outcome = await attempt.execute(executor)
    waits.push(Math.round(((outcome?.checkAt.getTime() ?? 0) - Date.now()) / 1000))
  }
  t.same(waits, [1, 2, 4, 8, 16, 30, 30, 30])
})

t.test('an agent that dies in the middle, and comes back with its tasks', async (t) => {
  const release = Promise.withResolvers<void>()
  const first = await startAgent({
    dialect: '1.0 JSONRPC',
    work: async (reply) => {
      reply.task()
      reply.chunk('howl', 'a')
      await release.promise
    },
  })
  const executor = new A2aExecutor({ name: 'wolf', kind: 'a2a', url: first.url }, QUICK)
  t.teardown(() => executor.close())
  const attempt = new AttemptUnderTest()
  const running = attempt.execute(executor)
  await attempt.until(() => attempt.textOf('howl') === 'a')
  await first.close()
  t.match(await running, { parked: true }, 'its work is not given up')
  t.match(await attempt.execute(executor), { parked: true })
  release.resolve()
})
