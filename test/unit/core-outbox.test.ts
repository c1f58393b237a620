import './property-seed.ts'
import fc from 'fast-check'
import { removePushConfig, setPushConfig } from '../../src/domain/commands/push.ts'
import type { PushConfig } from '../../src/domain/push.ts'
import t from '../tap.ts'
import { drafts } from './core-drafts.ts'
import { CoreDriver } from './core-moves.ts'
import { plan, planned, refusal } from './core-plan.ts'
import { steps, take } from './core-random.ts'

const CONFIG: PushConfig = { url: 'https://receiver.example/', version: '1.0' }
const TOLD = ['task.status', 'task.artifact']

function register({ memory }: CoreDriver, taskId: string | null, more: Partial<PushConfig> = {}): string {
  return memory.change((w) => setPushConfig(w, taskId, { ...CONFIG, ...more }, 10))
}

/** What a configuration has been told of, and what it should have been, since it was there. */
function outboxOf({ memory, rows }: CoreDriver, id: string, since: number) {
  const config = rows.pushConfigs.find((one) => one.id === id)
  if (config === undefined) throw new Error(`no configuration ${id}`)
  const { key, taskId } = config
  const concerns = rows.events.filter(
    ({ seq, inTree, type, taskId: about }) =>
      seq > since && (taskId === null ? inTree : about === taskId && TOLD.includes(type)),
  )
  const told = rows.deliveries.filter(({ configKey }) => configKey === key).map(({ seq }) => seq)
  const pending = rows.webhookQueues.find(({ configKey }) => configKey === key)?.pending ?? 0
  return { told, wanted: concerns.map(({ seq }) => seq), pending, push: memory.context.push }
}

t.test(
  'whatever happens, each configuration is to be told of every event that concerns it, once and in order',
  async (t) => {
    fc.assert(
      fc.property(drafts(3), steps(15), steps(15), (plans, before, after) => {
        const driver = new CoreDriver()
        const root = driver.plan(plans)
        for (const step of before) take(driver, step)
        const since = driver.memory.context.seq
        const tasks = [null, root, ...driver.rows.tasks.slice(1, 3).map((task) => task.id)]
        const ids = tasks.map((taskId, n) => register(driver, taskId, { id: `config-${n}` }))
        if (driver.memory.context.seq !== since) throw new Error('registering is no event')
        for (const step of after) take(driver, step)
        for (const id of ids) {
          const { told, wanted, pending, push } = outboxOf(driver, id, since)
          if (JSON.stringify(told) !== JSON.stringify(wanted)) throw new Error(`${id}: ${told}, not ${wanted}`)
          if (pending !== told.length) throw new Error(`${id}: ${pending} pending of ${told.length}`)
          if (push !== ids.length) throw new Error(`the context counts ${push}`)
        }
      }),
      { numRuns: 150 },
    )
    t.pass()
  },
)

t.test('without configurations nothing is written for them', async (t) => {
  const driver = planned([plan('p', ['one', 'two'])])
  driver.drive()
  t.same([driver.rows.deliveries, driver.rows.webhookQueues], [[], []])
})

t.test('an id is replaced, not doubled; removed, it is told nothing more', async (t) => {
  const driver = planned([plan('p', ['one'])])
  const { memory, rows } = driver
  t.equal(register(driver, 'root-1', { id: 'mine' }), 'mine')
  t.equal(register(driver, null, { id: 'mine' }), 'mine', 'the objective has ids of its own')
  register(driver, 'root-1', { id: 'mine', url: 'https://other.example/' })
  t.equal(memory.context.push, 2)
  t.same(
    rows.pushConfigs.map(({ url }) => url),
    ['https://other.example/', CONFIG.url],
  )
  t.equal(
    memory.change((w) => removePushConfig(w, null, 'mine')),
    true,
  )
  t.equal(
    memory.change((w) => removePushConfig(w, null, 'mine')),
    false,
  )
  t.equal(memory.context.push, 1)
  driver.drive()
  t.same([...new Set(rows.deliveries.map(({ configKey }) => configKey))], [rows.pushConfigs[0]?.key])
  const limited = () => memory.change((w) => setPushConfig(w, 'root-1', CONFIG, 1))
  t.match(refusal(limited), { meaning: 'limitExceeded', message: /root-1 has 1 .* allowed are 1/ })
})

t.test('members of one group see what the others registered', async (t) => {
  const driver = planned([plan('p', ['one'])])
  const set = (id: string) => (w: Parameters<Parameters<typeof driver.memory.change>[0]>[0]) =>
    setPushConfig(w, 'root-1', { ...CONFIG, id }, 2)
  const remove = (w: Parameters<typeof removePushConfig>[0]) => removePushConfig(w, 'root-1', 'a')
  const { answers } = driver.memory.apply<string | boolean>([set('a'), set('b'), set('c'), remove, set('c')])
  t.match(answers, ['a', 'b', { meaning: 'limitExceeded' }, true, 'c'])
  t.same(driver.rows.pushConfigs.map(({ id }) => id).toSorted(), ['b', 'c'])
  t.equal(driver.memory.context.push, 2)
})
