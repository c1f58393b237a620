import type { Test } from 'tap'
import type { Metadata, Part } from '../../src/domain/message.ts'
import { explicitPlanner } from '../../src/planner/explicit.ts'
import t from '../tap.ts'
import { type Given, request, shape } from './planner-fixtures.ts'

const signal = AbortSignal.timeout(60_000)
const decide = (given: Given, text = 'Go') => explicitPlanner.plan(request(text, given), signal)

const trip = {
  name: 'Trip',
  tasks: [
    'Flight',
    { key: 'hotel', name: 'Hotel', dependencies: ['task-1'] },
    { name: 'Spa', dependencies: ['hotel', 'flight', 'task-1'] },
  ],
}
const TRIP = 'Trip\n  1. Flight\n  2. Hotel (after 1)\n  3. Spa (after 2, 1)'

t.test('plans are taken from wherever they may stand', async (t) => {
  const places: Given[] = [
    { metadata: { 'opt/v1/plan': trip } },
    { metadata: { 'opt/v1/plans': [trip] } },
    { metadata: { 'opt/v1/objective': { name: 'O', plans: [trip] } } },
    { beside: { 'opt/v1/plan': trip } },
    { parts: [{ text: 'Go' }, { data: { 'opt/v1/plan': trip } }] },
    { parts: [{ text: 'Go' }, { data: { name: 'O', plans: [trip] } }] },
    { parts: [{ text: 'Go' }, { data: { objective: { plans: [trip] } } }] },
    { parts: [{ data: trip }] },
    { metadata: { 'opt/v1/objective': { name: 'only a hint' }, 'opt/v1/plan': trip } },
  ]
  for (const given of places) t.equal(shape(await decide(given)), TRIP, JSON.stringify(given).slice(0, 80))
})

t.test('it declines where there are no plans', async (t) => {
  const none: Metadata[] = [
    {},
    { 'opt/v1/objective': { name: 'a hint' } },
    { 'opt/v1/objective': 'nonsense' },
    { 'opt/v1/objective': { name: 7, plans: [] } },
    { 'opt/v1/plans': [] },
    { 'opt/v1/plan': null },
  ]
  for (const metadata of none) t.equal(await decide({ metadata }), null, JSON.stringify(metadata))
  const data: Part[] = [
    { text: 'Compare these' },
    { data: { plans: [{ name: 'Basic', price: 5 }] } },
    { data: { tasks: [{ id: 1 }] } },
  ]
  t.equal(await decide({ parts: data }), null, 'other data')
})

t.test('keys are made around those that are given', async (t) => {
  const decision = await decide({
    metadata: {
      'opt/v1/plans': [{ tasks: ['a', { key: 'plan-1/task-1', name: 'b' }] }, { key: 'plan-1', tasks: ['c'] }],
    },
  })
  const plans = decision?.kind === 'objective' ? decision.objective.plans : []
  t.same(
    plans.map((plan) => [plan.key, plan.name, ...plan.tasks.map((task) => task.key)]),
    [
      ['plan-1-2', 'Plan 1', 'plan-1-2/task-1', 'plan-1/task-1'],
      ['plan-1', 'Plan 2', 'plan-1/task-1-2'],
    ],
  )
})

t.test('everything that a task and a plan may have is kept', async (t) => {
  const task = {
    name: 'a',
    description: 'd',
    parts: [{ kind: 'text', text: 'x' }],
    agent: 'writer',
    skill: 'write',
    optional: true,
    retry: { maxAttempts: 3 },
    timeoutSeconds: 5,
    priority: 2,
    metadata: { mine: 1, 'opt/v1/planId': 'not mine' },
    onPlanFailure: 'continue',
    plans: [{ name: 'inner', tasks: ['b'] }],
  }
  const plan = { id: 'p', name: 'P', onFailure: 'ignore', metadata: { a: 1 }, status: 'working', tasks: [task] }
  const other = { name: 'Q', alternativeTo: 'p', dependencies: [], tasks: ['c'] }
  const decision = await decide({
    metadata: { 'opt/v1/objective': { onPlanFailure: 'continue', plans: [plan, other] } },
  })
  t.match(decision, {
    objective: {
      onPlanFailure: 'continue',
      plans: [
        {
          key: 'p',
          onFailure: 'ignore',
          metadata: { a: 1 },
          tasks: [
            {
              ...task,
              parts: [{ text: 'x' }],
              metadata: { mine: 1 },
              plans: [{ name: 'inner', tasks: [{ name: 'b' }] }],
            },
          ],
        },
        { key: 'plan-2', alternativeTo: 'p' },
      ],
    },
  })
  t.notMatch(JSON.stringify(decision), /opt\/v1\/planId|"status"|"kind":"text"/)
})

t.test('of a printed tree, what went on in another plan is taken once', async (t) => {
  const plans = [
    {
      id: 'plan-a',
      name: 'Old',
      tasks: [
        { id: 't1', name: 'Done', carriedTo: 'plan-c' },
        { id: 't2', name: 'Left', dependencies: ['t1'] },
      ],
    },
    { id: 'plan-b', name: 'Emptied', tasks: [{ id: 't3', name: 'Also done', carriedTo: 'plan-c' }] },
    { id: 'plan-d', name: 'After', dependencies: ['plan-b'], tasks: ['Last'] },
    {
      id: 'plan-c',
      name: 'New',
      supersedesPlanId: 'plan-a',
      tasks: [
        { id: 't1', name: 'Done' },
        { id: 't3', name: 'Also done', dependencies: ['t1'] },
      ],
    },
  ]
  const decision = await decide({ metadata: { 'opt/v1/plans': plans } })
  t.match(decision, {
    objective: {
      plans: [
        { key: 'plan-a', tasks: [{ key: 't2', dependencies: [] }] },
        { key: 'plan-d', dependencies: [], tasks: [{ name: 'Last' }] },
        { key: 'plan-c', tasks: [{ key: 't1' }, { key: 't3', dependencies: ['t1'] }] },
      ],
    },
  })
})

async function refused(t: Test, metadata: Metadata, meaning: string, message: string) {
  await t.rejects(decide({ metadata }), { meaning, message }, message)
}

t.test('what is wrong is named: where, what was given, what is allowed', async (t) => {
  const at = 'message.metadata["opt/v1/plans"]'
  const plans = (...tasks: unknown[]) => ({ 'opt/v1/plans': [{ tasks }] })
  await refused(t, { 'opt/v1/plans': 'x' }, 'invalidParams', `${at}: was "x"; must be a list of plans`)
  await refused(t, plans({}), 'invalidParams', `${at}[0].tasks[0].name: is missing; must be text`)
  await refused(t, plans({ name: 5 }), 'invalidParams', `${at}[0].tasks[0].name: was 5; must be text`)
  await refused(
    t,
    plans({ name: 'a', retry: { maxAttempts: 0 } }),
    'invalidParams',
    `${at}[0].tasks[0].retry.maxAttempts: was 0; must be a whole number from 1 up to 100`,
  )
  await refused(
    t,
    plans({ name: 'a', parts: [{ text: 'x', url: 'y' }] }),
    'invalidParams',
    `${at}[0].tasks[0].parts[0]: was an object with text, url; must be a part with exactly one of text, raw, url and data`,
  )
  await refused(
    t,
    { 'opt/v1/plan': { tasks: 3 } },
    'invalidParams',
    'message.metadata["opt/v1/plan"].tasks: was 3; must be a list',
  )
  await refused(
    t,
    { 'opt/v1/objective': { plans: [{ onFailure: 'no', tasks: [] }] } },
    'invalidParams',
    'message.metadata["opt/v1/objective"].plans[0].onFailure: was "no"; must be one of fail, continue, ignore',
  )
  await t.rejects(decide({ metadata: plans({ name: 'a', depends: [] }) }), {
    message: /tasks\[0\]\.depends: is unknown; allowed are key, id, name/,
  })
})

t.test('a dependency that is not there is named', async (t) => {
  const plan = (...dependencies: string[]) => ({
    'opt/v1/plan': { tasks: ['A', 'a', { key: 'k', name: 'B', dependencies }] },
  })
  await refused(
    t,
    plan('task-4'),
    'invalidPlan',
    'Invalid plan: k: it refers to "task-4", which is no key or name among the tasks of the same plan, and not task-1 to task-3',
  )
  await refused(
    t,
    plan('A'),
    'invalidPlan',
    'Invalid plan: k: it refers to "A", a name that 2 of the tasks of the same plan have; use a key or task-1 to task-3',
  )
})

t.test('nesting without end is refused', async (t) => {
  let task: unknown = 'x'
  for (let depth = 0; depth < 100_000; depth += 1) task = { name: 'x', plans: [{ tasks: [task] }] }
  await t.rejects(decide({ metadata: { 'opt/v1/plan': { tasks: [task] } } }), {
    meaning: 'invalidParams',
    message: /nested over 100 deep/,
  })
})
