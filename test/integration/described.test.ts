import { Ajv } from 'ajv'
import addFormats from 'ajv-formats'
import { plain } from '../../src/a2a/describe/params.ts'
import { type ResultName, SCHEMAS } from '../../src/a2a/describe/schemas.ts'
import { textOf } from '../../src/a2a/describe/texts.ts'
import t from '../tap.ts'
import { eventsOf } from '../wire/rpc.ts'
import { startServer } from './server.ts'

const ajv = new Ajv({ allErrors: true, strict: false })
addFormats.default(ajv)
ajv.addSchema({ $id: 'trellis', components: { schemas: plain(SCHEMAS) } })

/** What is wrong with an answer, by what the documents say of it. */
function wrongWith(name: ResultName, answer: unknown): unknown {
  const validate = ajv.getSchema(`trellis#/components/schemas/${name}`)
  return validate?.(answer) === true ? null : (validate?.errors ?? 'no such schema')
}

t.test('answers are what the documents say', async (t) => {
  const server = await startServer(t, { agents: [], config: {} })
  let n = 0
  const message = (text: string, more: object = {}) => {
    n += 1
    return { messageId: `described-${n}`, role: 'ROLE_USER', parts: [{ text }], ...more }
  }
  const headers = { 'content-type': 'application/json', 'A2A-Version': '1.0' }
  const ask = async (method: string, params: object) => {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    const response = await fetch(`${server.baseUrl}/`, { method: 'POST', headers, body })
    if (!response.headers.get('content-type')?.startsWith('text/event-stream')) {
      const { result, error } = (await response.json()) as { result: never; error: unknown }
      t.strictSame(error, undefined, method)
      t.strictSame(wrongWith(textOf(method).result, result), null, method)
      return result
    }
    const frames = []
    for await (const { data } of eventsOf(response)) {
      frames.push(data.result)
      t.strictSame(wrongWith(textOf(method).result, data.result), null, method)
      if (data.result.event?.type === 'objective.status' && data.result.event.data.status === 'completed') break
    }
    return frames as never
  }
  await ask('SendMessage', { message: message('What is 2 + 2?') })
  const { task } = (await ask('SendMessage', { message: message('Research bees and write a summary') })) as {
    task: Task
  }
  await ask('SendStreamingMessage', { message: message('Research bees and write a summary') })
  await ask('GetTask', { id: task.id })
  await ask('ListTasks', { includeArtifacts: true, historyLength: 5 })
  await ask('objectives/get', { id: task.contextId })
  await ask('objectives/list', {})
  const created = (await ask('objectives/create', {
    name: 'Move',
    plans: [{ name: 'Pack', tasks: [{ name: 'Books' }] }],
  })) as {
    objective: { id: string; plans: { id: string; tasks: Task[] }[] }
  }
  const [plan] = created.objective.plans
  const following = ask('objectives/subscribe', { id: created.objective.id, afterSeq: 0 })
  await ask('plans/get', { id: plan?.id })
  await ask('tasks/updateStatus', { taskId: plan?.tasks[0]?.id, state: 'working' })
  await ask('objectives/update', { id: created.objective.id, name: 'Move house' })
  const again = [{ name: 'Pack', tasks: [{ taskId: plan?.tasks[0]?.id }] }]
  const changed = await ask('objectives/replan', { id: created.objective.id, running: 'keep', plans: again })
  t.match(changed, { objective: { plans: [{ tasks: [{ carriedTo: String }] }, { supersedesPlanId: plan?.id }] } })
  await ask('tasks/updateStatus', { taskId: plan?.tasks[0]?.id, state: 'completed' })
  await following
  await ask('rpc.discover', {})
  const openApi = await (await fetch(`${server.baseUrl}/openapi.json`)).json()
  t.match(openApi, { openapi: '3.1.0', paths: { '/message:send': { post: { operationId: String } } } })
})

interface Task {
  id: string
  contextId: string
}
