import t from '../tap.ts'
import { planOf } from './client.ts'
import { finishedAfter, threeTasks } from './finished.ts'

const SINGLE = { kind: 'echo', name: 'single', maxConcurrent: 1 }
const tasksOfSingle = ['first', 'second', 'third'].map((name) => ({ name, agent: 'single' }))
const many = () => Array.from({ length: 30 }, threeTasks)

t.test('many objectives are finished, and slots are free again', (t) =>
  finishedAfter(
    t,
    [
      { point: 'group:before-commit#4', title: 'in the middle of a group of many', messages: many() },
      { point: 'finish:after-commit#20', title: 'in the middle of the ends of many', messages: many() },
      { point: 'finish:after-commit', title: 'a slot was held by what ended', messages: [planOf(tasksOfSingle)] },
    ],
    { agents: [SINGLE] },
  ),
)
