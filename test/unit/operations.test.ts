import './property-seed.ts'
import fc from 'fast-check'
import { readProtocol } from '../../src/a2a/call.ts'
import { parseJson, refuseUnsafe } from '../../src/a2a/json.ts'
import { findOperation, OPERATIONS } from '../../src/a2a/operations.ts'
import { readPlans, readTasks } from '../../src/a2a/opt-params.ts'
import t from '../tap.ts'

t.test('every name is there once, and leads to its own row', async (t) => {
  const methods = OPERATIONS.map(({ method }) => method)
  t.equal(new Set(methods).size, methods.length)
  for (const { method, version = '0.3' } of OPERATIONS) {
    t.equal(findOperation(method, readProtocol({ version })).operation.method, method)
    const other = version === '1.0' ? '0.3' : '1.0'
    if (OPERATIONS.some((row) => row.method === method && row.version === version)) {
      t.throws(() => findOperation(method, readProtocol({ version: other })), /belongs to A2A/)
    }
  }
})

t.test('no two operations of a version share a path', async (t) => {
  for (const version of ['1.0', '0.3']) {
    const rows = OPERATIONS.filter((row) => row.version === undefined || row.version === version)
    const paths = rows.flatMap(({ rest }) => (rest ? [`${rest.verb} ${rest.path}`] : []))
    t.strictSame([...new Set(paths)], paths)
  }
})

t.test('every slash method may be written with dots', async (t) => {
  for (const { method } of OPERATIONS.filter((row) => row.method.includes('/'))) {
    const found = findOperation(method.replaceAll('/', '.'), readProtocol({}))
    t.match(found, { operation: { method }, style: 'dotted' })
  }
})

t.test('any JSON that is harmless parses as JSON.parse does', async () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 20 }), (text) => {
      const expected = JSON.parse(text)
      let seen: unknown
      try {
        const parsed = parseJson(text)
        seen = parsed.value
        if (parsed.suspicious) refuseUnsafe(seen)
      } catch (error) {
        return /not allowed/.test((error as Error).message)
      }
      return JSON.stringify(seen) === JSON.stringify(expected)
    }),
  )
})

t.test('depth counts brackets, not text', async (t) => {
  t.ok(parseJson(JSON.stringify('['.repeat(1_000))))
  t.ok(parseJson(JSON.stringify(`"\\${'{'.repeat(1_000)}`)))
  t.ok(parseJson(`${'['.repeat(200)}${']'.repeat(200)}`))
  t.throws(() => parseJson(`${'['.repeat(201)}${']'.repeat(201)}`), /nested deeper/)
  t.throws(() => parseJson('{"a":"'), /Parse error/)
})

t.test('a name that only one task has means that one, and keys that are made up are new', async (t) => {
  const named = [{ name: 'Fly' }, { name: 'Sleep' }, { name: 'Sleep' }, { key: 'task-1', name: 'Ski' }]
  const tasks = readTasks([...named, { name: 'Home', dependencies: ['Fly', 'Sleep', 'task-1', 'task-2'] }], '', true)
  t.strictSame(
    tasks.map(({ key }) => key),
    ["task-1'", 'task-2', 'task-3', 'task-1', 'task-5'],
  )
  t.strictSame(tasks.at(-1)?.dependencies, ["task-1'", 'Sleep', 'task-1', 'task-2'])
})

t.test('plans go by key, id, position and name', async (t) => {
  const plans = readPlans([
    { key: 'a', id: 'b', name: 'First' },
    { name: 'Second', dependencies: ['a', 'b', 'plan-1', 'First'], alternativeTo: 'b' },
  ])
  t.match(plans[1], { key: 'plan-2', dependencies: ['a', 'a', 'a', 'a'], alternativeTo: 'a' })
})

t.test('task-N, keys and ids all mean the same task', async () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.nat(19), (count, from) => {
      const at = from % count
      const inputs = Array.from({ length: count }, (_, index) => ({
        name: `t${index}`,
        ...(index % 3 === 1 && { key: `k${index}` }),
        ...(index % 3 === 2 && { id: `i${index}`, key: `k${index}` }),
      }))
      const target = inputs[at] as { key?: string; id?: string }
      const names = [`task-${at + 1}`, target.key, target.id].filter((name) => name !== undefined)
      const tasks = readTasks([...inputs, { name: 'last', dependencies: names }], '', false)
      return (tasks.at(-1)?.dependencies ?? []).every((dependency) => dependency === tasks[at]?.key)
    }),
  )
})
