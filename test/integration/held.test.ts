import type { Database, Sql } from '../../src/db/client.ts'
import t from '../tap.ts'
import { send, until } from './client.ts'
import { held } from './scripted-agent.ts'
import { startServer } from './server.ts'

const config = { runner: { beatSeconds: 0.1, lostSeconds: 0.5, sweepSeconds: 60 } }

/** Does something to the database's transactions from now on; gives them back. */
function meddle(database: Database, transaction: (real: () => Promise<unknown>) => Promise<unknown>): () => void {
  const { prisma } = database
  const real = prisma.$transaction.bind(prisma) as (...args: unknown[]) => Promise<unknown>
  const changed = new Proxy(prisma, {
    get: (target, name) =>
      name === '$transaction'
        ? (...args: unknown[]) => transaction(() => real(...args))
        : Reflect.get(target, name, target),
  })
  database.prisma = changed
  return () => {
    database.prisma = prisma
  }
}

function connectionLost(): Error {
  return Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
}

/** Resolves when the server has said so many times that it is alive. */
async function beats(sql: Sql, count: number): Promise<void> {
  const real = sql.$executeRawUnsafe.bind(sql)
  const { promise, resolve } = Promise.withResolvers<void>()
  let left = count
  const counted: typeof real = (statement, ...params) => {
    if (statement.startsWith('INSERT INTO runner')) left -= 1
    if (left === 0) resolve()
    return real(statement, ...params)
  }
  Object.assign(sql, { $executeRawUnsafe: counted })
  await promise
}

t.test('a task whose claim was committed without an answer is gone on with', async (t) => {
  const server = await startServer(t, { config })
  const restore = meddle(server.app.database, async (real) => {
    await real()
    throw connectionLost()
  })
  await t.rejects(send(server, 'Paint', { message: { messageId: 'one' } }), /cannot be reached/)
  restore()
  const task = await send(server, 'Paint', { message: { messageId: 'one' } })
  t.equal(task.status.state, 'completed')
  t.equal(server.agent.runsOf('Paint').length, 1)
})

t.test('what was aborted because the database was away is gone on with when it is back', async (t) => {
  const server = await startServer(t, { config })
  server.agent.when('Wait', held)
  const { id } = await send(server, 'Wait', { wait: false })
  const run = await server.agent.begun('Wait')
  const { sql } = server.app.core
  const real = sql.$executeRawUnsafe
  t.teardown(() => Object.assign(sql, { $executeRawUnsafe: real }))
  Object.assign(sql, { $executeRawUnsafe: () => Promise.reject(connectionLost()) })
  t.equal(await run.aborted(), 'leaseLost')
  Object.assign(sql, { $executeRawUnsafe: real })
  ;(await server.agent.begun('Wait', 2)).complete()
  t.equal((await until(server, id)).status.state, 'completed')
})

t.test('what runs here is left alone', async (t) => {
  const server = await startServer(t, { config })
  server.agent.when('Wait', held)
  const { id } = await send(server, 'Wait', { wait: false })
  const run = await server.agent.begun('Wait')
  await beats(server.app.core.sql, 4)
  t.equal(server.agent.runsOf('Wait').length, 1)
  run.complete()
  t.equal((await until(server, id)).status.state, 'completed')
})
