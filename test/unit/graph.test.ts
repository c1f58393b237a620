import './property-seed.ts'
import fc from 'fast-check'
import type { Test } from 'tap'
import type { DraftPlan, DraftTask, ObjectiveDraft } from '../../src/domain/draft.ts'
import { type DraftLimits, findCycle, type Node, topologicalOrder, validateDraft } from '../../src/domain/graph.ts'
import t from '../tap.ts'

const limits: DraftLimits = { maxPlansPerObjective: 4, maxTasksPerPlan: 3, maxDepth: 2, maxTextLength: 20 }

function task(key: string, dependencies: string[] = [], more: Partial<DraftTask> = {}): DraftTask {
  return { key, name: key, dependencies, ...more }
}

function plan(key: string, tasks: DraftTask[], more: Partial<DraftPlan> = {}): DraftPlan {
  return { key, name: key, dependencies: [], tasks, ...more }
}

function refused(t: Test, plans: DraftPlan[], key: string, why: RegExp, more: Partial<ObjectiveDraft> = {}) {
  try {
    validateDraft({ ...more, plans }, limits)
    t.fail(`not refused: ${why}`)
  } catch (error) {
    t.match(error, { meaning: 'invalidPlan', details: { key, why } }, String(why))
  }
}

t.test('a good draft passes', async () => {
  const deeper = [plan('c', [task('c1')])]
  validateDraft(
    {
      plans: [
        plan('a', [task('a1'), task('a2', ['a1'])]),
        plan('b', [task('b1', [], { plans: deeper })], { dependencies: ['a'] }),
      ],
    },
    limits,
  )
})

t.test('a key is used once in the whole draft, by plans and tasks alike', async (t) => {
  refused(t, [plan('a', [task('x')]), plan('b', [task('x')])], 'x', /used twice/)
  refused(t, [plan('a', [task('a')])], 'a', /used twice/)
  refused(t, [plan('a', [task('x', [], { plans: [plan('x', [task('y')])] })])], 'x', /used twice/)
  refused(t, [plan('', [task('x')])], '(empty)', /at least one character/)
})

t.test('dependencies stay where they belong', async (t) => {
  refused(
    t,
    [plan('a', [task('x', ['y'])]), plan('b', [task('y')])],
    'x',
    /"y", which is not among the tasks of the same plan/,
  )
  refused(t, [plan('a', [task('x')], { dependencies: ['x'] })], 'a', /not among the plans of the same planned task/)
  refused(t, [plan('a', [task('x'), task('y', ['x', 'x'])])], 'y', /twice/)
  refused(t, [plan('a', []), plan('b', [task('x')], { dependencies: ['a'] })], 'b', /without tasks never completes/)
})

t.test('alternatives: one for a plan, none for itself, no cycles', async (t) => {
  const other = (key: string, alternativeTo: string) => plan(key, [task(`${key}1`)], { alternativeTo })
  refused(t, [plan('a', [task('a1')]), other('b', 'a'), other('c', 'a')], 'c', /already has the alternative "b"/)
  refused(t, [other('a', 'b'), other('b', 'a')], 'a', /waits for itself: a → b → a/)
  refused(t, [other('a', 'a')], 'a', /a → a/)
  refused(t, [other('a', 'z')], 'a', /"z", which is not among the plans/)
  const waits = plan('a', [task('a1')], { dependencies: ['b'] })
  refused(t, [waits, other('b', 'a')], 'a', /waits for itself/)
})

t.test('cycles are named as a path', async (t) => {
  refused(t, [plan('a', [task('x', ['z']), task('y', ['x']), task('z', ['y'])])], 'x', /x → z → y → x/)
  refused(t, [plan('a', [task('x', ['x'])])], 'x', /x → x/)
})

t.test('limits are named', async (t) => {
  const four = ['w', 'x', 'y', 'z'].map((key) => task(key))
  refused(t, [plan('a', four)], 'a', /4 tasks.*at most 3 \(maxTasksPerPlan\)/)
  const five = ['a', 'b', 'c', 'd', 'e'].map((key) => plan(key, [task(`${key}1`)]))
  refused(t, five, 'e', /at most 4 plans \(maxPlansPerObjective\)/)
  const three = [
    plan('a', [task('x', [], { plans: [plan('b', [task('y', [], { plans: [plan('c', [task('z')])] })])] })]),
  ]
  refused(t, three, 'c', /depth is 3.*at most 2 deep \(maxDepth\)/)
  refused(t, [plan('a', [task('x', [], { name: 'n'.repeat(21) })])], 'x', /name has 21 characters.*maxTextLength/)
  refused(t, [plan('a', [task('x')])], 'objective', /description has 21/, { description: 'd'.repeat(21) })
  refused(t, [plan('a', [task('x', [], { name: ' ' })])], 'x', /name is empty/)
})

/** Any nodes, with edges to any of them. */
const graphs = fc.array(fc.array(fc.nat(14), { maxLength: 4 }), { maxLength: 15 }).map((rows): Node[] =>
  rows.map((row, index) => ({
    key: `n${index}`,
    dependencies: [...new Set(row)].filter((at) => at < rows.length).map((at) => `n${at}`),
  })),
)

t.test('an order is complete exactly where there is no cycle, and puts nothing before what it waits for', async () => {
  fc.assert(
    fc.property(graphs, (nodes) => {
      const order = topologicalOrder(nodes)
      const at = new Map(order.map((key, index) => [key, index]))
      const settled = nodes.filter((node) => at.has(node.key))
      const ordered = settled.every((node) =>
        node.dependencies.every((key) => (at.get(key) ?? Infinity) < (at.get(node.key) ?? -1)),
      )
      return ordered && (order.length === nodes.length) === (findCycle(nodes) === null)
    }),
  )
})

t.test('a cycle found is one', async () => {
  fc.assert(
    fc.property(graphs, (nodes) => {
      const cycle = findCycle(nodes)
      const waits = new Map(nodes.map((node) => [node.key, node.dependencies]))
      return (
        cycle === null || cycle.every((key, index) => waits.get(key)?.includes(cycle[(index + 1) % cycle.length] ?? ''))
      )
    }),
  )
})

t.test('a chain of 100,000 is no deeper than any other', async (t) => {
  const nodes = Array.from({ length: 100_000 }, (_, index) => ({ key: `n${index}`, dependencies: [`n${index + 1}`] }))
  t.equal(findCycle(nodes), null)
  t.same(findCycle([...nodes, { key: 'n100000', dependencies: ['n0'] }])?.length, 100_001)
})
