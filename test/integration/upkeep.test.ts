import { Upkeep } from '../../src/db/upkeep.ts'
import { openEmbeddedCopy } from '../embedded-template.ts'
import t from '../tap.ts'

t.test('tables of the embedded database do not grow by being updated', async (t) => {
  const embedded = await openEmbeddedCopy()
  t.teardown(() => embedded.close())
  await embedded.exec(`CREATE TABLE moved (id int PRIMARY KEY, state text);
    INSERT INTO moved SELECT g, repeat('x', 500) FROM generate_series(1, 2000) g`)
  const size = async () =>
    (await embedded.query<{ size: number }>(`SELECT pg_relation_size('moved') AS size`)).rows[0]?.size ?? 0
  const upkeep = new Upkeep(embedded, t.error)
  const round = async () => {
    await embedded.exec(`UPDATE moved SET state = repeat('y', 500)`)
    return upkeep.run()
  }
  t.match(await round(), ['public.moved'])
  const before = await size()
  for (let n = 0; n < 4; n += 1) await round()
  t.ok((await size()) < before * 1.5, 'what was dead is used again')
  t.notOk((await upkeep.run()).includes('public.moved'), 'what is clean is left alone')
})
