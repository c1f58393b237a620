import { fileURLToPath } from 'node:url'
import type { ExecutionEvent, RequestContext } from '../../src/executors/executor.ts'
import { ModuleExecutor } from '../../src/executors/module.ts'
import t from '../tap.ts'

const path = (name: string) => fileURLToPath(new URL(`./fixtures/executors/${name}.mjs`, import.meta.url))
const load = (name: string) => new ModuleExecutor({ name: 'mine', path: path(name) })

const context = {
  taskId: 'task-1',
  contextId: 'context-1',
  tenant: 'acme',
  message: { messageId: 'm', role: 'user', parts: [{ text: 'hello' }] },
  currentTask: {
    id: 'task-1',
    contextId: 'context-1',
    state: 'working',
    statusAt: '',
    history: [],
    artifacts: [],
    metadata: {},
  },
  relatedTasks: [],
  configuration: {},
  requestedExtensions: new Set(),
  metadata: {},
} as unknown as RequestContext

async function published(executor: ModuleExecutor, call: 'execute' | 'cancel' = 'execute'): Promise<ExecutionEvent[]> {
  const events: ExecutionEvent[] = []
  await executor[call](context, { publish: (event) => void events.push(event), flush: async () => undefined })
  return events
}

t.test('an object, a factory or a class', async (t) => {
  t.match(await published(load('object')), [{ state: 'completed' }])
  t.match(await published(load('factory')), [{ message: { parts: [{ text: 'mine' }] } }])
  t.match(await published(load('class')), [{ state: 'failed' }])
})

t.test('an executor written for the SDK', async (t) => {
  const executor = load('sdk')
  t.match(await published(executor), [
    { kind: 'task', state: 'working' },
    { kind: 'artifact', artifact: { artifactId: 'loud', parts: [{ text: 'HELLO' }] }, append: false, lastChunk: true },
    { kind: 'status', state: 'completed' },
  ])
  t.match(await published(executor, 'cancel'), [{ kind: 'status', state: 'canceled' }])
})

t.test('what is wrong with a module is said, with its path and its agent', async (t) => {
  const cases = {
    missing: /Agent "mine": the module .*missing\.mjs cannot be loaded/,
    nothing: /exports neither `default` nor `executor`/,
    wrong: /does not export an executor/,
    throws: /cannot be loaded: no key/,
    'factory-throws': /failed to make its executor: no licence/,
  }
  for (const [name, message] of Object.entries(cases))
    await t.rejects(load(name).load(), { message, retryable: false }, name)
})
