import t from '../tap.ts'
import { finishedAfter, threeTasks } from './finished.ts'

t.test('objectives are finished wherever their server was killed', (t) =>
  finishedAfter(t, [
    { point: 'group:before-commit', title: 'nothing had happened', messages: [threeTasks()] },
    { point: 'group:after-commit', title: 'committed and not answered', messages: [threeTasks()] },
    { point: 'attempt:claimed', title: 'claimed and not begun', messages: [threeTasks()] },
    { point: 'finish:before-commit#2', title: 'done and not committed', messages: [threeTasks()] },
    { point: 'finish:after-commit#2', title: 'committed and not told', messages: [threeTasks()] },
  ]),
)
