import t from '../tap.ts'
import { type Event, nextResult, open, type Stream, userMessage } from '../wire/rpc.ts'
import { Socket } from '../wire/socket.ts'
import { type Answer, getObjective, sendPlans, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t)
const { agent } = server
const { hub } = server.app.core
t.beforeEach(() => agent.forget())

const PLANS = [{ name: 'Build', tasks: ['Dig', { name: 'Pour', dependencies: ['task-1'] }] }]

const results = (events: Event[]): Answer[] => events.map(({ data }) => data.result)
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
    const until = Date.now() + 20_000
    while (hub.size > size && Date.now() < until) await new Promise((resolve) => setImmediate(resolve))
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
    alone.say('working', 'not for anyone in particular')
    await alone.events.flush()
    alone.complete()
    t.equal((await until(server, alone.context.taskId)).status.state, 'completed', 'the work goes on')
    ;(await agent.begun(/^Dig$/)).complete()
    await until(server, root.id)
  })
})
