import type { WorkReader } from '../../src/domain/queries/work.ts'
import t from '../tap.ts'
import { ask, send, sendPlans, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const server = await startServer(t, { config: { defaults: { timeoutSeconds: 60 } } })
const { agent } = server

t.test('a database that is away between the claim and the reading of it costs no attempt', async (t) => {
  const { options } = server.app.core.attempts as unknown as { options: { readWork: WorkReader } }
  const { readWork } = options
  let refused = 0
  options.readWork = (id) => {
    if (refused === 2) return readWork(id)
    refused += 1
    return Promise.reject(Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }))
  }
  const tasks = [{ name: 'Dig' }, { name: 'Pour', dependencies: ['task-1'] }]
  t.equal((await sendPlans(server, [{ tasks }])).status.state, 'completed')
  t.equal(refused, 2)
})

t.test('an agent whose cancel never returns holds nothing up', async (t) => {
  agent.when('Stuck', held)
  const cancel = agent.cancel.bind(agent)
  t.teardown(() => Object.assign(agent, { cancel }))
  Object.assign(agent, { cancel: () => new Promise(() => undefined) })
  const tasks = [{ name: 'Stuck', timeoutSeconds: 0.1 }]
  // Each is waited for some seconds, at the same time.
  const timedOut = sendPlans(server, [{ tasks }])
  const { id } = await send(server, 'Stuck for good', { wait: false })
  await agent.begun('Stuck for good')
  const settled = server.app.core.attempts.active.get(id)?.settled
  await ask(server, 'tasks/cancel', { id })
  await settled
  t.equal((await until(server, id)).status.state, 'canceled')
  t.equal((await timedOut).status.state, 'failed')
})

t.test('an authorisation is waited for beyond the timeout, also by one that looks again and again', async (t) => {
  agent.when('Pay', (run) => {
    const n = agent.runsOf('Pay').length
    if (n === 4) return run.complete()
    if (n === 1) run.say('auth-required', 'Sign in')
    return { parked: true, checkAt: new Date(Date.now() + 200) }
  })
  const root = await sendPlans(server, [{ tasks: [{ name: 'Pay', timeoutSeconds: 0.3 }] }], { wait: false })
  t.equal((await until(server, root.id)).status.state, 'completed')
})
