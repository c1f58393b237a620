import type { Test } from 'tap'
import { violations } from '../crash/invariants.ts'
import t from '../tap.ts'
import { type Answer, ask, call, getObjective, sendPlans, tasksOf, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'
import { createDatabase, POSTGRES } from './test-database.ts'

/** Changes of plans at the same time as everything else: the context's lock says which comes first. */

const config = { limits: { concurrentTasksPerObjective: 40, firstEventSeconds: 0.3 } }
const database = await createDatabase()
t.teardown(() => database.drop())
const server = await startServer(t, { config, agents: ['changer'], database })
/** On a Postgres, a second one on the same database; the embedded one has a single opener. */
const other = POSTGRES === undefined ? server : await startServer(t, { config, agents: ['changer'], database })
const { agent } = server
t.beforeEach(() => agent.forget())

const numbers = (count: number) => Array.from({ length: count }, (_, i) => i)
const plan = (...tasks: object[]) => [{ name: 'Next', run: true, tasks }]
const replan = (at: typeof server, id: string, plans: object[], more = {}) =>
  call(at, 'objectives/replan', { id, plans, ...more })

async function isSound(t: Test): Promise<void> {
  t.strictSame(await violations((sql) => server.query(sql)), {})
}

t.test('of changes that expect the same revision, one lands', async (t) => {
  agent.when(/./, held)
  const root = await sendPlans(server, [{ tasks: ['Start'] }], { wait: false })
  for (const expectedRevision of [1, 2]) {
    const answers = await Promise.all(
      numbers(8).map((i) =>
        replan(i % 2 ? server : other, root.contextId, plan({ name: `Try ${i}` }), { expectedRevision }),
      ),
    )
    const errors = answers.flatMap(({ error }) => error?.code ?? [])
    t.strictSame(errors, Array(7).fill(-31043))
  }
  t.equal((await getObjective(server, root.contextId)).plans.length, 3)
  await ask(server, 'objectives/cancel', { id: root.contextId })
  await isSound(t)
})

t.test('changes that expect nothing land one after the other', async (t) => {
  agent.when(/./, held)
  const root = await sendPlans(server, [{ tasks: ['Start'] }], { wait: false })
  const each = numbers(6).map((i) => replan(i % 2 ? server : other, root.contextId, plan({ name: `Try ${i}` })))
  for (const { error } of await Promise.all(each)) t.notOk(error)
  const { plans } = await getObjective(server, root.contextId)
  t.strictSame(
    plans.map(({ revision }: Answer) => revision),
    [1, 2, 3, 4, 5, 6, 7],
  )
  t.strictSame(
    plans.map(({ status }: Answer) => status === 'skipped'),
    [...Array(6).fill(true), false],
  )
  const last = await agent.begun(plans[6].tasks[0].name)
  last.complete()
  t.equal((await until(server, root.id)).status.state, 'completed')
  await isSound(t)
})

t.test('a change while tasks finish: each is either carried over or done before', async (t) => {
  for (const running of ['keep', 'cancel']) {
    for (const round of numbers(4)) {
      agent.forget()
      agent.when(/^Task/, held)
      const names = numbers(12).map((i) => `Task ${i} of ${running} ${round}`)
      const tasks = [...names, { name: 'After', dependencies: ['task-1', 'task-12'] }]
      const root = await sendPlans(server, [{ tasks }], { wait: false })
      await agent.nextRun(12)
      const known = await tasksOf(server, root.contextId)
      const finishing = agent.runs.slice(0, 12)
      for (const run of finishing.slice(0, 6)) run.complete()
      const changing = replan(other, root.contextId, plan({ name: 'Go on' }), { running })
      for (const run of finishing.slice(6)) run.complete()
      const { error } = await changing
      // It may have come when there was nothing left to change.
      if (error !== undefined) t.match(error, { code: -31042 })
      const end = await until(server, root.id)
      t.equal(end.status.state, 'completed')
      const { plans } = await getObjective(server, root.contextId)
      const shown = plans.flatMap((each: Answer) => each.tasks.filter((task: Answer) => task.carriedTo === undefined))
      t.equal(shown.length, error ? 13 : 14, 'every task is in one plan')
      const states = new Set(names.map((name) => shown.find(({ id }: Answer) => id === known[name].id).state))
      const allowed = running === 'keep' ? ['completed'] : ['completed', 'canceled']
      t.strictSame(
        [...states].filter((state) => !allowed.includes(String(state))),
        [],
      )
    }
  }
  await isSound(t)
})

t.test('a change while tasks are claimed, and while it is canceled', async (t) => {
  for (const round of numbers(4)) {
    agent.forget()
    const root = await sendPlans(server, [{ tasks: numbers(10).map((i) => `First ${i}`) }], { wait: false })
    const more = numbers(10).map((i) => ({ name: `Second ${i}` }))
    const answers = await Promise.all([
      replan(server, root.contextId, plan(...more), { running: round % 2 ? 'keep' : 'cancel' }),
      replan(other, root.contextId, plan(...more), { running: 'keep' }),
      ...(round > 1 ? [call(other, 'objectives/cancel', { id: root.contextId })] : []),
    ])
    for (const { error } of answers) if (error) t.equal(error.code, -31042)
    t.match((await until(server, root.id)).status.state, round > 1 ? /canceled|completed/ : 'completed')
  }
  await isSound(t)
})
