import type { Decision } from '../../src/domain/draft.ts'
import { createPlanner } from '../../src/planner/plan.ts'
import type { Planner } from '../../src/planner/planner.ts'
import { createStandardPlanner } from '../../src/planner/standard-planner.ts'
import t from '../tap.ts'
import { type Given, limits, request, shape } from './planner-fixtures.ts'

const signal = AbortSignal.timeout(60_000)
const chain = createStandardPlanner([], limits)

async function decide(text: string, given: Given = {}) {
  return (await chain.plan(request(text, given), signal)).decision
}

async function nameFor(text: string, given: Given = {}) {
  const decision = await decide(text, given)
  return decision.kind === 'objective' ? decision.objective.name : decision.kind
}

function planner(name: string, decide: () => Decision | null): Planner {
  return { name, io: false, plan: async () => decide() }
}

const cyclic: Decision = {
  kind: 'objective',
  objective: {
    plans: [{ key: 'p', name: 'P', dependencies: [], tasks: [{ key: 't', name: 'T', dependencies: ['t'] }] }],
  },
}

t.test('the first that does not decline decides', async (t) => {
  const task: Decision = { kind: 'task', task: { name: 'second' } }
  const asked = await createPlanner([planner('one', () => null), planner('two', () => task)], limits).plan(
    request('x'),
    signal,
  )
  t.match(asked, { planner: 'two', decision: task, declined: [] })
})

t.test('a draft that does not hold falls through, except for what the client wrote', async (t) => {
  const failing = planner('failing', () => {
    throw new Error('boom')
  })
  const asked = await createPlanner([planner('playbooks', () => cyclic), failing], limits).plan(
    request('Do it'),
    signal,
  )
  t.equal(shape(asked.decision), 'one task: Do it')
  t.equal(asked.planner, 'fallback')
  t.same(
    asked.declined.map((declined) => declined.planner),
    ['playbooks', 'failing'],
  )
  await t.rejects(createPlanner([planner('explicit', () => cyclic)], limits).plan(request('x'), signal), {
    message: /^Invalid plan: t: it waits for itself/,
  })
})

t.test('an abort is passed on', async (t) => {
  await t.rejects(chain.plan(request('x'), AbortSignal.abort(new Error('gone'))), { message: 'gone' })
})

t.test('more than the limits allow is one task, with nothing lost', async (t) => {
  const text = Array.from({ length: 1_001 }, (_, index) => `- Write poem ${index}`).join('\n')
  const { decision, declined } = await chain.plan(request(text), signal)
  t.match(declined, [{ planner: 'text', error: { meaning: 'invalidPlan', message: /maxTasksPerPlan/ } }])
  t.match(decision, {
    kind: 'task',
    task: { parts: undefined, description: text.length > limits.maxTextLength ? undefined : text },
  })
})

t.test('a huge text is one task that carries it', async (t) => {
  const text = 'Book a hotel. '.repeat(750_000)
  const decision = await decide(text)
  t.match(decision, { kind: 'task', task: { parts: [{ text: text.trim() }] } })
  t.ok(decision.kind === 'task' && decision.task.name.length <= 120)
})

t.test('where plans are required, everything becomes one', async (t) => {
  const given = { planRequired: true }
  t.equal(shape(await decide('What is 2 + 2?', given)), 'Plan\n  1. What is 2 + 2?')
  t.equal(shape(await decide('Write a poem', given)), 'Plan\n  1. Write a poem')
  t.equal(
    shape(
      await decide('Write a poem and translate it', {
        planRequired: true,
        metadata: { 'opt/v1/preferObjective': false },
      }),
    ),
    'Plan\n  1. Write a poem\n  2. Translate it (after 1)',
  )
})

t.test('preferObjective', async (t) => {
  const yes = { metadata: { 'opt/v1/preferObjective': true } }
  t.equal(shape(await decide('Write a poem', yes)), 'Plan\n  1. Write a poem')
  t.equal(shape(await decide('What is 2 + 2?', yes)), 'answer: 2 + 2 = 4')
  const no = { beside: { 'opt/v1/preferObjective': false } }
  t.equal(shape(await decide('Write a poem and translate it', no)), 'one task: Write a poem and translate it')
  for (const wrong of ['yes', 1, null, {}]) {
    t.equal(
      shape(await decide('Write a poem', { metadata: { 'opt/v1/preferObjective': wrong } })),
      'one task: Write a poem',
    )
  }
})

t.test('the name of an objective', async (t) => {
  const text = 'Write a poem and translate it'
  const suggested = { 'opt/v1/suggestedName': ' Poetry ' }
  t.equal(await nameFor(text), text)
  t.equal(await nameFor(text, { metadata: suggested }), 'Poetry')
  t.equal(await nameFor(text, { beside: suggested }), 'Poetry')
  t.equal(await nameFor(text, { metadata: { 'opt/v1/suggestedName': 7 }, beside: suggested }), 'Poetry')
  t.equal(await nameFor(text, { metadata: { 'opt/v1/suggestedName': '' } }), text)
  t.equal(await nameFor(text, { metadata: { 'opt/v1/objective': { name: 'Mine' }, ...suggested } }), 'Mine')
  t.match(await nameFor(`${text} ${'very '.repeat(200)}`), /^Write a poem and translate it very .{100,220}…$/)
  t.equal(
    await nameFor('', {
      parts: [
        {
          data: {
            plans: [
              { name: 'A', tasks: ['a'] },
              { name: 'B', tasks: ['b'] },
            ],
          },
        },
      ],
    }),
    'A, B',
  )
})

t.test('an objective hint gives description and metadata, but nothing that is the server’s', async (t) => {
  const hint = { description: 'd', metadata: { a: 1, 'opt/v1/rootTaskId': 'x' } }
  const decision = await decide('Write a poem and translate it', { metadata: { 'opt/v1/objective': hint } })
  t.match(decision, { objective: { description: 'd', metadata: { a: 1 } } })
  t.notMatch(JSON.stringify(decision), /rootTaskId/)
})

t.test('files go to the tasks that wait for nothing', async (t) => {
  const file = { url: 'https://example.com/cat.png' }
  const decision = await decide('', { parts: [{ text: 'Describe this picture and translate it into French' }, file] })
  t.match(decision, { objective: { plans: [{ tasks: [{ parts: [file] }, { parts: undefined }] }] } })
  t.match(await decide('', { parts: [{ ...file, filename: 'cat.png' }] }), { kind: 'task', task: { name: 'cat.png' } })
  t.match(await decide('', { parts: [] }), { kind: 'task', task: { name: 'A request without text' } })
})

t.test('plans of which none has a task are refused', async (t) => {
  await t.rejects(decide('x', { metadata: { 'opt/v1/plan': { tasks: [] } } }), {
    meaning: 'invalidPlan',
    message: /no task in any plan/,
  })
})
