import t from '../tap.ts'
import { sendPlans, until } from './client.ts'
import { held, scripted } from './scripted-agent.ts'
import { startServer } from './server.ts'

const path = new URL('./scripted-agent.ts', import.meta.url).pathname
const slow = scripted('slow')
const quick = scripted('quick')

const server = await startServer(t, {
  config: {
    agents: [
      { kind: 'module', name: 'slow', path, maxConcurrent: 1 },
      { kind: 'module', name: 'quick', path, maxConcurrent: 5 },
    ],
    runner: { pollSeconds: 0.2, beatSeconds: 0.1, sweepSeconds: 60 },
  },
})

t.test('what can go on is found behind a hundred tasks that wait for a slot', async (t) => {
  slow.when(/./, held)
  const many = Array.from({ length: 120 }, (_, i) => ({ name: `Slow ${i}`, agent: 'slow' }))
  await sendPlans(server, [{ tasks: many }], { wait: false })
  quick.when('Look', (run) => {
    if (quick.runsOf('Look').length > 1) return run.complete()
    return { parked: true, checkAt: new Date(Date.now() + 300) }
  })
  const root = await sendPlans(server, [{ tasks: [{ name: 'Look', agent: 'quick' }] }], { wait: false })
  t.equal((await until(server, root.id)).status.state, 'completed')
  t.equal(slow.running, 1)
})

t.test('a slot stays with the attempt that goes on elsewhere', async (t) => {
  quick.forget()
  quick.when('Walk', held)
  await sendPlans(server, [{ tasks: [{ name: 'Walk', agent: 'quick' }] }], { wait: false })
  const run = await quick.begun('Walk')
  const { taskId } = run.context
  // As after a takeover: another process holds the attempt under a new lease.
  await server.query(`UPDATE task SET runner = 'elsewhere', lease = lease + 1 WHERE id = '${taskId}'`)
  server.app.core.attempts.active.abort(taskId, 'leaseLost')
  await server.app.core.attempts.active.get(taskId)?.settled
  // Freeing comes right after that, and the claim of another task after that.
  await sendPlans(server, [{ tasks: [{ name: 'Run', agent: 'quick' }] }])
  const slots = await server.query(`SELECT holder FROM agent_slot WHERE holder = '${taskId}'`)
  t.equal(slots.length, 1)
})
