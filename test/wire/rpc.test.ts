import t from '../tap.ts'
import { framing } from './scenarios/framing.ts'
import { inputs } from './scenarios/inputs.ts'
import { rest } from './scenarios/rest.ts'
import { versions } from './scenarios/versions.ts'
import { startDouble } from './start-double.ts'

t.test('framing', async (t) => framing(t, await startDouble(t)))
t.test('rest', async (t) => rest(t, await startDouble(t)))
t.test('versions', async (t) => versions(t, await startDouble(t)))
t.test('inputs', async (t) => inputs(t, await startDouble(t)))
