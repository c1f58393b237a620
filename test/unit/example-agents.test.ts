import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { citationsIn } from '../../examples/agents/citations.ts'
import { type Finding, findingsIn } from '../../examples/agents/findings.ts'
import { lengthLimitIn } from '../../examples/agents/length-limit.ts'
import { passagesOf, plain } from '../../examples/agents/markdown.ts'
import { topicOf } from '../../examples/agents/researcher/research.ts'
import { PassageIndex } from '../../examples/agents/researcher/search.ts'
import { reviewWork } from '../../examples/agents/reviewer/review.ts'
import type { JsonPart, WorkRequest } from '../../examples/agents/work.ts'
import { writeSummary } from '../../examples/agents/writer/summary.ts'
import t from '../tap.ts'

const request = (text: string, parts: JsonPart[]): WorkRequest => ({
  text,
  parts,
  signal: new AbortController().signal,
  say: () => undefined,
})

const finding = (file: string, line: number, text: string, score = 1): Finding => ({
  file,
  line,
  endLine: line,
  heading: '',
  text,
  score,
})

t.test('markdown becomes passages with their lines and headings', async (t) => {
  const source = [
    '# Tea',
    '',
    'Green tea is **never** [boiled](http://x).',
    'It steeps.',
    '```js',
    'const code = 1',
    '```',
    '- One `item`',
    '- Another',
    '',
    '| a | b |',
    '> Quoted',
    '> twice',
  ].join('\n')
  t.same(passagesOf(source), [
    { line: 3, endLine: 4, heading: 'Tea', text: 'Green tea is never boiled. It steeps.' },
    { line: 8, endLine: 8, heading: 'Tea', text: 'One item' },
    { line: 9, endLine: 9, heading: 'Tea', text: 'Another' },
    { line: 12, endLine: 13, heading: 'Tea', text: 'Quoted twice' },
  ])
  t.equal(plain('![badge](x) a < b &amp; snake_case_name <br> end'), 'a < b & snake_case_name end')
})

t.test('a request is about what is left when the asking is taken off', async (t) => {
  t.equal(topicOf('Research how to brew green tea.'), 'how to brew green tea')
  t.equal(topicOf('Please find out about rate limits?'), 'rate limits')
  t.equal(topicOf('Search papers'), '')
  t.equal(topicOf('Search sources\n\nSearch for old tea bowls.\n\nThis is part of: x'), 'old tea bowls')
})

t.test('search ranks by rare words, tells nothing twice and spreads over files', async (t) => {
  const index = new PassageIndex()
  const filler = (word: string) => `The package has a ${word} that many people like to see in a package every day.`
  index.add({ file: 'a/README.md', text: ['Backpressure', 'slows', 'every'].map((w) => filler(w)).join('\n\n') })
  index.add({
    file: 'b/README.md',
    text: 'When a reader is slow, backpressure tells the writer of the package to wait for it.',
  })
  index.add({
    file: 'c/README.md',
    text: 'When a reader is slow, backpressure tells the writer of the package to wait for it!',
  })
  index.add({
    file: 'd/README.md',
    text: 'A package about something else altogether, with enough words to be worth while.',
  })
  const findings = index.search('how a package does backpressure', 10)
  t.same(findings.map((each) => each.file).toSorted(), ['a/README.md', 'b/README.md'])
  t.equal(findings[0]?.score, 1)
  t.same(index.search('zeppelins', 10), [])
})

t.test('findings from outside are data: what is malformed is left out', async (t) => {
  const good = finding('a.md', 1, 'Text.')
  const parts = [{ text: 'hi' }, { data: { topic: 'tea', findings: [good, good, { file: 7 }, null] } }]
  t.same(findingsIn(parts), { topic: 'tea', findings: [good] })
  t.equal(findingsIn([{ data: { findings: 'none' } }]), undefined)
})

t.test('a length is read from the request', async (t) => {
  t.same(lengthLimitIn('in at most 200 words'), { min: 20, max: 200 })
  t.same(lengthLimitIn('about 100 words'), { min: 20, max: 120 })
  t.same(lengthLimitIn('a report'), { min: 20, max: 400 })
})

t.test('the writer quotes, cites and keeps to the length; without findings it refuses', async (t) => {
  const texts = [
    'Green tea is steeped at eighty degrees for about two or three minutes.',
    'Boiling water makes green tea taste bitter and spoils its colour for good.',
    'A kettle with a thermometer helps to stop well before the water boils.',
  ]
  const findings = texts.map((text, index) => finding(`p${index}/README.md`, index + 1, text, 1 - index / 10))
  const parts = [{ data: { topic: 'green tea', findings } }]
  const [artifact] = (await writeSummary(request('in at most 100 words', parts))).artifacts
  const text = artifact?.parts[0]?.text ?? ''
  t.match(text, /^# Green tea\n/)
  t.same(
    citationsIn(text)
      .map((citation) => citation.quote)
      .toSorted(),
    texts.toSorted(),
  )
  t.match(artifact?.parts[1]?.data, { sources: [{ number: 1, file: 'p0/README.md', line: 1 }], findings: [{}, {}, {}] })
  const short = (await writeSummary(request('in at most 60 words', parts))).artifacts[0]?.parts[0]?.text ?? ''
  t.equal(citationsIn(short).length, 1)
  await t.rejects(writeSummary(request('write', [])), { message: /No findings were given/ })
})

t.test('the reviewer approves what resolves and says what does not', async (t) => {
  const folder = t.testdir({ 'tea.md': '# Tea\n\nGreen tea is steeped at eighty degrees.\n' })
  writeFileSync(join(folder, 'long.md'), 'x')
  const verdict = async (text: string, sources: object[], ask = 'review it, about 20 words') => {
    const metadata = { 'opt/v1/from': { artifactId: 'a1', taskId: 't1' } }
    const parts = [
      { text, metadata },
      { data: { topic: 'tea', sources }, metadata },
    ]
    const result = await reviewWork(folder)(request(ask, parts))
    return (result.artifacts.at(-1)?.parts.at(-1)?.data ?? {}) as { problems?: string[] }
  }
  const review = async (...args: Parameters<typeof verdict>) => (await verdict(...args)).problems
  const source = { number: 1, file: 'tea.md', line: 3, endLine: 3 }
  const frame = (line: string) => `# Tea\n\n${'word '.repeat(13)}\n\n- ${line}\n\n## Sources\n\n1. \`tea.md:3\`\n`
  t.same(await review(frame('Green tea is steeped at eighty degrees. [1]'), [source]), [])
  t.match(await review(frame('Green tea is boiled at ninety degrees. [1]'), [source]), [
    /does not say “Green tea is boiled/,
  ])
  t.match(await review(frame('Green tea is steeped at eighty degrees. [2]'), [source]), [
    /\[2\] is not among/,
    /Source 1 is not/,
  ])
  t.match(await review(frame('Green tea is steeped at eighty degrees. [1]'), [{ ...source, line: 9 }]), [
    /no tea\.md:9/,
  ])
  t.match(await review(frame('Green tea is steeped at eighty degrees. [1]'), [{ ...source, file: '../../x.md' }]), [
    /no \.\./,
  ])
  t.match(await review('# Tea', []), [/has 1 words; at least 20/, /cites nothing/])
  await t.rejects(reviewWork(folder)(request('review', [{ text: 'hi' }])), { message: /No text with sources/ })
})
