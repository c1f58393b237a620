import type { Test } from 'tap'
import type { Operation } from '../../src/a2a/operation.ts'
import { OPERATIONS } from '../../src/a2a/operations.ts'
import t from '../tap.ts'
import { type Answer, call } from '../wire/rpc.ts'
import { BINDINGS, type Binding, type Said } from './bindings.ts'
import { addKey, type Principal } from './principals.ts'
import { type ServerUnderTest, startServer } from './server.ts'
import { NOWHERE, STEPS, type Things } from './tenancy-walk.ts'

const CONFIG = { auth: { mode: 'apiKeys' }, push: { allowPrivate: true }, grpc: { port: 0 } }

/** The owner of things, and those who may not see them: of the same tenant, of the same name elsewhere, and a stranger. */
async function people(server: ServerUnderTest) {
  const owner = await addKey(server, { tenant: 'acme', principal: 'mary' })
  const others: Record<string, Principal> = {
    'another of the tenant': await addKey(server, { tenant: 'acme', principal: 'john' }),
    'the same name in another tenant': await addKey(server, { tenant: 'umbrella', principal: 'mary' }),
    'an administrator of another tenant': await addKey(server, {
      tenant: 'umbrella',
      principal: 'root',
      scopes: ['admin'],
    }),
  }
  return { owner, others }
}

/** An objective with a plan of a task that its client moves, and someone who wants to be told of it. */
async function makeThings(server: ServerUnderTest, { headers }: Principal): Promise<Things> {
  const ask = async (method: string, params: object): Promise<Answer> => {
    const { result, error } = await call(server, method, params, headers)
    if (error) throw new Error(`${method}: ${error.message}`)
    return result
  }
  const { objective } = await ask('objectives/create', { name: 'Secret' })
  const { plan } = await ask('plans/create', { objectiveId: objective.id, name: 'P', tasks: [{ name: 'T' }] })
  const taskId = plan.tasks[0].id
  const config = { id: 'hook-1', url: 'https://127.0.0.1/hook' }
  await ask('tasks/pushNotificationConfig/set', { taskId, pushNotificationConfig: config })
  await ask('objectives/pushNotificationConfig/set', { id: objective.id, pushNotificationConfig: config })
  await ask('tasks/updateStatus', { taskId, state: 'working' })
  const { deliveries } = await ask('pushNotifications/deliveries', { taskId })
  const deliveryId = deliveries[0].id
  return { taskId, objectiveId: objective.id, planId: plan.id, configId: 'hook-1', deliveryId }
}

/** What was said, with things by what they are instead of by their ids. */
function normal(said: Said, things: Things): unknown {
  const text = Object.entries(things).reduce((json, [name, id]) => json.replaceAll(id, name), JSON.stringify(said))
  return JSON.parse(text)
}

/** What one who may not see the things is told is what anyone is told of things that are not there. */
async function walkOne(
  t: Test,
  server: ServerUnderTest,
  operation: Operation,
  ask: Binding,
  who: Principal,
  things: Things,
) {
  const { params, makes } = STEPS[operation.method] ?? { params: [] }
  for (const of of params) {
    const theirs = await ask(server, operation, of(things), who.headers)
    const none = await ask(server, operation, of(NOWHERE), who.headers)
    if (theirs === undefined || none === undefined) return
    if (makes) {
      t.same(Object.keys(theirs), Object.keys(none), operation.method)
      continue
    }
    t.same(normal(theirs, things), normal(none, NOWHERE), operation.method)
    t.notMatch(JSON.stringify(theirs), /Secret/, 'and has nothing of theirs in it')
  }
}

t.test('the walk knows every operation, and no other', async (t) => {
  t.same(Object.keys(STEPS).toSorted(), OPERATIONS.map(({ method }) => method).toSorted())
  for (const { method, schema } of OPERATIONS) {
    const names = Object.keys((schema as { properties?: object }).properties ?? {})
    const ids = names.filter((name) => /^id$|Id$/.test(name) && !['messageId', 'sessionId'].includes(name))
    if (STEPS[method]?.params.length === 0) t.same(ids, [], `${method} takes no id`)
  }
})

t.test('what a caller may not see is answered like what is not there', async (t) => {
  const server = await startServer(t, { config: CONFIG })
  const { owner, others } = await people(server)
  const things = await makeThings(server, owner)
  const before = await call(server, 'objectives/get', { id: things.objectiveId }, owner.headers)
  const makers = OPERATIONS.filter(({ method }) => STEPS[method]?.makes)
  const walked = [...OPERATIONS.filter((operation) => !makers.includes(operation)), ...makers]
  for (const [name, ask] of Object.entries(BINDINGS)) {
    for (const [kind, who] of Object.entries(others)) {
      await t.test(`${name}, ${kind}`, async (t) => {
        for (const operation of walked) {
          if (makers.includes(operation)) continue
          await walkOne(t, server, operation, ask, who, things)
        }
        const listed = await call(server, 'objectives/list', {}, who.headers)
        t.match(listed.result, { objectives: [], totalSize: 0 })
      })
    }
  }
  for (const who of Object.values(others)) {
    for (const operation of makers) await walkOne(t, server, operation, BINDINGS['jsonRpc'] as Binding, who, things)
  }
  t.same(await call(server, 'objectives/get', { id: things.objectiveId }, owner.headers), before, 'nothing has changed')
})

t.test('the walk would notice: the owner is told something else', async (t) => {
  const server = await startServer(t, { config: CONFIG })
  const { owner } = await people(server)
  for (const operation of OPERATIONS) {
    const { params, makes, alike } = STEPS[operation.method] ?? { params: [] }
    if (makes || alike) continue
    for (const of of params) {
      const things = await makeThings(server, owner)
      const ask = BINDINGS['jsonRpc'] as Binding
      const own = normal((await ask(server, operation, of(things), owner.headers)) as Said, things)
      const none = normal((await ask(server, operation, of(NOWHERE), owner.headers)) as Said, NOWHERE)
      if (!/Config\/delete$|^Delete/.test(operation.method)) t.notSame(own, none, operation.method)
    }
  }
})

t.test('a context of the same id is another one for each owner', async (t) => {
  const server = await startServer(t, { config: CONFIG })
  const { owner, others } = await people(server)
  const things = await makeThings(server, owner)
  for (const { headers } of Object.values(others)) {
    const metadata = { 'opt/v1/taskId': things.taskId }
    const message = { messageId: 'm-1', role: 'user', parts: [{ text: 'Yes' }], contextId: things.objectiveId }
    const { result } = await call(server, 'message/send', { message }, headers)
    t.match(result, { contextId: things.objectiveId })
    const bound = await call(server, 'message/send', { message: { ...message, messageId: 'm-2', metadata } }, headers)
    t.notMatch(JSON.stringify(bound), /Secret/)
    const listed = await call(server, 'tasks/list', { contextId: things.objectiveId }, headers)
    t.notMatch(JSON.stringify(listed), things.taskId)
  }
  const { result } = await call(server, 'objectives/get', { id: things.objectiveId }, owner.headers)
  t.match(result.objective, { name: 'Secret', plans: [{ tasks: [{ id: things.taskId, status: 'working' }] }] })
  t.equal(result.objective.plans.length, 1)
})

t.test("another tenant's name on the wire is as good as none", async (t) => {
  const server = await startServer(t, { config: CONFIG })
  const { owner, others } = await people(server)
  const { taskId } = await makeThings(server, owner)
  const stranger = others['the same name in another tenant'] as Principal
  const own = await call(server, 'tasks/get', { id: taskId, tenant: 'acme' }, owner.headers)
  t.match(own.result, { id: taskId })
  const theirs = await call(server, 'tasks/get', { id: taskId, tenant: 'acme' }, stranger.headers)
  const nobodys = await call(server, 'tasks/get', { id: taskId, tenant: 'nobody' }, stranger.headers)
  t.equal(theirs.error.code, nobodys.error.code)
  t.equal(theirs.error.message.replace('acme', ''), nobodys.error.message.replace('nobody', ''))
})
