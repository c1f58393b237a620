import './property-seed.ts'
import fc from 'fast-check'
import { digest } from '../../src/executors/a2a-bounds.ts'
import { ArtifactLedger } from '../../src/executors/a2a-ledger.ts'
import t from '../tap.ts'

const LIMITS = { maxArtifacts: 3, maxParts: 10, maxArtifactBytes: 1_000 }
const artifact = (...texts: string[]) => ({ artifactId: 'a', parts: texts.map((text) => ({ text })) })

t.test('a second look publishes what is new only', async (t) => {
  const ledger = new ArtifactLedger(LIMITS)
  t.match(ledger.whole(artifact('1'), false), { append: false, artifact: { parts: [{ text: '1' }] } })
  t.equal(ledger.whole(artifact('1'), false), undefined)
  t.match(ledger.whole(artifact('1', '2', '3'), true), {
    append: true,
    artifact: { parts: [{ text: '2' }, { text: '3' }] },
  })
})

t.test('what does not begin as it was published takes its place', async (t) => {
  const ledger = new ArtifactLedger(LIMITS)
  ledger.whole(artifact('1', '2'), false)
  t.match(ledger.whole(artifact('12', '3'), false), {
    append: false,
    artifact: { parts: [{ text: '12' }, { text: '3' }] },
  })
  t.match(ledger.whole(artifact('1'), false), { append: false }, 'shorter')
})

t.test('chunks: appended, repeated, replaced, or after a gap', async (t) => {
  const ledger = new ArtifactLedger(LIMITS)
  t.equal(ledger.chunk(artifact('2'), true, false), 'gap')
  t.match(ledger.chunk(artifact('1'), false, false), { append: false })
  t.equal(ledger.chunk(artifact('1'), false, false), undefined)
  t.match(ledger.chunk(artifact('2'), true, false), { append: true })
  t.equal(ledger.whole(artifact('1', '2'), true), undefined)
  t.match(ledger.chunk(artifact('new'), false, false), { append: false })
})

t.test('the memo and the committed rows both tell it where it was', async (t) => {
  const ledger = new ArtifactLedger(LIMITS)
  ledger.whole(artifact('1'), false)
  t.match(new ArtifactLedger(LIMITS, ledger.memo()).whole(artifact('1', '2'), false), { append: true })
  const fromRows = new ArtifactLedger(LIMITS)
  fromRows.committed(artifact('1'))
  t.match(fromRows.whole(artifact('1', '2'), false), { append: true })
})

t.test('whatever part of it was seen, in whatever steps, the rows end up as the remote has it', async () => {
  fc.assert(
    fc.property(fc.array(fc.string(), { maxLength: 9 }), fc.array(fc.nat(9)), (texts, looks) => {
      const ledger = new ArtifactLedger(LIMITS)
      let rows: { text: string }[] = []
      for (const length of [...looks, texts.length]) {
        const event = ledger.whole(artifact(...texts.slice(0, length)), false)
        if (event)
          rows = event.append
            ? [...rows, ...(event.artifact.parts as typeof rows)]
            : (event.artifact.parts as typeof rows)
      }
      return JSON.stringify(rows) === JSON.stringify(texts.map((text) => ({ text })))
    }),
  )
})

t.test('bounds hold over all artifacts together', async (t) => {
  const ledger = new ArtifactLedger(LIMITS)
  for (const artifactId of ['a', 'b', 'c']) ledger.chunk({ ...artifact('x'), artifactId }, false, false)
  t.throws(() => ledger.chunk({ ...artifact('x'), artifactId: 'd' }, false, false), {
    message: 'more than 3 artifacts',
  })
  t.throws(() => new ArtifactLedger(LIMITS).whole(artifact('x'.repeat(1_001)), false), {
    message: /more than 1000 bytes/,
  })
})

t.test('a fingerprint does not depend on the order of keys', async (t) => {
  t.equal(digest({ a: 1, b: [{ c: 2, d: 3 }] }), digest({ b: [{ d: 3, c: 2 }], a: 1 }))
  t.not(digest({ a: 1 }), digest({ a: 2 }))
})
