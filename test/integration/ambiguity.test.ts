import t from '../tap.ts'
import { getTask, send } from './client.ts'
import { startServer } from './server.ts'

t.test('a follow-up that speaks of one artifact where there are several asks which', async (t) => {
  const server = await startServer(t)
  server.agent.when('Draw', (run) => {
    run.chunk('a picture', { name: 'sailboat.png', artifactId: 'picture' })
    run.chunk('a line', { name: 'caption.txt', artifactId: 'caption' })
    run.end('completed')
  })
  const drawn = await send(server, 'Draw a boat with a caption')
  const { contextId } = drawn

  await t.test('a name in the words settles it', async (t) => {
    const task = await send(server, 'Make the sailboat red, it is too pale', { message: { contextId } })
    t.equal(task.status.state, 'completed')
  })

  await t.test('it asks, and no agent has it until it is told', async (t) => {
    const message = { contextId, referenceTaskIds: [drawn.id] }
    const asked = await send(server, 'Make it larger', { message })
    t.equal(asked.status.state, 'input-required')
    t.match(asked.status.message.parts[0].text, /Which of these.*sailboat\.png.*caption\.txt/s)
    t.same(server.agent.runsOf('Make it larger'), [])
    const meant = { referenceArtifacts: [{ artifactId: 'picture', taskId: drawn.id }] }
    const parts = [{ kind: 'text', text: 'The first one', metadata: meant }]
    const done = await send(server, { role: 'user', messageId: 'the-first', taskId: asked.id, parts })
    t.equal(done.status.state, 'completed')
    const [run] = server.agent.runsOf('Make it larger')
    t.same(
      run?.told,
      ['Make it larger', 'The first one', 'a picture'],
      'the request, the answer, and that artifact alone',
    )
    t.equal((await getTask(server, asked.id)).history.length, 3, 'request, question, answer')
  })

  await t.test('whoever says at once which is meant is not asked', async (t) => {
    const metadata = { referenceArtifacts: [{ artifactId: 'caption', taskId: drawn.id }] }
    const parts = [{ kind: 'text', text: 'Shorten it', metadata }]
    const task = await send(server, { role: 'user', messageId: 'shorten', contextId, parts })
    t.equal(task.status.state, 'completed')
    t.same(server.agent.runsOf('Shorten it')[0]?.told, ['Shorten it', 'a line'])
  })
})
