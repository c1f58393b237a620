import type { Test } from 'tap'
import { type Answer, call, OPT_DIALECT, post, type Server, userMessage } from '../rpc.ts'

/**
 * The JSON examples of the source documents, as requests and as shapes of what they get. Ids and times go by form;
 * states that depend on progress by vocabulary, and a printed `working` may be `submitted`.
 */
export async function documents(t: Test, server: Server): Promise<void> {
  await t.test('OPT extension: a send that is planned', async (t) => {
    const { body } = await post(server, RESEARCH_REQUEST, OPT_DIALECT)
    t.match(body, { jsonrpc: '2.0', id: 1 })
    const { task, objective } = body.result
    t.match(task, {
      id: String,
      contextId: objective.id,
      status: { state: STARTED, timestamp: /^\d{4}-.*Z$/ },
      metadata: {
        'opt/v1/objectiveId': objective.id,
        'opt/v1/planId': objective.plans[0].id,
        'opt/v1/taskIndex': 0,
      },
    })
    t.equal(task.id, objective.plans[0].tasks[0].id, 'the first task of the first plan')
    tree(t, objective)
    await fetched(t, server, objective.id)
    await listed(t, server, objective.id)
  })

  await t.test('OPT extension: a direct answer', async (t) => {
    const parts = [{ type: 'text', text: 'What is 2 + 2?' }]
    const { result } = await call(server, 'message/send', { message: userMessage('', { parts }) }, OPT_DIALECT)
    t.match(result, { message: { role: 'agent', parts: [{ type: 'text', text: '2 + 2 = 4' }] } })
    t.strictSame(Object.keys(result), ['message'])
  })

  await t.test('OPT extension, option A: without the extension, metadata tells of the objective', async (t) => {
    const text = 'Research AI safety papers and write a summary'
    const params = { message: userMessage(text), configuration: { blocking: false } }
    const { result } = await call(server, 'message/send', params)
    t.match(result, { kind: 'task', metadata: { 'opt/v1/objectiveId': result.contextId } })
    t.notOk('opt/v1/objective' in result.metadata)
  })

  await t.test('OPT extension, option B: the client creates the objective', async (t) => {
    const created = await call(server, 'objectives/create', { name: 'Research AI safety...' })
    t.match(created.result, { objective: { id: String, name: 'Research AI safety...', status: 'planning' } })
    const { id } = created.result.objective
    const message = userMessage('Feed the cat', { contextId: id })
    const sent = await call(server, 'message/send', { message, configuration: { blocking: false } })
    t.equal(sent.result.contextId, id)
  })

  await t.test('OPT extension, option C: hints in the metadata, and nothing of message id or role', async (t) => {
    const message = {
      parts: [{ type: 'text', text: 'Research AI safety papers and write a summary' }],
      metadata: { 'opt/v1/preferObjective': true, 'opt/v1/suggestedName': 'AI Safety Research' },
    }
    const { result } = await call(server, 'message/send', { message }, OPT_DIALECT)
    t.match(result.task, { id: String })
    t.match(result.objective, { id: String, name: 'AI Safety Research', status: STARTED, plans: Array })
  })

  for (const [document, request, form] of SAILBOAT_REQUESTS) {
    await t.test(`life of a task, ${document}`, async (t) => {
      const { body } = await post(server, request)
      t.match(body, { jsonrpc: '2.0', id: 'req-001', result: { id: String, contextId: String } })
      form(t, body.result)
      const { id, contextId } = body.result
      const next = await post(server, followUp(request, contextId, id))
      t.match(next.body, { jsonrpc: '2.0', id: 'req-002', result: { id: String, contextId } })
      t.not(next.body.result.id, id, 'a new task in the same context')
      form(t, next.body.result)
    })
  }
}

/** The document prints `working` and `pending`; a quick server may be further on. */
const STARTED = /^(working|submitted|completed)$/
const PROGRESS = /^(pending|working|completed)$/

/** The tree of the extension document: these names, in this order and nesting. */
function tree(t: Test, objective: Answer): void {
  t.match(objective, { id: String, name: 'Research AI safety papers and write a summary', plans: Array })
  t.match(objective.status, STARTED)
  const [research, writing] = objective.plans
  t.match(research, { id: String, name: 'Research', status: PROGRESS })
  t.match(writing, { id: String, name: 'Writing', status: PROGRESS })
  const names = objective.plans.map((plan: Answer) => plan.tasks.map((task: Answer) => task.name))
  t.strictSame(names, [['Search papers', 'Summarize findings'], ['Write summary']])
  for (const plan of objective.plans) {
    for (const task of plan.tasks) t.match(task, { id: String, name: String, status: PROGRESS })
  }
}

async function fetched(t: Test, server: Server, id: string): Promise<void> {
  const all = await call(server, 'objectives/get', { id, includePlans: true, includeTasks: true })
  t.strictSame(Object.keys(all.result), ['objective'])
  t.match(all.result.objective, { id, plans: [{ tasks: [{ name: 'Search papers' }] }, { tasks: Array }] })
  const byDefault = await call(server, 'objectives/get', { id })
  t.match(byDefault.result.objective, { plans: [{ tasks: Array }, { tasks: Array }] })
  const plans = await call(server, 'objectives/get', { id, includeTasks: false })
  t.notOk('tasks' in plans.result.objective.plans[0])
  const bare = await call(server, 'objectives/get', { id, includePlans: false })
  t.notOk('plans' in bare.result.objective)
  const plan = await call(server, 'plans/get', { id: all.result.objective.plans[0].id })
  t.match(plan.result, { plan: { id: all.result.objective.plans[0].id, name: 'Research', tasks: Array } })
}

/** With OPT, `tasks/list` has an objective's tasks, and not the root that stands for all of them. */
async function listed(t: Test, server: Server, contextId: string): Promise<void> {
  const { result } = await call(server, 'tasks/list', { contextId }, OPT_DIALECT)
  t.match(result, { tasks: Array, nextPageToken: '', pageSize: Number, totalSize: 3 })
  t.equal(result.tasks.length, 3)
  for (const task of result.tasks) t.match(task, { kind: 'task', contextId, metadata: { 'opt/v1/planId': String } })
  const all = await call(server, 'tasks/list', { contextId })
  t.equal(all.result.totalSize, 4)
}

const RESEARCH_REQUEST = `{
  "jsonrpc": "2.0",
  "method": "message/send",
  "id": 1,
  "params": {
    "message": {
      "messageId": "msg-123",
      "role": "user",
      "parts": [{"type": "text", "text": "Research AI safety papers and write a summary"}]
    }
  }
}`

const LEGACY_SAILBOAT = `{
  "jsonrpc": "2.0",
  "id": "req-001",
  "method": "message/send",
  "params": {
    "message": {
      "role": "user",
      "parts": [
        {
          "kind": "text",
          "text": "Generate an image of a sailboat on the ocean."
        }
      ],
      "messageId": "msg-user-001"
    }
  }
}`

const DOTTED_SAILBOAT = `{
  "jsonrpc": "2.0",
  "id": "req-001",
  "method": "message.send",
  "params": {
    "message": {
      "role": "user",
      "parts": [
        {
          "text": "Generate an image of a sailboat on the ocean."
        }
      ],
      "messageId": "msg-user-001"
    }
  }
}`

const SAILBOAT_REQUESTS: readonly [string, string, (t: Test, result: Answer) => void][] = [
  ['with slashes', LEGACY_SAILBOAT, legacyForm],
  ['with dots', DOTTED_SAILBOAT, dottedForm],
]

const STATE = /^(submitted|working|completed|failed|canceled|rejected|input-required|auth-required)$/

function legacyForm(t: Test, result: Answer): void {
  t.match(result, { kind: 'task', status: { state: STATE } })
  for (const { parts } of result.artifacts ?? []) {
    for (const part of parts) t.match(part, { kind: /^(text|file|data)$/ })
  }
}

/** No `kind` anywhere, `fileWithBytes`, and `mediaType`. */
function dottedForm(t: Test, result: Answer): void {
  t.match(result, { status: { state: STATE } })
  t.notMatch(JSON.stringify({ ...result, history: undefined }), /"(kind|type|bytes|mimeType)":/)
}

/** The second request as each document prints it, with the ids that the first answer gave. */
function followUp(first: string, contextId: string, taskId: string): string {
  const request = JSON.parse(first)
  request.id = 'req-002'
  request.params.message = {
    role: 'user',
    messageId: 'msg-user-002',
    contextId,
    referenceTaskIds: [taskId],
    parts: [{ ...request.params.message.parts[0], text: "That's great! Can you make the sailboat red?" }],
  }
  return JSON.stringify(request)
}
