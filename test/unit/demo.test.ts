import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { stripVTControlCharacters } from 'node:util'
import { DemoClient } from '../../examples/demo/client.ts'
import { changesBetween, renderTree, seconds } from '../../examples/demo/render.ts'
import { type Frame, type Tree, withFrame } from '../../examples/demo/tree.ts'
import t from '../tap.ts'

const START = Date.parse('2026-01-01T00:00:00.000Z')
const at = (second: number) => new Date(START + second * 1_000).toISOString()

const SNAPSHOT: Frame = {
  snapshot: {
    seq: 5,
    objective: {
      id: 'ctx-1',
      name: 'Research tea and write about it',
      status: 'working',
      createdAt: at(0),
      metadata: { 'opt/v1/rootTaskId': 'task-0' },
      plans: [
        {
          id: 'plan-1',
          name: 'Research',
          status: 'working',
          tasks: [
            { id: 'task-1', name: 'Search', status: 'working', agent: 'researcher' },
            { id: 'task-2', name: 'Summarize', status: 'pending' },
          ],
        },
        {
          id: 'plan-2',
          name: 'Writing',
          status: 'pending',
          tasks: [{ id: 'task-3', name: 'Write', status: 'pending' }],
        },
      ],
    },
  },
}

const event = (seq: number, type: string, data: object, ids: object = {}): Frame => ({
  event: { seq, time: at(seq - 4), type, data: data as Record<string, unknown>, ...ids },
})
const said = (text: string) => ({ parts: [{ text }] })

function fold(frames: Frame[]): Tree {
  const tree = frames.reduce<Tree | undefined>((before, frame) => withFrame(before, frame, START), undefined)
  if (!tree) throw new Error('no snapshot')
  return tree
}

const MIDWAY = [
  SNAPSHOT,
  event(6, 'task.status', { state: 'completed', message: said('24 findings.') }, { taskId: 'task-1' }),
  event(7, 'attempt.started', { agent: 'writer' }, { taskId: 'task-2' }),
  event(8, 'task.status', { state: 'working', message: said('Choosing') }, { taskId: 'task-2' }),
]
const END = [
  event(9, 'task.status', { state: 'failed', message: said('No findings') }, { taskId: 'task-2' }),
  event(10, 'plan.status', { status: 'failed' }, { planId: 'plan-1' }),
  event(11, 'task.status', { state: 'canceled', skipped: true }, { taskId: 'task-3' }),
  event(12, 'plan.status', { status: 'skipped' }, { planId: 'plan-2' }),
  event(13, 'objective.status', { status: 'failed', previous: 'working' }),
]

t.test('frames fold into the tree, each event once', async (t) => {
  const tree = fold(MIDWAY)
  t.match(tree, { id: 'ctx-1', seq: 8, rootTaskId: 'task-0', startedAt: START, endedAt: undefined })
  t.match(tree.plans[0]?.tasks, [
    { status: 'completed', agent: 'researcher', endedAt: START + 2_000 },
    { status: 'working', agent: 'writer', startedAt: START + 4_000, note: 'Choosing' },
  ])
  t.equal(withFrame(tree, event(8, 'objective.status', { status: 'failed' }), START), tree, 'a repeat changes nothing')
  t.match(fold([...MIDWAY, ...END]), { status: 'failed', endedAt: START + 9_000 })
})

t.test('plans and tasks that come later join the tree', async (t) => {
  const tree = fold([
    SNAPSHOT,
    event(6, 'plan.created', { name: 'Review', status: 'pending' }, { planId: 'plan-3' }),
    event(7, 'task.created', { name: 'Check', state: 'submitted' }, { planId: 'plan-3', taskId: 'task-4' }),
    event(8, 'task.message', {}, { taskId: 'task-4' }),
  ])
  t.same(tree.plans[2], {
    id: 'plan-3',
    name: 'Review',
    status: 'pending',
    tasks: [{ id: 'task-4', name: 'Check', status: 'pending' }],
  })
})

t.test('a task that is carried into another plan is shown there, and what is not known is passed over', async (t) => {
  const tree = fold([
    SNAPSHOT,
    event(6, 'plan.created', { name: 'Again', status: 'pending', supersedesPlanId: 'plan-1' }, { planId: 'plan-3' }),
    event(7, 'task.carried', { fromPlanId: 'plan-1', taskIndex: 0 }, { planId: 'plan-3', taskId: 'task-1' }),
    event(8, 'objective.replanned', { carried: ['task-1'] }, { taskId: 'task-0' }),
    event(9, 'something.new', { state: 'completed' }, { planId: 'plan-3', taskId: 'task-1' }),
  ])
  t.strictSame(
    tree.plans.map(({ tasks }) => tasks.map(({ id, status }) => [id, status])),
    [[['task-2', 'pending']], [['task-3', 'pending']], [['task-1', 'working']]],
  )
  const [snapshot] = [structuredClone(SNAPSHOT)] as [typeof SNAPSHOT & { snapshot: object }]
  Object.assign(snapshot.snapshot.objective.plans?.[0]?.tasks?.[0] ?? {}, { carriedTo: 'plan-3' })
  t.strictSame(
    fold([snapshot]).plans[0]?.tasks.map(({ id }) => id),
    ['task-2'],
  )
})

t.test('the tree is drawn with bars, states, agents and times', async (t) => {
  const drawn = renderTree(fold(MIDWAY), START + 6_500, { width: 80, color: false })
  t.same(drawn.split('\n'), [
    'Research tea and write about it                 ████░░░░░░░░ 1/3  working  6.5 s',
    '├─ Research                                            ██████░░░░░░ 1/2  working',
    '│  ├─ ● Search                                      researcher  completed  2.0 s',
    '│  └─ ◐ Summarize                                         writer  working  2.5 s',
    '        Choosing',
    '└─ Writing                                             ░░░░░░░░░░░░ 0/1  pending',
    '   └─ ○ Write                                                            pending',
  ])
})

t.test('lines fit the terminal, with colours or without', async (t) => {
  for (const width of [40, 80]) {
    for (const color of [true, false]) {
      const drawn = renderTree(fold([...MIDWAY, ...END]), START, { width, color })
      const lengths = stripVTControlCharacters(drawn)
        .split('\n')
        .map((line) => line.length)
      t.ok(Math.max(...lengths) <= Math.max(width, 58), `${width} columns: ${lengths}`)
    }
  }
})

t.test('what is no terminal gets a line for each change', async (t) => {
  const midway = fold(MIDWAY)
  t.same(changesBetween(undefined, fold([SNAPSHOT])), [
    'plan Research: working',
    '  task Search: working (researcher)',
    '  task Summarize: pending',
    'plan Writing: pending',
    '  task Write: pending',
    'objective Research tea and write about it: working',
  ])
  t.same(changesBetween(midway, fold([...MIDWAY, ...END])), [
    'plan Research: failed',
    '  task Summarize: failed (writer): No findings',
    'plan Writing: skipped',
    '  task Write: skipped',
    'objective Research tea and write about it: failed after 9.0 s',
  ])
  t.equal(seconds(65_000), '1 min 05 s')
})

t.test('a stream that breaks is taken up after the last event', async (t) => {
  const asked: unknown[] = []
  const frame = (response: ServerResponse, result: Frame) =>
    response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id: '1', result })}\n\n`)
  const server = createServer(async (request, response) => {
    const { params } = JSON.parse(Buffer.concat(await request.toArray()).toString())
    asked.push(params)
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    if (asked.length === 1) {
      for (const each of MIDWAY) frame(response, each)
      response.flushHeaders()
      setImmediate(() => response.destroy())
      return
    }
    for (const each of END) frame(response, each)
    response.end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.teardown(() => server.close())
  const client = new DemoClient(
    `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    new AbortController().signal,
  )
  let last: Tree | undefined
  for await (const tree of client.follow('ctx-1')) last = tree
  t.match(last, { status: 'failed', seq: 13 })
  t.match(asked, [
    { id: 'ctx-1', afterSeq: undefined },
    { id: 'ctx-1', afterSeq: 8 },
  ])
})
