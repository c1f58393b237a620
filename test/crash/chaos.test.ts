import t from '../tap.ts'
import { Agent } from './agent.ts'
import { type Outgoing, planOf } from './client.ts'
import { createDatabase, POSTGRES } from './databases.ts'
import { violations } from './invariants.ts'
import { type Server, startServer } from './server.ts'

const ROUNDS = 5
/** At first, and new ones in each later round. */
const OBJECTIVES = { first: 30, later: 10 }
const SEED = Number(process.env['CHAOS_SEED'] ?? 20)
const POINTS = [
  ['group:before-commit', 40],
  ['group:after-commit', 40],
  ['attempt:claimed', 60],
  ['finish:before-commit', 60],
  ['finish:after-commit', 60],
  ['send:before', 30],
  ['send:after', 30],
] as const

/** The same numbers for the same seed. (mulberry32) */
function numbersFrom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** A remote task, what follows from it here, and one beside them. Being lost three times is a reason to try again. */
function objective(n: number) {
  const retry = { maxAttempts: ROUNDS, backoffSeconds: 0.05 }
  return planOf([
    { name: `quick ${n}`, agent: 'remote', retry },
    { name: 'after it', agent: 'echo', dependencies: [`quick ${n}`], retry },
    { name: 'after that', agent: 'echo', dependencies: ['after it'], retry },
    { name: 'beside', agent: 'echo', retry },
  ])
}

t.test('objectives are finished, however often their servers are killed', async (t) => {
  t.comment(`CHAOS_SEED=${SEED}`)
  const random = numbersFrom(SEED)
  const agent = await Agent.start(t)
  const database = await createDatabase(t)
  const start = () => startServer(t, database, { config: { agents: [agent.config] } })
  const servers = await Promise.all(Array.from({ length: POSTGRES === undefined ? 1 : 2 }, start))
  const messages: Outgoing[] = []
  const sendAll = () =>
    Promise.allSettled(messages.map((message, n) => servers[n % servers.length]?.client.send(message)))

  for (let round = 0; round < ROUNDS; round += 1) {
    const at = round % servers.length
    const victim = servers[at] as Server
    const [point, most] = POINTS[random(POINTS.length)] as (typeof POINTS)[number]
    const nth = `${point}#${1 + random(most)}`
    t.comment(`round ${round + 1}: ${nth}`)
    for (let n = round === 0 ? OBJECTIVES.first : OBJECTIVES.later; n > 0; n -= 1)
      messages.push(objective(messages.length))
    await victim.killAt(nth)
    await sendAll()
    // Where less was left to do than that, it dies all the same.
    await Promise.race([victim.crashed(), allEnded(servers).catch(() => victim.crashed())])
    await victim.process.kill()
    servers[at] = await start()
  }

  const sent = await sendAll()
  const roots = sent.flatMap((one) => (one.status === 'fulfilled' && one.value ? [one.value] : []))
  t.equal(new Set(roots.map(({ id }) => id)).size, messages.length)
  const followers = roots.map(({ contextId }) => (servers[0] as Server).client.follow(contextId))
  t.same(new Set(await Promise.all(followers.map((follower) => follower.ended()))), new Set(['completed']))
  t.same(
    followers.flatMap(({ gaps }) => gaps),
    [],
  )
  await Promise.all(servers.map((server) => server.stop()))
  t.same(await database.read(violations), {})
})

/** Resolves when no objective is under way any more. */
async function allEnded(servers: readonly Server[]): Promise<void> {
  for (const status of ['working', 'submitted', 'planning', 'blocked']) {
    const { objectives } = await (servers[0] as Server).client.call<{ objectives: { id: string }[] }>(
      'objectives/list',
      { status, pageSize: 100 },
    )
    await Promise.all(objectives.map(({ id }) => (servers[0] as Server).client.follow(id).ended()))
  }
}
