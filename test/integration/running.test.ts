import t from '../tap.ts'
import { ask, call, getObjective, getTask, send, sendPlans, tasksOf, textsOf, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t, { config: { limits: { concurrentTasksPerObjective: 3, firstEventSeconds: 0.3 } } })
const { agent } = server
t.beforeEach(() => agent.forget())

t.test('order', async (t) => {
  await t.test('a task starts when what it depends on is done, and is given what that made', async (t) => {
    agent.when(/./, held)
    const tasks = [
      { key: 'a', name: 'Dig' },
      { key: 'b', name: 'Pour', dependencies: ['a'] },
      { key: 'c', name: 'Wall', dependencies: ['a'] },
      { key: 'd', name: 'Roof', dependencies: ['b', 'c'] },
    ]
    const root = await sendPlans(server, [{ name: 'Build', tasks }], { wait: false })
    ;(await agent.begun('Dig')).complete('a hole')
    const [pour, wall] = await Promise.all([agent.begun('Pour'), agent.begun('Wall')])
    t.strictSame(
      [pour.told, wall.told],
      [
        ['Pour', 'a hole'],
        ['Wall', 'a hole'],
      ],
    )
    t.equal(agent.runsOf('Roof').length, 0)
    pour.complete('a floor')
    wall.complete('walls')
    const roof = await agent.begun('Roof')
    t.strictSame(roof.told.sort(), ['Roof', 'a floor', 'walls'])
    roof.complete('a house')
    const done = await until(server, root.id)
    t.strictSame(textsOf(done.artifacts), ['a house'])
  })

  await t.test('a plan that depends on plans is given what they delivered, and nothing from within', async (t) => {
    const plans = [
      { key: 'one', tasks: ['Sow', { name: 'Reap', dependencies: ['task-1'] }] },
      { key: 'two', tasks: ['Milk'] },
      { key: 'three', dependencies: ['one', 'two'], tasks: ['Bake', { name: 'Eat', dependencies: ['task-1'] }] },
    ]
    const root = await sendPlans(server, plans)
    t.equal(root.status.state, 'completed')
    t.strictSame(agent.runsOf('Bake')[0]?.told.sort(), ['Bake', 'Milk: done', 'Reap: done'])
    t.strictSame(agent.runsOf('Eat')[0]?.told, ['Eat', 'Bake: done'])
    t.strictSame(textsOf(root.artifacts), ['Eat: done'])
  })

  await t.test('a task may be planned in its turn', async (t) => {
    const inner = [{ name: 'Inner', tasks: ['Knead', { name: 'Rise', dependencies: ['task-1'] }] }]
    const tasks = [
      'Grind',
      { key: 'bread', name: 'Bread', dependencies: ['task-1'], plans: inner },
      { name: 'Butter', dependencies: ['bread'] },
    ]
    const root = await sendPlans(server, [{ name: 'Breakfast', tasks }])
    t.equal(root.status.state, 'completed')
    t.strictSame(agent.runsOf('Knead')[0]?.told, ['Knead', 'Grind: done'])
    t.strictSame(agent.runsOf('Butter')[0]?.told, ['Butter', 'Rise: done'])
    t.match(await getObjective(server, root.contextId), { status: 'completed', progress: { completed: 5, total: 5 } })
  })

  await t.test('higher priority goes first', async (t) => {
    agent.when(/./, held)
    const tasks = [...'abcd'].map((name, i) => ({ name, priority: i }))
    const root = await sendPlans(server, [{ tasks }], { wait: false })
    const first = await Promise.all([agent.begun('d'), agent.begun('c'), agent.begun('b')])
    t.equal(agent.runsOf('a').length, 0)
    for (const run of first) run.complete()
    ;(await agent.begun('a')).complete()
    await until(server, root.id)
  })
})

t.test('limits', async (t) => {
  await t.test('no more tasks of one objective at once than config says', async (t) => {
    agent.when(/./, held)
    const tasks = Array.from({ length: 10 }, (_, i) => ({ name: `n${i}.` }))
    const root = await sendPlans(server, [{ tasks }], { wait: false })
    for (let n = 1; n <= 10; n += 1) {
      await agent.nextRun(n)
      t.ok(agent.running <= 3, `${agent.running} at once`)
      if (n === 3) t.match(await getObjective(server, root.contextId), { progress: { working: 3, pending: 7 } })
      if (n >= 3) agent.runs[n - 3]?.complete()
      if (n === 10) for (const last of agent.runs.filter((one) => one.open)) last.complete()
    }
    t.equal((await until(server, root.id)).status.state, 'completed')
  })

  await t.test('slots: an agent with maxConcurrent gets no more at once, over all objectives', async (t) => {
    const limited = await startServer(t, { agentConfig: { maxConcurrent: 2 } })
    limited.agent.when(/./, held)
    const roots = await Promise.all(
      [1, 2, 3].map((n) => sendPlans(limited, [{ tasks: [`a${n}`, `b${n}`] }], { wait: false })),
    )
    for (let n = 1; n <= 6; n += 1) {
      const run = await limited.agent.nextRun(n)
      t.ok(limited.agent.running <= 2, `${limited.agent.running} at once`)
      if (n >= 2) limited.agent.runs[n - 2]?.complete()
      if (n === 6) run.complete()
    }
    for (const { id } of roots) t.equal((await until(limited, id)).status.state, 'completed')
  })
})

t.test('attempts', async (t) => {
  await t.test('an attempt that throws is tried again, as often as the task says', async (t) => {
    agent.when('Fetch', (run) => {
      if (run.context.attempt.number < 3) throw new Error('no network')
      run.complete()
    })
    const retry = { maxAttempts: 3, backoffSeconds: 0.01, maxBackoffSeconds: 0.02 }
    const root = await sendPlans(server, [{ tasks: [{ name: 'Fetch', retry }] }])
    t.equal(root.status.state, 'completed')
    t.strictSame(
      agent.runsOf('Fetch').map(({ context }) => context.attempt.number),
      [1, 2, 3],
    )
  })

  await t.test('and then fails with what went wrong', async (t) => {
    agent.when('Fetch', () => {
      throw new Error('no network')
    })
    const retry = { maxAttempts: 2, backoffSeconds: 0.01 }
    const root = await sendPlans(server, [{ tasks: [{ name: 'Fetch', retry }] }])
    t.equal(root.status.state, 'failed')
    const { Fetch } = await tasksOf(server, root.contextId)
    const task = await getTask(server, Fetch.id)
    t.match(task.status, { state: 'failed', message: { parts: [{ text: /no network/ }] } })
    t.equal(agent.runsOf('Fetch').length, 2)
  })

  await t.test('one that takes too long is aborted, and is told to stop', async (t) => {
    agent.when('Sleep', held)
    const root = await sendPlans(server, [{ tasks: [{ name: 'Sleep', timeoutSeconds: 0.05 }] }])
    t.equal(root.status.state, 'failed')
    const run = await agent.begun('Sleep')
    t.equal(await run.aborted(), 'timeout')
    await agent.wasCanceled(run.context.taskId)
    const { Sleep } = await tasksOf(server, root.contextId)
    t.match((await getTask(server, Sleep.id)).status.message.parts, [{ text: /0.05 s/ }])
  })

  await t.test('one that returns without an end fails', async (t) => {
    agent.when('Shrug', () => undefined)
    const task = await send(server, 'Shrug')
    t.match(task.status, { state: 'failed', message: { parts: [{ text: /returned before/ }] } })
  })

  await t.test('what an agent says of itself is shown: rejected, failed with a message', async (t) => {
    agent.when('Refuse', (run) => run.end('rejected', 'not my job'))
    t.match((await send(server, 'Refuse')).status, { state: 'rejected', message: { parts: [{ text: 'not my job' }] } })
    agent.when('Break', (run) => run.fail('it broke'))
    t.match((await send(server, 'Break')).status, { state: 'failed', message: { parts: [{ text: 'it broke' }] } })
  })

  await t.test('a task nobody can do fails and says why', async (t) => {
    const root = await sendPlans(server, [{ tasks: [{ name: 'Fly', agent: 'nobody' }] }])
    t.equal(root.status.state, 'failed')
    const { Fly } = await tasksOf(server, root.contextId)
    t.match((await getTask(server, Fly.id)).status.message.parts, [{ text: /nobody/ }])
  })
})

t.test('cancel', async (t) => {
  await t.test('a running task: its agent is told, and what it says later is dropped', async (t) => {
    agent.when('Run', (run) => run.left.then(() => undefined))
    const task = await send(server, 'Run', { wait: false })
    const run = await agent.begun('Run')
    const canceled = await ask(server, 'tasks/cancel', { id: task.id })
    t.equal(canceled.status.state, 'canceled')
    t.equal(await run.aborted(), 'canceled')
    await agent.wasCanceled(task.id)
    run.complete()
    await run.events.flush()
    t.match(await getTask(server, task.id), { status: { state: 'canceled' }, artifacts: undefined })
    const again = await call(server, 'tasks/cancel', { id: task.id })
    t.match(again.error, { code: -32002, message: /canceled/ })
  })

  await t.test('an agent that ignores it is not waited for', async (t) => {
    const deaf = Promise.withResolvers<void>()
    agent.when('Deaf', () => deaf.promise)
    const task = await send(server, 'Deaf', { wait: false })
    await agent.begun('Deaf')
    t.equal((await ask(server, 'tasks/cancel', { id: task.id })).status.state, 'canceled')
    t.equal((await send(server, 'Feed the cat')).status.state, 'completed', 'others go on')
    deaf.resolve()
  })

  await t.test('a root: all below it, waiting or running', async (t) => {
    agent.when('First', held)
    const tasks = ['First', { name: 'Second', dependencies: ['task-1'] }]
    const plans = [
      { key: 'p', tasks },
      { dependencies: ['p'], tasks: ['Third'] },
    ]
    const root = await sendPlans(server, plans, { wait: false })
    const run = await agent.begun('First')
    t.equal((await ask(server, 'tasks/cancel', { id: root.id })).status.state, 'canceled')
    t.equal(await run.aborted(), 'canceled')
    const objective = await getObjective(server, root.contextId)
    t.match(objective, { status: 'canceled', progress: { canceled: 3, working: 0, pending: 0 } })
    const { Second, Third } = await tasksOf(server, root.contextId)
    t.strictSame([Second.status, Third.status], ['canceled', 'canceled'])
  })

  await t.test('an objective', async (t) => {
    agent.when('Long', held)
    const root = await sendPlans(server, [{ tasks: ['Long'] }], { wait: false })
    const run = await agent.begun('Long')
    const { objective } = await ask(server, 'objectives/cancel', { id: root.contextId })
    t.equal(objective.status, 'canceled')
    t.equal(await run.aborted(), 'canceled')
    t.equal((await getTask(server, root.id)).status.state, 'canceled')
    const again = await call(server, 'objectives/cancel', { id: root.contextId })
    t.equal(again.error.code, -31042)
  })

  await t.test('one task of several: those that wait for it are skipped, others go on', async (t) => {
    agent.when(/Left|Right/, held)
    const tasks = ['Left', 'Right', { name: 'After left', dependencies: ['task-1'] }]
    const root = await sendPlans(server, [{ tasks }], { wait: false })
    const { Left } = await tasksOf(server, root.contextId)
    await ask(server, 'tasks/cancel', { id: Left.id })
    const after = (await tasksOf(server, root.contextId))['After left']
    t.equal(after.status, 'skipped')
    t.equal((await getTask(server, after.id)).metadata['opt/v1/skipped'], true)
    ;(await agent.begun('Right')).complete()
    t.equal((await until(server, root.id)).status.state, 'canceled', 'a person has canceled a part of it')
  })
})
