import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { Message, type Part, Task } from '@a2a-js/sdk'
import { type Client, ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client'
import { type Child, startChild } from '../../examples/demo/child.ts'
import t from '../tap.ts'

const AGENTS = join(import.meta.dirname, '../../examples/agents')
const DOCUMENTS = {
  'tea.md':
    '# Tea\n\nGreen tea is steeped at eighty degrees for two or three minutes.\n\nBoiling water spoils green tea for good.\n',
  'kettles.txt': 'A kettle with a thermometer stops well before the water boils, which green tea needs.\n',
}

const legacyCompat = { enabled: true }
const factory = new ClientFactory({
  transports: [new JsonRpcTransportFactory({ legacyCompat }), new RestTransportFactory({ legacyCompat })],
})

function start(agent: string, folder: string): Promise<Child> {
  const args = [join(AGENTS, agent, 'main.ts'), '--folder', folder]
  return startChild(agent, { args, readyAt: { line: /^ready (\S+)$/ } })
}

async function send(client: Client, text: string, parts: Part[] = []): Promise<Task> {
  const message = Message.fromJSON({ messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }] })
  const request = {
    tenant: '',
    message: { ...message, parts: [...message.parts, ...parts] },
    configuration: undefined,
    metadata: {},
  }
  return (await client.sendMessage(request)) as Task
}

/** The artifacts' parts as the server hands them to the next task: each says which artifact it is from. */
function handOn(task: Task): Part[] {
  return task.artifacts.flatMap(({ artifactId, parts }) =>
    parts.map((part) => ({ ...part, metadata: { ...part.metadata, 'opt/v1/from': { artifactId, taskId: task.id } } })),
  )
}

const json = (task: Task) => Task.toJSON(task) as { status: { state: string; message?: unknown }; artifacts: unknown[] }

t.test('three agents over two versions and two bindings research, write and review', async (t) => {
  const folder = t.testdir(DOCUMENTS)
  const children = await Promise.all(['researcher', 'writer', 'reviewer'].map((agent) => start(agent, folder)))
  t.teardown(() => Promise.all(children.map((child) => child.stop())))
  const clients = await Promise.all(children.map((child) => factory.createFromUrl(child.ready)))
  const [researcher, writer, reviewer] = clients as [Client, Client, Client]

  const cards = await Promise.all(clients.map((client) => client.getAgentCard()))
  t.match(
    cards.map((card) => card.supportedInterfaces[0]),
    [
      { protocolBinding: 'JSONRPC', protocolVersion: '1.0' },
      { protocolBinding: 'HTTP+JSON', protocolVersion: '1.0' },
      { protocolBinding: 'JSONRPC', protocolVersion: /^0\.3/ },
    ],
    'each speaks its own way',
  )

  const researched = await send(researcher, 'Research how green tea is brewed')
  t.match(json(researched), {
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ name: 'findings', parts: [{ text: /tea\.md:3/ }, { data: { findings: [{ file: String }] } }] }],
  })
  const written = await send(writer, 'Write a cited summary in at most 100 words', handOn(researched))
  t.match(json(written), {
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [{ name: 'summary', parts: [{ text: /^# How green tea is brewed\n[\s\S]*\[1\]/ }] }],
  })
  const reviewed = await send(reviewer, 'Review it: at most 100 words', handOn(written))
  t.match(json(reviewed), {
    status: { state: 'TASK_STATE_COMPLETED' },
    artifacts: [
      { name: 'summary' },
      { name: 'review', parts: [{ text: /approved/ }, { data: { verdict: 'approved' } }] },
    ],
  })
  const refused = await send(writer, 'Write a summary')
  t.match(json(refused), { status: { state: 'TASK_STATE_REJECTED', message: { parts: [{ text: /No findings/ }] } } })
})

t.test('a wrong flag or folder ends an agent with the reason', async (t) => {
  await t.rejects(start('researcher', '/nowhere'), { message: /--folder was "\/nowhere"/ })
  const args = [join(AGENTS, 'writer/main.ts'), '--prot', '1']
  await t.rejects(startChild('writer', { args, readyAt: { line: /^ready (.*)/ } }), {
    message: /Unknown option '--prot'/,
  })
})
