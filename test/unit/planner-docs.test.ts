import { readFile } from 'node:fs/promises'
import { loadPlaybooks } from '../../src/planner/load-playbooks.ts'
import { createStandardPlanner } from '../../src/planner/standard-planner.ts'
import t from '../tap.ts'
import { limits, request, shape } from './planner-fixtures.ts'

const EXAMPLE = /```message\n([\s\S]*?)\n```\n```becomes\n([\s\S]*?)\n```/g
const root = new URL('../../', import.meta.url).pathname

t.test('every example of docs/planning.md becomes what it says there', async (t) => {
  const document = await readFile(`${root}docs/planning.md`, 'utf8')
  const planner = createStandardPlanner(await loadPlaybooks(`${root}config/playbooks`), limits)
  const examples = [...document.matchAll(EXAMPLE)]
  t.ok(examples.length > 10)
  for (const [, message = '', becomes = ''] of examples) {
    const { decision, declined } = await planner.plan(request(message), AbortSignal.timeout(5_000))
    t.equal(shape(decision), becomes, message)
    t.same(declined, [])
  }
})
