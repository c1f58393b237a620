import t from '../tap.ts'
import { type Event, nextResult, open, type Stream, userMessage } from '../wire/rpc.ts'
import { type Answer, ask, call, OPT_03, send, sendPlans, tasksOf, textsOf } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t)
const { agent } = server
t.beforeEach(() => agent.forget())

const PLANS = [{ name: 'Build', tasks: ['Dig', { name: 'Pour', dependencies: ['task-1'] }] }]

async function all(stream: Stream): Promise<Event[]> {
  const events: Event[] = []
  for await (const event of stream.events) events.push(event)
  return events
}

const results = (events: Event[]): Answer[] => events.map(({ data }) => data.result)
const states = (events: Event[]) =>
  results(events).flatMap(({ kind, status }) => (kind === 'status-update' ? [status.state] : []))

t.test('message/stream', async (t) => {
  await t.test('an answer is one Message, and the end', async (t) => {
    const stream = await open(server, 'message/stream', { message: userMessage('What is 2 + 2?') })
    t.match(results(await all(stream)), [{ kind: 'message', parts: [{ text: '2 + 2 = 4' }] }])
  })

  await t.test('the task first, then what happens to it, and only the last frame is final', async (t) => {
    agent.when('Paint', (run) => {
      run.say('working', 'mixing colours')
      run.complete('a painting')
    })
    const events = await all(await open(server, 'message/stream', { message: userMessage('Paint') }))
    const [first, ...updates] = results(events)
    t.match(first, { kind: 'task', history: [{ parts: [{ text: 'Paint' }] }] })
    t.equal(states(events).at(-1), 'completed')
    t.ok(updates.some(({ kind, artifact }) => kind === 'artifact-update' && artifact.parts[0].text === 'a painting'))
    t.strictSame(
      updates.filter(({ final }) => final).map((update) => updates.indexOf(update)),
      [updates.length - 1],
    )
    const ids = events.map(({ id }) => Number(id))
    t.strictSame(
      ids,
      [...new Set(ids)].sort((a, b) => a - b),
      'ids go up',
    )
  })

  await t.test('an objective tells how far it is, and hands out its deliverables', async (t) => {
    const message = userMessage('Do it', { metadata: { 'opt/v1/plans': PLANS } })
    const events = await all(await open(server, 'message/stream', { message }))
    const [first, ...updates] = results(events)
    t.match(first, { kind: 'task', metadata: { 'opt/v1/objectiveId': first.contextId } })
    t.ok(
      updates.every(({ taskId }) => taskId === first.id),
      'without OPT, only the root',
    )
    const said = updates.flatMap(({ status }) => status?.message?.parts[0].text ?? [])
    t.ok(said.includes('1 of 2 done'), said.join())
    const artifacts = updates.filter(({ kind }) => kind === 'artifact-update').map(({ artifact }) => artifact)
    t.strictSame(textsOf(artifacts), ['Pour: done'])
    t.match(updates.at(-1), { final: true, status: { state: 'completed' } })
  })

  await t.test('with OPT, the tasks below as well, each under its own id', async (t) => {
    const message = userMessage('Do it', { metadata: { 'opt/v1/plans': PLANS } })
    const events = await all(await open(server, 'message/stream', { message }, OPT_03))
    const [first, ...updates] = results(events)
    const tasks = await tasksOf(server, first.contextId)
    const ofDig = updates.filter(({ taskId }) => taskId === tasks['Dig'].id)
    t.match(ofDig[0], { metadata: { 'opt/v1/planId': tasks['Dig'].planId, 'opt/v1/taskIndex': 0 } })
    t.ok(ofDig.some(({ status }) => status?.state === 'completed'))
    t.notOk(
      ofDig.some(({ final }) => final),
      'final is for the stream',
    )
    t.match(updates.at(-1), { taskId: first.id, final: true })
  })

  await t.test('it closes when input is required, and stays open while auth is', async (t) => {
    agent.when('Ask', (run) => run.ask('which?'))
    const events = await all(await open(server, 'message/stream', { message: userMessage('Ask') }))
    t.match(results(events).at(-1), { final: true, status: { state: 'input-required' } })
    agent.when('Log in', held)
    const stream = await open(server, 'message/stream', { message: userMessage('Log in') })
    const run = await agent.begun('Log in')
    run.say('auth-required', 'go there')
    const seen: string[] = []
    for await (const { data } of stream.events) {
      if (data.result.status) seen.push(data.result.status.state)
      if (seen.at(-1) === 'auth-required') run.complete()
    }
    t.ok(seen.includes('auth-required'))
    t.equal(seen.at(-1), 'completed')
  })

  await t.test('chunks of an artifact come as they are, and the task has them joined', async (t) => {
    agent.when('Write', async (run) => {
      for (const [i, word] of ['one ', 'two ', 'three'].entries()) {
        run.chunk(word, { name: 'text', append: i > 0, lastChunk: i === 2 })
        await run.events.flush()
      }
      run.end('completed')
    })
    const events = await all(await open(server, 'message/stream', { message: userMessage('Write') }))
    const chunks = results(events).filter(({ kind }) => kind === 'artifact-update')
    t.strictSame(
      chunks.map(({ artifact, append, lastChunk }) => [artifact.parts[0].text, append, lastChunk]),
      [
        ['one ', false, false],
        ['two ', true, false],
        ['three', true, true],
      ],
    )
    const task = await ask(server, 'tasks/get', { id: results(events)[0].id })
    t.strictSame(task.artifacts.length, 1)
    t.strictSame(textsOf(task.artifacts), ['one ', 'two ', 'three'])
  })

  await t.test('one sent again without append replaces what was there', async (t) => {
    agent.when('Draft', async (run) => {
      run.chunk('first draft', { name: 'text' })
      await run.events.flush()
      run.chunk('second draft', { name: 'text' })
      run.end('completed')
    })
    t.strictSame(textsOf((await send(server, 'Draft')).artifacts), ['second draft'])
  })

  await t.test('and nothing of what it said of itself before is left', async (t) => {
    agent.when('Redraw', async (run) => {
      const described = { name: 'Cat', description: 'A sketch', metadata: { sketch: true }, extensions: ['urn:a'] }
      run.chunk('first', { artifactId: 'drawing', ...described })
      await run.events.flush()
      run.chunk('second', { artifactId: 'drawing', extensions: ['urn:b'] })
      run.end('completed')
    })
    const { artifacts } = await send(server, 'Redraw')
    t.strictSame(artifacts, [
      { artifactId: 'drawing', parts: [{ kind: 'text', text: 'second' }], extensions: ['urn:b'] },
    ])
  })
})

t.test('tasks/resubscribe', async (t) => {
  await t.test('the task first, and then all that comes', async (t) => {
    agent.when('Dig', held)
    const root = await sendPlans(server, PLANS, { wait: false })
    const stream = await open(server, 'tasks/resubscribe', { id: root.id })
    t.match(await nextResult(stream), { kind: 'task', id: root.id, status: { state: 'working' } })
    ;(await agent.begun('Dig')).complete()
    t.match(results(await all(stream)).at(-1), { status: { state: 'completed' }, final: true })
  })

  await t.test('a terminal task refuses; with Last-Event-ID it gives what came after', async (t) => {
    const root = await sendPlans(server, PLANS)
    t.equal((await call(server, 'tasks/resubscribe', { id: root.id })).error.code, -32004)
    const whole = await all(await open(server, 'tasks/resubscribe', { id: root.id }, { 'Last-Event-ID': '0' }))
    t.match(results(whole).at(-1), { status: { state: 'completed' }, final: true })
    for (const [i, { id }] of whole.entries()) {
      const rest = await all(await open(server, 'tasks/resubscribe', { id: root.id }, { 'Last-Event-ID': `${id}` }))
      t.strictSame(rest, whole.slice(i + 1), `after ${id}`)
    }
    const bySeq = await all(await open(server, 'tasks/resubscribe', { id: root.id, afterSeq: Number(whole[0]?.id) }))
    t.strictSame(bySeq, whole.slice(1))
  })

  await t.test('broken off and resumed all the time, nothing is missing and nothing comes twice', async (t) => {
    const tasks = Array.from({ length: 12 }, (_, i) => ({
      name: `Step ${i}`,
      dependencies: i > 0 ? [`task-${i}`] : [],
    }))
    const root = await sendPlans(server, [{ tasks }], { wait: false })
    const seen: Event[] = []
    while (!seen.at(-1)?.data.result.final) {
      const stream = await open(server, 'tasks/resubscribe', { id: root.id, afterSeq: Number(seen.at(-1)?.id ?? 0) })
      const { value } = await stream.events.next()
      if (value) seen.push(value)
      stream.leave()
    }
    const whole = await all(await open(server, 'tasks/resubscribe', { id: root.id, afterSeq: 0 }))
    t.strictSame(seen, whole)
  })
})
