import t from '../tap.ts'
import { open, userMessage } from '../wire/rpc.ts'
import { ask, getObjective, send } from './client.ts'
import { startServer } from './server.ts'

/** What a stream says until it ends by itself; the test's timeout is what fails one that does not. */
async function whole(...how: Parameters<typeof open>) {
  const frames = []
  for await (const { data } of (await open(...how)).events) frames.push(data)
  return frames
}

t.test('who had the last of a finished task gets nothing more, though its context goes on', async (t) => {
  const server = await startServer(t, { agents: [] })
  const first = await send(server, 'Feed the cat')
  const events = await open(server, 'tasks/resubscribe', { id: first.id }, { 'Last-Event-ID': '0' })
  let last: string | undefined
  for await (const { id } of events.events) last = id
  await send(server, 'Feed the dog', { message: { contextId: first.contextId } })
  const resume = (id: string) => whole(server, 'tasks/resubscribe', { id: first.id }, { 'Last-Event-ID': id })
  t.strictSame(await resume(String(last)), [])
  t.strictSame(await resume('999999'), [])
  const again = await resume(String(Number(last) - 1))
  t.match(again, [{ result: { kind: 'status-update', status: { state: 'completed' }, final: true } }])
})

t.test('a stream of a message whose task asks already ends with the question', async (t) => {
  const server = await startServer(t, { agents: [] })
  const { objective } = await ask(server, 'objectives/create', { name: 'Move house' })
  const { plan } = await ask(server, 'plans/create', {
    objectiveId: objective.id,
    name: 'By van',
    tasks: [{ name: 'Pack' }],
  })
  const message = (text: string) => ({ role: 'agent', parts: [{ text }] })
  const asked = (text: string) => ({ taskId: plan.tasks[0].id, state: 'input-required', message: message(text) })
  await ask(server, 'tasks/updateStatus', asked('Which boxes?'))
  const taskId = (await getObjective(server, objective.id)).metadata['opt/v1/rootTaskId']
  const answer = userMessage('The large ones', { taskId })
  await ask(server, 'message/send', { message: answer, configuration: { blocking: false } })
  await ask(server, 'tasks/updateStatus', asked('And which tape?'))
  const frames = await whole(server, 'message/stream', { message: answer })
  t.match(frames, [{ result: { id: taskId, status: { state: 'input-required', message: { parts: Array } } } }])
  t.equal(frames.length, 1)
})
