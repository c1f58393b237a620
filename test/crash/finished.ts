import type { Test } from 'tap'
import { type Outgoing, planOf } from './client.ts'
import { createDatabase } from './databases.ts'
import { violations } from './invariants.ts'
import { startServer } from './server.ts'

/** Three tasks of the built-in agent: one, and two that wait for it. */
export const threeTasks = () =>
  planOf([
    { name: 'first', agent: 'echo' },
    { name: 'second', agent: 'echo', dependencies: ['first'] },
    { name: 'third', agent: 'echo', dependencies: ['first'] },
  ])

export interface Kill {
  point: string
  /** What that means. */
  title: string
  /** What is sent to the server that is killed, and again to the next one. */
  messages: Outgoing[]
}

/** Kills one server after the other, all on one database, and sees that each time everything is finished all the same. */
export async function finishedAfter(suite: Test, kills: readonly Kill[], config: Record<string, unknown> = {}) {
  const database = await createDatabase(suite)
  let server = await startServer(suite, database, { config })
  for (const { point, title, messages } of kills) {
    await suite.test(`${point}: ${title}`, async (t) => {
      await server.killAt(point)
      await Promise.allSettled(messages.map((message) => server.client.send(message)))
      await server.crashed()
      server = await startServer(suite, database, { config })
      const roots = await Promise.all(messages.map((message) => server.client.send(message)))
      t.equal(new Set(roots.map(({ id }) => id)).size, messages.length)
      for (const follower of roots.map(({ contextId }) => server.client.follow(contextId))) {
        t.equal(await follower.ended(), 'completed')
        t.same(follower.gaps, [])
      }
      const again = await Promise.all(messages.map((message) => server.client.send(message)))
      const ids = roots.map(({ id }) => id)
      t.same(
        again.map(({ id }) => id),
        ids,
        'the same message is the same task',
      )
    })
  }
  await server.stop()
  suite.same(await database.read(violations), {})
}
