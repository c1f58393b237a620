import { A2AService } from '@a2a-js/sdk/server/grpc'
import { type Metadata, Server, ServerCredentials, type UntypedServiceImplementation } from '@grpc/grpc-js'
import type { Test } from 'tap'
import { A2aExecutor } from '../../src/executors/a2a.ts'
import { grpcTarget } from '../../src/executors/a2a-grpc.ts'
import type { A2aOptions } from '../../src/executors/a2a-options.ts'
import t from '../tap.ts'
import { send } from './client.ts'
import { QUICK } from './executor-a2a-setup.ts'
import { AttemptUnderTest } from './executor-attempt.ts'
import { startImpostor } from './executor-remote-agent.ts'
import { startServer } from './server.ts'

/** Agents over gRPC: their bounds, their troubles, and where a card may send us. */

const TASK = { id: 'task-1', contextId: 'c', status: { state: 3, message: undefined, timestamp: undefined } }
const DONE = { ...TASK, artifacts: [], history: [], metadata: undefined }

type Handler = (
  call: { metadata: Metadata },
  answer: (error: object | null, value?: unknown, trailers?: Metadata) => void,
) => void

/** An executor whose agent answers sends over gRPC as the test likes. */
async function agentOf(t: Test, sendMessage: Handler, more: { options?: Partial<A2aOptions>; address?: string } = {}) {
  const grpc = new Server()
  const { sendMessage: method } = A2AService
  grpc.addService({ sendMessage: method }, { sendMessage } as unknown as UntypedServiceImplementation)
  const port = await new Promise<number>((resolve, reject) => {
    grpc.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, at) =>
      error ? reject(error) : resolve(at),
    )
  })
  const url = more.address ?? `127.0.0.1:${port}`
  const supportedInterfaces = [{ url, protocolBinding: 'GRPC', protocolVersion: '1.0' }]
  const remote = await startImpostor(() => undefined, {
    streaming: false,
    card: (card) => ({ ...card, supportedInterfaces }),
  })
  const config = { name: 'wolf', kind: 'a2a' as const, url: remote.url, headers: { 'X-Key': 'k' } }
  const executor = new A2aExecutor(config, { ...QUICK, ...more.options })
  t.teardown(async () => {
    await executor.close()
    await remote.close()
    grpc.forceShutdown()
  })
  return { executor, attempt: new AttemptUnderTest(), grpc }
}

/** What an attempt was rejected with; undefined if it was not. */
const troubleOf = (attempt: Promise<unknown>): Promise<unknown> =>
  attempt.then(
    () => undefined,
    (error) => error,
  )

t.test('configured headers go along as metadata', async (t) => {
  const seen: unknown[] = []
  const { executor, attempt } = await agentOf(t, ({ metadata }, answer) => {
    seen.push(...metadata.get('x-key'), ...metadata.get('a2a-version'))
    answer(null, { payload: { $case: 'task', value: DONE } })
  })
  await attempt.finish(executor)
  t.strictSame(seen, ['k', '1.0'])
  t.equal(attempt.states.at(-1), 'completed')
})

t.test('what goes wrong says whether another try may help', async (t) => {
  const cases: [Handler, Record<string, unknown>, Partial<A2aOptions>?][] = [
    [() => undefined, { trouble: 'slow', retryable: true, message: /did not answer within 0\.3 s/ }],
    [(_, answer) => answer({ code: 14, details: 'come back later' }), { trouble: 'broken', retryable: true }],
    [(_, answer) => answer({ code: 8, details: 'too many' }), { trouble: 'busy', retryable: true }],
    [(_, answer) => answer({ code: 2, details: 'oops' }), { trouble: 'busy', retryable: true }],
    [(_, answer) => answer({ code: 3, details: 'no such sheep' }), { trouble: 'refused', message: /no such sheep/ }],
    [(_, answer) => answer({ code: 16, details: 'who?' }), { trouble: 'refused', retryable: false }],
    [
      (_, answer) =>
        answer(null, { payload: { $case: 'task', value: { ...DONE, metadata: { x: 'x'.repeat(5_000_000) } } } }),
      { trouble: 'tooLarge', retryable: false, message: /larger than max/ },
      { sendTimeoutMs: 10_000 },
    ],
  ]
  for (const [handler, error, options] of cases) {
    const { executor, attempt } = await agentOf(t, handler, { ...(options && { options }) })
    t.match(await troubleOf(attempt.execute(executor)), error)
  }
  const { executor, attempt, grpc } = await agentOf(t, () => undefined)
  grpc.forceShutdown()
  t.match(await troubleOf(attempt.execute(executor)), { trouble: 'down', retryable: true })
})

t.test('a card opens no other door', async (t) => {
  for (const address of ['169.254.169.254:80', 'unix:/run/some.sock', 'dns://192.0.2.1/localhost', 'xds:///x']) {
    const { executor, attempt } = await agentOf(t, () => undefined, { address })
    const end = await troubleOf(attempt.execute(executor))
    t.match(end, { trouble: 'refused', message: /other hosts only/ }, address)
  }
})

t.test('addresses', async (t) => {
  const of = (address: string, agent = 'http://a.example') => grpcTarget(address, agent)
  t.match(of('a.example:50051'), { endpoint: 'a.example:50051', secure: false })
  t.match(of('a.example:50051', 'https://a.example'), { endpoint: 'a.example:50051', secure: true })
  t.match(of('a.example', 'https://a.example'), { endpoint: 'a.example:443', secure: true })
  t.match(of('https://a.example/'), { endpoint: 'a.example:443', secure: true })
  t.match(of('http://a.example:8', 'https://a.example'), { endpoint: 'a.example:8', secure: false })
  t.match(of('[::1]:50051'), { endpoint: '[::1]:50051' })
  for (const odd of ['a.example:99999', 'ftp://a.example', 'a.example/x', 'u@a.example:1', ''])
    t.equal(of(odd), undefined)
})

t.test('one Trellis works for another over gRPC', async (t) => {
  const there = await startServer(t, { config: { grpc: { port: 0 } } })
  there.agent.when('Count', (run) => {
    run.say('working')
    run.complete('three sheep')
  })
  for (const protocolVersion of ['1.0', '0.3']) {
    const agents = [{ kind: 'a2a', name: 'other', url: there.baseUrl, transport: 'GRPC', protocolVersion }]
    const here = await startServer(t, { config: { agents } })
    const task = await send(here, 'Count sheep')
    t.equal(task.status.state, 'completed', protocolVersion)
    t.match(task.artifacts, [{ parts: [{ text: 'three sheep' }] }])
  }
})
