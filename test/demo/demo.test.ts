import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Test } from 'tap'
import { copyDataFolder } from '../embedded-template.ts'
import { plainEnvironment } from '../plain-environment.ts'
import t from '../tap.ts'

const ROOT = join(import.meta.dirname, '../..')
const REQUEST = 'Research how green tea is brewed, then write a cited summary in at most 100 words, then review it.'
const DOCUMENTS = {
  'tea.md':
    '# Tea\n\nGreen tea is steeped at eighty degrees for two or three minutes.\n\nBoiling water spoils the taste of green tea for good, and its colour too.\n',
  'kettles.txt': 'A kettle with a thermometer stops well before the water boils, which brewing green tea needs.\n',
}

function startDemo(t: Test, folder: string, ...more: string[]): { child: ChildProcess; lines: string[] } {
  const args = [join(ROOT, 'examples/demo/main.ts'), '--folder', folder, ...more]
  const child = spawn(process.execPath, args, { cwd: ROOT, stdio: ['ignore', 'pipe', 'pipe'], env: plainEnvironment() })
  t.teardown(() => child.kill('SIGKILL'))
  const lines: string[] = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => lines.push(line))
  return { child, lines }
}

/** The first start of all is what a newcomer has; the others need not make a database again. */
async function withData(t: Test): Promise<string[]> {
  const data = await mkdtemp(join(tmpdir(), 'trellis-test-'))
  t.teardown(() => rm(data, { recursive: true, force: true }))
  await copyDataFolder(data)
  return ['--data', data]
}

/** The processes that the demo started, by the addresses it printed. */
function addressesIn(lines: string[]): string[] {
  return lines.flatMap((line) => /^ {2}\w+ +(http:\S+)$/.exec(line)?.[1] ?? [])
}

async function answers(url: string): Promise<boolean> {
  return fetch(`${url}/.well-known/agent-card.json`).then(
    (response) => response.ok,
    () => false,
  )
}

t.test('the demo researches, writes and reviews, and leaves nothing running', async (t) => {
  const { child, lines } = startDemo(t, t.testdir(DOCUMENTS), REQUEST)
  const [code] = await once(child, 'close')
  const output = lines.join('\n')
  t.equal(code, 0, output)
  t.match(output, /^ {2}task .*: completed \(researcher\)/m)
  t.match(output, /^ {2}task .*: completed \(writer\)/m)
  t.match(output, /^ {2}task .*: completed \(reviewer\): \d+ citations checked, \d+ words: approved\.$/m)
  t.match(output, /^objective Research how green tea is brewed.*: completed after [\d.]+ s$/m)
  t.match(output, /^- Green tea is steeped at eighty degrees for two or three minutes\. \[\d\]$/m, 'the deliverable')
  const addresses = addressesIn(lines)
  t.equal(addresses.length, 4)
  t.same(await Promise.all(addresses.map(answers)), [false, false, false, false])
})

t.test('an objective that fails is a failure of the demo', async (t) => {
  const { child, lines } = startDemo(
    t,
    t.testdir({ 'empty.md': '' }),
    ...(await withData(t)),
    'Write a summary, then review it.',
  )
  const [code] = await once(child, 'close')
  t.equal(code, 1, lines.join('\n'))
  t.match(lines.join('\n'), /No findings were given/)
})

t.test('Ctrl-C ends everything', async (t) => {
  const { child, lines } = startDemo(t, t.testdir(DOCUMENTS), ...(await withData(t)), REQUEST)
  if (!child.stdout) throw new Error('the output is piped')
  await once(child.stdout, 'data')
  while (addressesIn(lines).length < 4) await once(child.stdout, 'data')
  child.kill('SIGINT')
  const [code] = await once(child, 'close')
  t.equal(code, 130, lines.join('\n'))
  t.match(lines.at(-1), 'Stopped.')
  t.same(await Promise.all(addressesIn(lines).map(answers)), [false, false, false, false])
})
