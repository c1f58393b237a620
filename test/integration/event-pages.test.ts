import { randomBytes } from 'node:crypto'
import t from '../tap.ts'
import { nextResult, open } from '../wire/rpc.ts'
import { ask } from './client.ts'
import { startServer } from './server.ts'

t.test('followers read large events one by one, and miss none', async (t) => {
  const server = await startServer(t, { agents: [] })
  const { objective } = await ask(server, 'objectives/create', { name: 'Paint' })
  const tasks = [{ name: 'Sketch' }]
  const { plan } = await ask(server, 'plans/create', { objectiveId: objective.id, name: 'Oil', tasks })
  const pictures = Array.from({ length: 3 }, () => ({ parts: [{ text: randomBytes(300_000).toString('base64') }] }))
  const taskId = plan.tasks[0].id
  await ask(server, 'tasks/updateStatus', { taskId, state: 'completed', artifacts: pictures })
  const [row] = await server.query<{ key: string }>(`SELECT key FROM context WHERE wire_id = '${objective.id}'`)
  const sizes: number[] = []
  const seqs: number[] = []
  for (let after = 0; ; after = seqs.at(-1) ?? 0) {
    const page = await server.app.core.readEvents({ contextKey: row?.key ?? '', after })
    if (page.length === 0) break
    sizes.push(page.filter(({ type }) => type === 'task.artifact').length)
    seqs.push(...page.map(({ seq }) => seq))
  }
  t.ok(
    sizes.every((size) => size <= 1),
    'a page has one of them at most',
  )
  t.strictSame(
    seqs,
    seqs.map((_, index) => index + 1),
  )
  const stream = await open(server, 'tasks/resubscribe', { id: taskId }, { 'Last-Event-ID': '0' })
  const texts: string[] = []
  for (let last = false; !last; ) {
    const result = await nextResult(stream)
    last = result.final === true
    if (result.artifact) texts.push(result.artifact.parts[0].text)
  }
  t.strictSame(
    texts,
    pictures.map(({ parts }) => parts[0]?.text),
  )
})
