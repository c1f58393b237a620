import { loadPlaybooks } from '../../src/planner/load-playbooks.ts'
import { createPlaybooksPlanner, parsePlaybook } from '../../src/planner/playbooks.ts'
import t from '../tap.ts'
import { request, shape } from './planner-fixtures.ts'

const folder = new URL('../../config/playbooks', import.meta.url).pathname
const signal = AbortSignal.timeout(60_000)

t.test('the request of the extension document becomes the plans that it prints', async (t) => {
  const planner = createPlaybooksPlanner(await loadPlaybooks(folder))
  const text = 'Research AI safety papers and write a summary'
  const decision = await planner.plan(request(text), signal)
  t.equal(
    shape(decision),
    'Research\n  1. Search papers\n  2. Summarize findings (after 1)\nWriting (after Research)\n  3. Write summary',
  )
  const plans = decision?.kind === 'objective' ? decision.objective.plans : []
  const tasks = plans.flatMap((plan) => plan.tasks)
  const told = { parts: [{ text: `This is part of the request: ${text}` }], skill: undefined }
  t.match(tasks, [told, told, told], 'agents are told the request, and none is needed that may not be there')
  t.match(tasks[0]?.description, /^Search for AI safety papers\./)
})

t.test('names follow what was asked for', async (t) => {
  const planner = createPlaybooksPlanner(await loadPlaybooks(folder))
  const names = async (text: string) =>
    shape(await planner.plan(request(text), signal))
      .match(/(?<=\d\. ).*?(?= \(|$)/gm)
      ?.join(', ')
  t.equal(
    await names('Please research the history of chess, then write a short report about it for kids.'),
    'Search sources, Summarize findings, Write short report',
  )
  t.equal(
    await names('investigate\n"agent" docs and draft an essay of 300 words'),
    'Search docs, Summarize findings, Write essay',
  )
  t.equal(
    await names('Research solar panels and write a blog post, and review it'),
    'Search sources, Summarize findings, Write blog post, Review blog post',
  )
})

t.test('other requests are left to other planners', async (t) => {
  const planner = createPlaybooksPlanner(await loadPlaybooks(folder))
  const others = [
    'Research cats and book a flight',
    'Research solar panels and write a post and translate it',
    'research and write',
    `Research ${'x '.repeat(400)} and write a summary`,
  ]
  for (const text of [...others, '']) t.equal(await planner.plan(request(text), signal), null, text.slice(0, 80))
  const unwanted = { metadata: { 'opt/v1/preferObjective': false } }
  t.equal(await planner.plan(request('Research cats and write a poem', unwanted), signal), null)
})

const plans = [
  {
    name: 'A {{what|it}}',
    tasks: ['one', { name: 'two', when: 'what', dependencies: ['one'] }, { name: 'three', dependencies: ['two'] }],
  },
]

t.test('what waited for a task that is left out waits for what that one waited for', async (t) => {
  const playbook = parsePlaybook('p', { match: { pattern: 'do( (?<what>that))?' }, plans })
  const draft = (text: string) => {
    const objective = playbook.draftFor(text)
    return objective && shape({ kind: 'objective', objective })
  }
  t.equal(draft('do that'), 'A that\n  1. one\n  2. two (after 1)\n  3. three (after 2)')
  t.equal(draft('DO'), 'A it\n  1. one\n  2. three (after 1)')
  t.equal(draft('do more'), null)
})

t.test('keywords stand in the text as words, and what is filled in is no template', async (t) => {
  const playbook = parsePlaybook('p', {
    match: { keywords: ['weekly', 'report'] },
    plans: [{ tasks: [{ name: 'Do {{text}}' }] }],
  })
  t.equal(playbook.draftFor('reporting weekly'), null)
  t.equal(playbook.draftFor('Weekly {{text}} report!')?.plans[0]?.tasks[0]?.name, 'Do Weekly {{text}} report!')
})

t.test('a playbook that is wrong says where', async (t) => {
  const match = { keywords: ['x'] }
  const wrong: [unknown, RegExp][] = [
    [null, /Playbook p: the file: was null; must be a playbook/],
    [{ match }, /plans: is missing; must be a list with at least one plan/],
    [{ match: { pattern: '(a+)+' }, plans }, /repeats a group that repeats something/],
    [{ match: { pattern: '(' }, plans }, /pattern is no regular expression/],
    [{ match: {}, plans }, /must have either pattern or keywords/],
    [{ match, plans }, /the group "what" is not in its rule; allowed are text/],
    [{ match, plans: [{ tasks: [{ nam: 'a' }] }] }, /plans\[0\]\.tasks\[0\]\.name: is missing; must be text/],
    [{ match, plans: [{ tasks: [{ name: 'a', dependencies: ['b'] }] }] }, /refers to "b"/],
    [{ match, plans: [{ tasks: [{ name: 'a', dependencies: ['a'] }] }] }, /waits for itself/],
  ]
  for (const [value, message] of wrong) t.throws(() => parsePlaybook('p', value), { message }, String(message))
})

t.test('a folder of playbooks', async (t) => {
  const dir = t.testdir({
    'b.yaml': 'match: {keywords: [b]}\nplans: [{tasks: [b]}]',
    'a.yml': 'match: {keywords: [a]}\nplans: [{tasks: [a]}]',
    'notes.txt': '{',
  })
  t.same(
    (await loadPlaybooks(dir)).map((playbook) => playbook.name.split('/').at(-1)),
    ['a.yml', 'b.yaml'],
  )
  t.same(await loadPlaybooks(`${dir}/none`), [])
  const broken = t.testdir({ 'x.yaml': 'a: [' })
  await t.rejects(loadPlaybooks(broken), { message: /x\.yaml: is no YAML/ })
})
