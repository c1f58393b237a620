import t from 'tap'
import { type Event, nextResult, open, type Stream, userMessage } from '../wire/rpc.ts'
import { Socket } from '../wire/socket.ts'
import { type Answer, ask, call, getObjective, OPT_03, send, sendPlans, tasksOf, textsOf, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t)
const { agent } = server
const { hub } = server.app.core
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

t.test('objectives/subscribe', async (t) => {
  const follow = (id: string, afterSeq?: number, headers = {}) =>
    open(server, 'objectives/subscribe', { id, ...(afterSeq !== undefined && { afterSeq }) }, headers)

  /** Reads up to the event that ends the objective. */
  async function toTheEnd(stream: Stream): Promise<Event[]> {
    const events: Event[] = []
    for await (const event of stream.events) {
      events.push(event)
      const { snapshot, event: said } = event.data.result
      if (snapshot?.objective.status === 'completed') break
      if (said?.type === 'objective.status' && said.data.status === 'completed') break
    }
    stream.leave()
    return events
  }

  await t.test('a snapshot, then every event once, as they are stored', async (t) => {
    agent.when('Dig', held)
    const root = await sendPlans(server, PLANS, { wait: false })
    const stream = await follow(root.contextId)
    const { snapshot } = await nextResult(stream)
    t.match(snapshot, {
      seq: Number,
      objective: { id: root.contextId, plans: [{ tasks: [{ name: 'Dig', status: 'working' }] }] },
    })
    ;(await agent.begun('Dig')).complete()
    const events = results(await toTheEnd(stream)).map(({ event }) => event)
    const stored = await storedSeqs(root.contextId, snapshot.seq)
    t.strictSame(
      events.map(({ seq }) => seq),
      stored.filter((seq) => seq <= events.at(-1).seq),
    )
    t.match(events.at(-1), { seq: Number, time: /Z$/, type: 'objective.status', data: { status: 'completed' } })
  })

  async function storedSeqs(contextId: string, after: number): Promise<number[]> {
    const rows = await server.query<{ seq: number }>(
      'SELECT e.seq FROM event e JOIN context c ON c.key = e.context_key WHERE c.wire_id = $1 AND e.seq > $2 ORDER BY e.seq',
      contextId,
      after,
    )
    return rows.map(({ seq }) => seq)
  }

  await t.test('resumed after any event, by either name, it goes on with the next', async (t) => {
    const root = await sendPlans(server, PLANS)
    const whole = await toTheEnd(await follow(root.contextId, 0))
    const stored = await storedSeqs(root.contextId, 0)
    t.strictSame(
      whole.map(({ id }) => Number(id)),
      stored.slice(0, whole.length),
    )
    t.strictSame(
      stored,
      stored.map((_, i) => i + 1),
      'without gaps',
    )
    for (const [i, { id }] of whole.slice(0, -1).entries()) {
      const rest =
        i % 2 === 0 ? follow(root.contextId, Number(id)) : follow(root.contextId, undefined, { 'Last-Event-ID': id })
      t.strictSame(await toTheEnd(await rest), whole.slice(i + 1))
    }
  })

  await t.test('over a socket it is the same', async (t) => {
    const root = await sendPlans(server, PLANS)
    const whole = await toTheEnd(await follow(root.contextId, 0))
    const socket = await Socket.open(server)
    socket.send({
      jsonrpc: '2.0',
      id: 's',
      method: 'objectives/subscribe',
      params: { id: root.contextId, afterSeq: 0 },
    })
    for (const { data } of whole) t.strictSame((await socket.next()).result, data.result)
    await socket.close()
  })

  await t.test('a hundred followers see the same; those that leave are forgotten', async (t) => {
    const before = hub.size
    agent.when('Dig', held)
    const root = await sendPlans(server, PLANS, { wait: false })
    const streams = await Promise.all(Array.from({ length: 100 }, () => follow(root.contextId, 0)))
    const sockets = await Promise.all(Array.from({ length: 5 }, () => Socket.open(server)))
    for (const socket of sockets) {
      socket.send({ jsonrpc: '2.0', id: 1, method: 'objectives/subscribe', params: { id: root.contextId } })
      await socket.next()
    }
    t.ok(hub.size >= before + 105)
    ;(await agent.begun('Dig')).complete()
    const seen = await Promise.all(streams.map(toTheEnd))
    const [first, ...others] = seen.map((events) => JSON.stringify(events))
    t.ok(others.every((events) => events === first))
    t.match(await getObjective(server, root.contextId), { status: 'completed' })
    for (const socket of sockets) await socket.close()
    await forgotten(before)
    t.equal(hub.size, before)
  })

  /** Leaving takes a moment to be noticed at the other end. */
  async function forgotten(size: number): Promise<void> {
    for (let i = 0; i < 1_000 && hub.size > size; i += 1) await new Promise((resolve) => setImmediate(resolve))
  }

  await t.test('one that leaves in the middle, too, and a sender that goes away', async (t) => {
    await forgotten(0)
    const before = hub.size
    agent.when('Dig', held)
    const root = await sendPlans(server, PLANS, { wait: false })
    const stream = await open(server, 'tasks/resubscribe', { id: root.id })
    await nextResult(stream)
    const leaving = new AbortController()
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'message/send',
      params: { message: userMessage('Dig alone') },
    })
    const sending = fetch(server.baseUrl, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json' },
      signal: leaving.signal,
    })
    const alone = await agent.begun('Dig alone')
    t.ok(hub.size > before)
    stream.leave()
    leaving.abort()
    await t.rejects(sending)
    await forgotten(before)
    t.equal(hub.size, before)
    alone.complete()
    t.equal((await until(server, alone.context.taskId)).status.state, 'completed', 'the work goes on')
    ;(await agent.begun(/^Dig$/)).complete()
    await until(server, root.id)
  })
})
