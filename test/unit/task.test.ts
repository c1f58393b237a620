import { isTerminal } from '../../src/domain/task.ts'
import t from '../tap.ts'

t.test('terminal states are the four that never change', async (t) => {
  t.ok(isTerminal('completed') && isTerminal('failed') && isTerminal('canceled') && isTerminal('rejected'))
  t.notOk(isTerminal('working') || isTerminal('input-required'))
})
