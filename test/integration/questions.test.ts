import { setTimeout } from 'node:timers/promises'
import { TaskState } from '@a2a-js/sdk'
import t from '../tap.ts'
import { open } from '../wire/rpc.ts'
import {
  type Answer,
  ask,
  getObjective,
  getTask,
  OPT_03,
  send,
  sendPlans,
  tasksOf,
  textsOf,
  trySend,
  until,
} from './client.ts'
import { DIALECTS, startAgent } from './executor-remote-agent.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t)
const { agent } = server
t.beforeEach(() => {
  agent.forget()
  agent.when(/^Ask/, (run) => {
    const { answer } = run.context
    if (answer === undefined) run.ask(`${run.text}: which?`)
    else run.complete(`${run.text}: ${answer.parts.map((part) => 'text' in part && part.text).join()}`)
  })
})

const asked = (task: Answer) => task.status.message?.parts[0].text

t.test('one task asks', async (t) => {
  await t.test('the sender who waits is given the question, and answers by task id', async (t) => {
    const task = await send(server, 'Ask colour')
    t.equal(task.status.state, 'input-required')
    t.equal(asked(task), 'Ask colour: which?')
    const done = await send(server, 'red', { message: { taskId: task.id } })
    t.equal(done.id, task.id)
    t.equal(done.status.state, 'completed')
    t.strictSame(textsOf(done.artifacts), ['Ask colour: red'])
    const said = done.history.map((message: Answer) => message.parts[0].text)
    t.strictSame(said, ['Ask colour', 'Ask colour: which?', 'red'])
  })

  await t.test('again and again', async (t) => {
    agent.when('Twenty questions', (run) => {
      const { answer } = run.context
      if (answer !== undefined && agent.runsOf('Twenty questions').length > 3) run.complete('a cat')
      else run.ask(`question ${agent.runsOf('Twenty questions').length}`)
    })
    const task = await send(server, 'Twenty questions')
    const message = { taskId: task.id }
    t.equal(asked(task), 'question 1')
    t.equal(asked(await send(server, 'no', { message })), 'question 2')
    t.equal(asked(await send(server, 'no', { message })), 'question 3')
    t.strictSame(textsOf((await send(server, 'yes', { message })).artifacts), ['a cat'])
    t.strictSame(
      agent.runsOf('Twenty questions').map(({ context }) => context.attempt.number),
      [1, 1, 1, 1],
      'one attempt',
    )
  })

  await t.test('it can be canceled while it waits', async (t) => {
    const task = await send(server, 'Ask size')
    t.equal((await ask(server, 'tasks/cancel', { id: task.id })).status.state, 'canceled')
    t.equal((await trySend(server, 'big', { message: { taskId: task.id } })).error.code, -32004)
  })

  await t.test('the timeout stops while it waits for a person', async (t) => {
    const root = await sendPlans(server, [{ tasks: [{ name: 'Ask slowly', timeoutSeconds: 0.4 }] }])
    t.equal(root.status.state, 'input-required')
    await setTimeout(500)
    t.equal((await send(server, 'me', { message: { taskId: root.id } })).status.state, 'completed')
  })

  await t.test('also while the executor itself waits for the authorisation', async (t) => {
    agent.when('Authorise', async (run) => {
      run.say('auth-required', 'sign in first')
      // As long as a person takes, which is longer than the timeout.
      await setTimeout(300)
      run.complete('signed in')
    })
    const root = await sendPlans(server, [{ tasks: [{ name: 'Authorise', timeoutSeconds: 0.1 }] }], { wait: false })
    t.equal((await until(server, root.id)).status.state, 'completed')
  })
})

t.test('a leaf asks, and the root shows it', async (t) => {
  await t.test('by the id of the task that asked', async (t) => {
    const root = await sendPlans(server, [{ tasks: ['Ask leaf'] }])
    t.equal(root.status.state, 'input-required')
    t.equal(asked(root), 'Ask leaf: which?')
    t.match(await getObjective(server, root.contextId), { status: 'blocked', progress: { blocked: 1 } })
    const leaf = (await tasksOf(server, root.contextId))['Ask leaf']
    const answered = await send(server, 'oak', { message: { taskId: leaf.id } })
    t.match(answered, { id: leaf.id, status: { state: 'completed' } })
    t.strictSame(textsOf((await until(server, root.id)).artifacts), ['Ask leaf: oak'])
  })

  await t.test("by the root's id", async (t) => {
    const root = await sendPlans(server, [{ tasks: ['Ask root'] }])
    const done = await send(server, 'deep', { message: { taskId: root.id } })
    t.match(done, { id: root.id, status: { state: 'completed' } })
    t.strictSame(textsOf(done.artifacts), ['Ask root: deep'])
  })

  await t.test('by the id of the question', async (t) => {
    agent.when('Long', held)
    const root = await sendPlans(server, [{ tasks: ['Ask one', 'Ask two', 'Long'] }], { wait: false })
    const tasks = await tasksOf(server, root.contextId)
    await until(server, tasks['Ask two'].id, 'input-required')
    await until(server, tasks['Ask one'].id, 'input-required')
    const inputs = await questionsOf(root.contextId)
    const metadata = { 'opt/v1/inputId': inputs['Ask two'] }
    const now = await send(server, 'second', { message: { taskId: root.id, metadata }, wait: false })
    t.equal(now.id, root.id, 'it is answered with the task it named')
    t.strictSame(textsOf((await until(server, tasks['Ask two'].id)).artifacts), ['Ask two: second'])
    t.equal((await getTask(server, tasks['Ask one'].id)).status.state, 'input-required')
    const again = await trySend(server, 'third', { message: { taskId: root.id, metadata } })
    t.equal(again.error.code, -31042, 'the first answer wins')
    await send(server, 'first', { message: { taskId: tasks['Ask one'].id } })
    ;(await agent.begun('Long')).complete()
    t.equal((await until(server, root.id)).status.state, 'completed')
  })

  await t.test('the root works while anything can move, and asks when nothing can', async (t) => {
    agent.when('Long', held)
    const root = await sendPlans(server, [{ tasks: ['Ask now', 'Long'] }], { wait: false })
    const tasks = await tasksOf(server, root.contextId)
    await until(server, tasks['Ask now'].id, 'input-required')
    t.equal((await getTask(server, root.id)).status.state, 'working')
    ;(await agent.begun('Long')).complete()
    const blocked = await until(server, root.id, 'input-required')
    t.equal(asked(blocked), 'Ask now: which?')
    t.equal((await send(server, 'this', { message: { taskId: root.id } })).status.state, 'completed')
  })

  await t.test('only the contextId: an answer with OPT where one question is open, a follow-up without', async (t) => {
    const root = await sendPlans(server, [{ tasks: ['Ask context'] }])
    const { contextId } = root
    const follow = await send(server, 'Feed the cat', { message: { contextId } })
    t.not(follow.id, root.id)
    t.equal((await getTask(server, root.id)).status.state, 'input-required')
    const answered = await send(server, 'mine', { message: { contextId }, headers: OPT_03 })
    t.equal(answered.status.state, 'completed')
    t.strictSame(textsOf((await until(server, root.id)).artifacts), ['Ask context: mine'])
  })

  await t.test('only the contextId, and opt/v1/taskId', async (t) => {
    const root = await sendPlans(server, [{ tasks: ['Ask this', 'Ask that'] }])
    const { contextId } = root
    const tasks = await tasksOf(server, contextId)
    const unclear = await send(server, 'Draw a cat', { message: { contextId }, headers: OPT_03 })
    t.notOk(['Ask this', 'Ask that'].map((name) => tasks[name].id).includes(unclear.id), 'two are open: a follow-up')
    const metadata = { 'opt/v1/taskId': tasks['Ask that'].id }
    const answered = await send(server, 'that one', { message: { contextId, metadata } })
    t.match(answered, { id: tasks['Ask that'].id, status: { state: 'completed' } })
    await send(server, 'this one', { message: { taskId: tasks['Ask this'].id } })
    await until(server, root.id)
  })

  await t.test('two questions, one after the other by the root: oldest first', async (t) => {
    const tasks = ['Ask A', { name: 'Ask B', dependencies: ['task-1'] }]
    const root = await sendPlans(server, [{ tasks }])
    t.equal(asked(root), 'Ask A: which?')
    const next = await send(server, 'a', { message: { taskId: root.id } })
    t.match(next.status, { state: 'input-required' })
    t.equal(asked(next), 'Ask B: which?')
    const done = await send(server, 'b', { message: { taskId: root.id } })
    t.strictSame(textsOf(done.artifacts), ['Ask B: b'])
  })
})

/** The open questions of an objective, by the name of the task. */
async function questionsOf(objectiveId: string): Promise<Record<string, string>> {
  const names = await tasksOf(server, objectiveId)
  const stream = await open(server, 'objectives/subscribe', { id: objectiveId, afterSeq: 0 })
  const found: Record<string, string> = {}
  for await (const { data } of stream.events) {
    const { type, taskId, data: of } = data.result.event
    if (type !== 'input.requested') continue
    for (const task of Object.values(names)) if (task.id === taskId) found[task.name] = of.inputId
    if (Object.keys(found).length === 2) break
  }
  stream.leave()
  return found
}

t.test('auth-required', async (t) => {
  await t.test('in band: the agent returns, and goes on with the answer', async (t) => {
    agent.when('Log in', (run) => {
      if (run.context.answer === undefined) run.end('auth-required', 'your token?')
      else run.complete('in')
    })
    const root = await sendPlans(server, [{ tasks: ['Log in'] }])
    t.equal(root.status.state, 'auth-required')
    t.equal(asked(root), 'your token?')
    const done = await send(server, 'secret', { message: { taskId: root.id } })
    t.strictSame(textsOf(done.artifacts), ['in'])
  })

  await t.test('out of band: the agent waits by itself, and goes on', async (t) => {
    agent.when('Log in there', held)
    const task = await send(server, 'Log in there', { wait: false })
    const run = await agent.begun('Log in there')
    run.say('auth-required', 'go to https://login.example')
    t.equal((await until(server, task.id, 'auth-required')).status.state, 'auth-required')
    run.say('working')
    run.complete('in')
    t.equal((await until(server, task.id)).status.state, 'completed')
    t.equal(agent.runsOf('Log in there').length, 1)
  })
})

t.test('across a remote agent', async (t) => {
  for (const dialect of DIALECTS) {
    await t.test(dialect, async (t) => {
      const remote = await startAgent({
        dialect,
        work: ({ context, text, task, status, chunk }) => {
          task()
          if (context.task !== undefined) {
            chunk('ticket', `ticket for ${text}`, { lastChunk: true })
            return status(TaskState.TASK_STATE_COMPLETED)
          }
          status(TaskState.TASK_STATE_INPUT_REQUIRED, 'where to?')
        },
      })
      const config = { agents: [{ kind: 'a2a', name: 'remote', url: remote.url, checkSeconds: 0.1 }] }
      const here = await startServer(t, { config })
      const root = await sendPlans(here, [
        { tasks: ['Book a flight', { name: 'Pay', dependencies: ['task-1'], manual: true }] },
      ])
      t.equal(root.status.state, 'input-required')
      t.equal(asked(root), 'where to?')
      const stream = await open(here, 'tasks/resubscribe', {
        id: (await tasksOf(here, root.contextId))['Book a flight'].id,
      })
      await send(here, 'Helsinki', { message: { taskId: root.id }, wait: false })
      for await (const { data } of stream.events) if (data.result.final) break
      stream.leave()
      const flight = await getTask(here, (await tasksOf(here, root.contextId))['Book a flight'].id)
      t.equal(flight.status.state, 'completed')
      t.strictSame(textsOf(flight.artifacts), ['ticket for Helsinki'])
      t.equal(remote.received.length, 2, 'two messages to one remote task')
      t.equal(remote.received[0]?.taskId, remote.received[1]?.taskId)
      await here.close()
      await remote.close()
    })
  }
})
