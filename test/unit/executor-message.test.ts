import './property-seed.ts'
import fc from 'fast-check'
import type { Artifact } from '../../src/domain/message.ts'
import {
  composeMessage,
  cutText,
  FROM_KEY,
  originOf,
  partBytes,
  taskText,
} from '../../src/executors/compose-message.ts'
import t from '../tap.ts'

const findings: Artifact = {
  artifactId: 'a1',
  name: 'findings',
  parts: [{ text: 'line 3' }, { data: { line: 3 }, metadata: { own: 1 } }],
}

t.test('the text of the task first, then what it depends on, each part with its origin', async (t) => {
  const message = composeMessage({
    messageId: 'attempt-1',
    task: { name: 'Summarize', description: 'In ten lines.', parts: [{ url: 'https://example.com/style' }] },
    from: [{ id: 'task-1', artifacts: [findings] }],
    contextId: 'context-1',
  })
  const from = { artifactId: 'a1', taskId: 'task-1', artifactName: 'findings' }
  t.same(message, {
    messageId: 'attempt-1',
    role: 'user',
    contextId: 'context-1',
    parts: [
      { text: 'Summarize\n\nIn ten lines.' },
      { url: 'https://example.com/style' },
      { text: 'line 3', metadata: { [FROM_KEY]: from } },
      { data: { line: 3 }, metadata: { own: 1, [FROM_KEY]: from } },
    ],
  })
  t.same(message.parts.map(originOf), [undefined, undefined, from, from])
})

t.test('name and description are not said twice', async (t) => {
  t.equal(taskText({ name: 'Book it' }), 'Book it')
  t.equal(taskText({ name: 'Book it', description: 'Book it ' }), 'Book it')
  t.equal(taskText({ name: 'Book it', description: 'Book it by noon' }), 'Book it by noon')
})

t.test('what is too much is cut or left out, and a note says so', async (t) => {
  const big: Artifact = { artifactId: 'big', parts: [{ text: 'x'.repeat(500) }, { raw: 'y'.repeat(500) }] }
  const input = { messageId: 'm', task: { name: 'n' }, from: [{ id: 'task-1', artifacts: [findings, big] }] }
  const { parts } = composeMessage(input, { maxBytes: 200, maxParts: 10 })
  t.match(parts[1], { text: 'line 3' }, 'what is small stays whole')
  t.match(parts[3], { text: /^x{80,}$/ }, 'text is cut')
  t.equal(parts.length, 5, 'a file is left out whole')
  t.match(parts[4], {
    text: /limit of 200 bytes.*\n- big of task-1: 500 bytes, cut or left out\n- big of task-1: 500 bytes, left out/,
  })
  const few = composeMessage(input, { maxBytes: 10_000, maxParts: 1 }).parts
  t.match(few, [{ text: 'n' }, { text: 'line 3' }, { text: /Note: .*1 parts/ }])
})

t.test('whatever is given, the bytes stay within the limit', async () => {
  const part = fc.oneof(fc.record({ text: fc.string({ unit: 'grapheme' }) }), fc.record({ url: fc.string() }))
  const artifact = fc.record({ artifactId: fc.string({ minLength: 1 }), parts: fc.array(part) })
  fc.assert(
    fc.property(fc.array(artifact), fc.nat(300), (artifacts, maxBytes) => {
      const { parts } = composeMessage(
        { messageId: 'm', task: { name: 'n' }, from: [{ id: 't', artifacts }] },
        { maxBytes, maxParts: 20 },
      )
      const given = parts.filter((one) => originOf(one))
      const bytes = given.reduce((sum, one) => sum + partBytes(one), 0)
      const all = artifacts.flatMap((one) => one.parts)
      const fits = all.length <= 20 && all.reduce((sum, one) => sum + partBytes(one), 0) <= maxBytes
      return bytes <= maxBytes && given.length <= 20 && (!fits || given.length === all.length)
    }),
  )
})

t.test('a cut never ends inside a character', async (t) => {
  t.equal(cutText('aé', 2), 'a')
  t.equal(cutText('a😀b', 4), 'a')
  t.equal(cutText('a😀b', 5), 'a😀')
})
