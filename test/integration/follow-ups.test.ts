import t from '../tap.ts'
import { getObjective, getTask, OPT_03, send, sendPlans, tasksOf, textsOf, trySend, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t)
t.beforeEach(() => server.agent.forget())

t.test('follow-ups', async (t) => {
  await t.test('without references: given what the latest finished task made', async (t) => {
    const first = await send(server, 'Draw a boat')
    const message = { contextId: first.contextId }
    const second = await send(server, 'Make the boat red', { message })
    t.not(second.id, first.id)
    const [run] = server.agent.runsOf('Make the boat red')
    t.strictSame(run?.told, ['Make the boat red', 'Draw a boat: done'])
    t.match(run?.context.relatedTasks, [{ id: first.id, artifacts: [{ name: 'result' }] }])
    t.strictSame(await getTask(server, first.id), first, 'what it builds on is as it was')
  })

  await t.test('with references: given what those made, and no others', async (t) => {
    const { id, contextId } = await send(server, 'Draw a house')
    await send(server, 'Draw a tree', { message: { contextId } })
    await send(server, 'Paint the house', { message: { contextId, referenceTaskIds: [id] } })
    t.strictSame(server.agent.runsOf('Paint the house')[0]?.told, ['Paint the house', 'Draw a house: done'])
  })

  await t.test('references that are not finished are waited for', async (t) => {
    server.agent.when('Draw a sheep', held)
    const first = await send(server, 'Draw a sheep', { wait: false })
    const message = { contextId: first.contextId, referenceTaskIds: [first.id] }
    const second = await send(server, 'Shear the sheep', { message, wait: false })
    t.equal(second.status.state, 'submitted')
    t.equal(server.agent.runsOf('Shear the sheep').length, 0)
    ;(await server.agent.begun('Draw a sheep')).complete('a sheep')
    t.equal((await until(server, second.id)).status.state, 'completed')
    t.strictSame(server.agent.runsOf('Shear the sheep')[0]?.told, ['Shear the sheep', 'a sheep'])
  })

  await t.test('one that failed is waited for, too', async (t) => {
    server.agent.when('Draw a wolf', held)
    const first = await send(server, 'Draw a wolf', { wait: false })
    const message = { contextId: first.contextId, referenceTaskIds: [first.id] }
    const second = send(server, 'Tame the wolf', { message })
    ;(await server.agent.begun('Draw a wolf')).fail()
    t.equal((await second).status.state, 'completed')
  })

  await t.test('unknown references are refused', async (t) => {
    const { contextId } = await send(server, 'Draw a cow')
    const message = { contextId, referenceTaskIds: ['task-none'] }
    t.match((await trySend(server, 'Milk the cow', { message })).error, { code: -32001, message: /task-none/ })
  })

  await t.test('a finished task of another context may be referred to', async (t) => {
    const elsewhere = await send(server, 'Draw a fox')
    await send(server, 'Paint the fox', { message: { contextId: 'elsewhere', referenceTaskIds: [elsewhere.id] } })
    t.strictSame(server.agent.runsOf('Paint the fox')[0]?.told, ['Paint the fox', 'Draw a fox: done'])
  })

  await t.test('they run in parallel', async (t) => {
    server.agent.when(/^Knit \d/, held)
    const { contextId } = await send(server, 'Draw a hat')
    const both = [1, 2].map((n) => send(server, `Knit ${n}`, { message: { contextId } }))
    const runs = await Promise.all([1, 2].map((n) => server.agent.begun(`Knit ${n}`)))
    for (const run of runs) run.complete()
    for (const task of await Promise.all(both)) t.equal(task.status.state, 'completed')
  })

  await t.test('one that is planned joins the objective, which works again', async (t) => {
    const first = await sendPlans(server, [{ name: 'One', tasks: ['Dig a hole'] }])
    const { contextId } = first
    t.equal((await getObjective(server, contextId)).status, 'completed')
    server.agent.when('Fill the hole', held)
    const plans = [{ name: 'Two', tasks: ['Fill the hole'] }]
    const second = await sendPlans(server, plans, {
      message: { contextId, metadata: { 'opt/v1/plans': plans } },
      wait: false,
    })
    const objective = await getObjective(server, contextId)
    t.match(objective, { status: 'working', plans: [{ name: 'One', status: 'completed' }, { name: 'Two' }] })
    const run = await server.agent.begun('Fill the hole')
    t.strictSame(run.told, ['Fill the hole', 'Dig a hole: done'], 'a plan that starts is given what the root is given')
    run.complete()
    await until(server, second.id)
    t.equal((await getObjective(server, contextId)).status, 'completed')
    t.strictSame(await getTask(server, first.id), first, 'what was finished is as it was')
  })
})

const TRAVEL = [
  'Book a flight to Helsinki',
  'Based on task 1, book a hotel',
  'Based on task 1, book a snowmobile activity',
  'Based on task 2, add a spa reservation to the hotel booking',
]

t.test('the travel example of the life of a task', async (t) => {
  const given = (n: number) => {
    const words = ['flight to', 'book a hotel', 'snowmobile', 'spa'][n - 1] as string
    return server.agent.runsOf(new RegExp(words, 'i')).at(-1)?.told.slice(1)
  }

  await t.test('as one message', async (t) => {
    const text = TRAVEL.map((line, i) => `${i + 1}. ${line}`).join('\n')
    const root = await send(server, text, { headers: OPT_03 })
    t.equal(root.status.state, 'completed')
    const tasks = Object.values(await tasksOf(server, root.contextId))
    const ids = tasks.map(({ id }) => id)
    const edges = tasks.map(({ dependencies }) => dependencies.map((id: string) => ids.indexOf(id) + 1))
    t.strictSame(edges, [[], [1], [1], [2]])
    t.strictSame(given(1), [], 'the flight is given nothing')
    t.match(given(2), [/flight.*done/])
    t.match(given(3), [/flight.*done/])
    t.match(given(4), [/hotel.*done/])
    t.match(textsOf(root.artifacts).sort(), [/spa/, /snowmobile/], 'what nothing depends on is delivered')
  })

  await t.test('as four messages, the later ones while the first is at work', async (t) => {
    server.agent.forget()
    server.agent.when(/./, held)
    const flight = await send(server, TRAVEL[0] as string, { wait: false })
    const { contextId } = flight
    const follow = (text: string | undefined, on: { id: string }) =>
      send(server, text as string, { message: { contextId, referenceTaskIds: [on.id] }, wait: false })
    const hotel = await follow(TRAVEL[1], flight)
    const snowmobile = await follow(TRAVEL[2], flight)
    const spa = await follow(TRAVEL[3], hotel)
    const later = [hotel, snowmobile, spa]
    t.strictSame(
      later.map(({ status }) => status.state),
      ['submitted', 'submitted', 'submitted'],
    )
    ;(await server.agent.begun(TRAVEL[0] as string)).complete('flight 1234')
    const both = await Promise.all([server.agent.begun(TRAVEL[1] as string), server.agent.begun(TRAVEL[2] as string)])
    for (const run of both) t.strictSame(run.told.slice(1), ['flight 1234'])
    both[0]?.complete('hotel 5678')
    const last = await server.agent.begun(TRAVEL[3] as string)
    t.strictSame(last.told.slice(1), ['hotel 5678'])
    last.complete('spa 90')
    both[1]?.complete('snowmobile 12')
    for (const task of later) t.equal((await until(server, task.id)).status.state, 'completed')
  })

  await t.test('as four messages that only say "task 1" and "task 2"', async (t) => {
    server.agent.forget()
    server.agent.when(/./, (run) => run.complete(`${run.text.slice(-12).trim()}!`))
    const first = await send(server, TRAVEL[0] as string)
    const { contextId } = first
    for (const text of TRAVEL.slice(1)) await send(server, text, { message: { contextId } })
    t.strictSame(given(2), ['to Helsinki!'])
    t.strictSame(given(3), ['to Helsinki!'])
    t.strictSame(given(4), ['book a hotel!'])
  })
})
