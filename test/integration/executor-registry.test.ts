import type { AgentConfig as FileAgent } from '../../src/base/config.ts'
import { A2aExecutor } from '../../src/executors/a2a.ts'
import type { AgentConfig } from '../../src/executors/agent-config.ts'
import { EchoExecutor } from '../../src/executors/echo.ts'
import { AgentRegistry } from '../../src/executors/registry.ts'
import t from '../tap.ts'
import { AttemptUnderTest } from './executor-attempt.ts'
import { deadUrl, startAgent, startImpostor } from './executor-remote-agent.ts'

t.test('without agents there is echo, which takes everything', async (t) => {
  const registry = new AgentRegistry({ agents: [] })
  t.match(registry.route({ text: 'anything' }), { agent: 'echo' })
  t.ok(registry.executorFor('echo') instanceof EchoExecutor)
  t.same(
    registry.agents().map((agent) => agent.name),
    ['echo', 'manual'],
  )
  t.throws(() => registry.executorFor('cook'), { message: 'No agent is named "cook"; known are echo, manual' })
  await registry.close()
})

t.test('what is configured wrong is said at once', async (t) => {
  t.throws(() => new AgentRegistry({ agents: [{ name: 'x', kind: 'a2a' }] }), { message: /"x" of kind a2a needs url/ })
  t.throws(() => new AgentRegistry({ agents: [{ name: 'x', kind: 'module' }] }), { message: /needs path/ })
  t.throws(() => new AgentRegistry({ agents: [], defaultAgent: 'cook' }), { message: /"cook"/ })
  const twice: AgentConfig = { name: 'x', kind: 'echo' }
  t.throws(() => new AgentRegistry({ agents: [twice, twice] }), { message: /Two agents/ })
  const broken = new AgentRegistry({ agents: [{ name: 'x', kind: 'module', path: './no-such-file.mjs' }] })
  await t.rejects(broken.loadModules(), { message: /no-such-file/ })
})

t.test('an agent as the configuration file gives it is one of ours', async (t) => {
  const fromFile: FileAgent = {
    kind: 'a2a',
    name: 'x',
    url: 'http://127.0.0.1:1',
    description: '',
    skills: [],
    headers: {},
  }
  const registry = new AgentRegistry({ agents: [fromFile] })
  t.same(registry.agent('x'), { kind: 'a2a', name: 'x', url: 'http://127.0.0.1:1' }, 'what is empty counts as not said')
  t.ok(registry.executorFor('x') instanceof A2aExecutor)
  await registry.close()
})

t.test('skills come from the card in the background, as soon as it can be had', async (t) => {
  let ready = false
  const impostor = await startImpostor(() => undefined, { card: (card) => (ready ? card : 'not yet') })
  const problem = Promise.withResolvers<void>()
  const agents: AgentConfig[] = [
    { name: 'shepherd', kind: 'a2a', url: impostor.url },
    { name: 'wolf', kind: 'a2a', url: await deadUrl() },
    { name: 'poet', kind: 'a2a', url: await deadUrl(), skills: [{ id: 'rhyme', name: 'Rhyme' }] },
  ]
  const troubled: string[] = []
  const learnt = Promise.withResolvers<void>()
  const registry = new AgentRegistry({
    agents,
    cardRetryMs: 5,
    onProblem: (agent) => {
      troubled.push(agent)
      if (agent === 'shepherd') problem.resolve()
      if (registry.agent('shepherd')?.skills) learnt.resolve()
    },
  })
  t.teardown(() => impostor.close())
  registry.start()
  registry.start()
  t.match(registry.route({ text: 'x', skill: 'counting' }), { retryable: true }, 'may be known later')
  await problem.promise
  ready = true
  await learnt.promise
  t.match(registry.route({ text: 'count my sheep' }), { agent: 'shepherd' })
  t.match(registry.agent('shepherd'), { description: 'Does what a test says.', outputModes: ['text/plain'] })
  t.match(registry.route({ text: 'x', skill: 'rhyme' }), { agent: 'poet' })
  t.notOk(troubled.includes('poet'), 'a card that is not needed is not fetched')
  await registry.close()
  await registry.close()
})

t.test('a card is fetched once for many, and again when it has expired', async (t) => {
  const agent = await startAgent({ dialect: '0.3 JSONRPC', work: (reply) => reply.message('hi') })
  const registry = new AgentRegistry({ agents: [{ name: 'x', kind: 'a2a', url: agent.url }] })
  t.teardown(async () => {
    await registry.close()
    await agent.close()
  })
  const executor = registry.executorFor('x')
  await Promise.all([1, 2, 3].map(() => new AttemptUnderTest().finish(executor)))
  const fetched = () => agent.requests.filter((one) => one.includes('agent-card')).length
  t.equal(fetched(), 1)
  if (executor instanceof A2aExecutor) executor.cards.expire()
  await new AttemptUnderTest().finish(executor)
  t.equal(fetched(), 2)
})

t.test('a card as 0.3 writes it', async (t) => {
  const card = {
    protocolVersion: '0.3.0',
    name: 'old',
    description: 'An old agent',
    preferredTransport: 'JSONRPC',
    version: '1',
    capabilities: { streaming: false },
    defaultInputModes: ['text'],
    defaultOutputModes: ['text'],
    skills: [{ id: 'old', name: 'Old', description: 'Is old', tags: ['age'] }],
  }
  const seen: string[] = []
  const impostor = await startImpostor(
    (request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        const { id, method, params } = JSON.parse(body)
        seen.push(method, String(params.configuration.blocking), String(request.headers['a2a-version']))
        const status = {
          state: 'completed',
          message: { kind: 'message', messageId: 'm', role: 'agent', parts: [{ kind: 'text', text: 'ok' }] },
        }
        response.setHeader('content-type', 'application/json')
        response.end(JSON.stringify({ jsonrpc: '2.0', id, result: { kind: 'task', id: 'r', contextId: 'c', status } }))
      })
    },
    { card: ({ supportedInterfaces }) => ({ ...card, url: (supportedInterfaces as { url: string }[])[0]?.url }) },
  )
  const registry = new AgentRegistry({ agents: [{ name: 'old', kind: 'a2a', url: impostor.url }] })
  t.teardown(async () => {
    await registry.close()
    await impostor.close()
  })
  const attempt = new AttemptUnderTest()
  await attempt.finish(registry.executorFor('old'))
  t.same(seen, ['message/send', 'false', '0.3'])
  t.same(attempt.states, ['completed'])
  t.match(registry.agent('old')?.skills, [{ id: 'old' }])
})
