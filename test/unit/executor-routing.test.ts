import { accepts, type RoutableAgent, route } from '../../src/executors/routing.ts'
import { stem, termsOf } from '../../src/executors/routing-text.ts'
import t from '../tap.ts'

const AGENTS: RoutableAgent[] = [
  {
    name: 'researcher',
    description: 'Finds what documents say.',
    skills: [
      {
        id: 'research',
        name: 'Research',
        description: 'Searches the files of a folder and lists findings with file and line.',
        tags: ['search', 'findings'],
        examples: ['Research how these packages handle errors'],
      },
    ],
    outputModes: ['application/json', 'text/markdown'],
  },
  {
    name: 'writer',
    description: 'Writes summaries.',
    skills: [
      {
        id: 'write',
        name: 'Write a summary',
        description: 'A cited summary from findings.',
        tags: ['summary', 'report'],
      },
    ],
    outputModes: ['text/markdown'],
  },
  {
    name: 'reviewer',
    skills: [{ id: 'review', name: 'Review', description: 'Checks citations and length.', tags: ['check', 'summary'] }],
    outputModes: ['text/plain'],
  },
  { name: 'echo', skills: [] },
]

const agentFor = (text: string, more: object = {}) => route({ text, ...more }, AGENTS, 'echo')

t.test('the agent that a task names', async (t) => {
  t.match(agentFor('anything', { agent: 'writer' }), { agent: 'writer', reason: /names/ })
  t.match(agentFor('anything', { agent: 'poet' }), {
    error: 'No agent is named "poet"; known are researcher, writer, reviewer, echo',
    retryable: false,
  })
})

t.test('the skill that a task asks for, by id, name or tag', async (t) => {
  t.match(agentFor('x', { skill: 'review' }), { agent: 'reviewer', reason: /by id/ })
  t.match(agentFor('x', { skill: 'write a SUMMARY' }), { agent: 'writer', reason: /by name/ })
  t.match(agentFor('x', { skill: 'findings' }), { agent: 'researcher', reason: /by tag/ })
  t.match(agentFor('check it', { skill: 'summary' }), { agent: 'reviewer' }, 'of several, the one that the text fits')
  t.match(agentFor('x', { skill: 'summary' }), { agent: 'writer' }, 'else the first')
  t.match(agentFor('x', { skill: 'cooking' }), {
    agent: 'echo',
    reason: /^no agent has the skill "cooking"; .*default agent/,
  })
  t.match(agentFor('Search for recipes', { skill: 'cooking' }), { agent: 'researcher', reason: /best match/ })
})

t.test('a skill that nobody has yet may come with a card that was not read yet', async (t) => {
  t.match(route({ text: 'x', skill: 'cooking' }, [...AGENTS, { name: 'cook' }], 'echo'), {
    error: /the skills of cook are not known yet/,
    retryable: true,
  })
})

t.test('the best match of the text', async (t) => {
  const cases = {
    'Research error handling in the README files': 'researcher',
    'Search for everything about logging': 'researcher',
    'Write a report of it': 'writer',
    'Summarize the findings': 'writer',
    'Review the summary': 'reviewer',
    'Check that all is well cited': 'reviewer',
  }
  for (const [text, agent] of Object.entries(cases)) t.match(agentFor(text), { agent, reason: /best match/ }, text)
})

t.test('what fits nobody goes to the default agent, if there is one', async (t) => {
  for (const text of ['Bake a cake', '', 'the and of', '你好'])
    t.match(agentFor(text), { agent: 'echo', reason: /default/ })
  t.match(route({ text: 'x' }, AGENTS, 'nobody'), { error: /default agent "nobody"/ })
})

t.test('accepted output modes filter', async (t) => {
  t.match(agentFor('Summarize the findings', { acceptedOutputModes: ['application/json'] }), { agent: 'researcher' })
  t.match(agentFor('Summarize the findings', { acceptedOutputModes: ['image/png'] }), { agent: 'echo' })
  t.match(
    agentFor('x', { agent: 'writer', acceptedOutputModes: ['image/png'] }),
    { agent: 'writer' },
    'a named agent is told',
  )
  t.ok(accepts(['text/plain'], ['text']))
  t.ok(accepts(['text'], ['text/markdown']))
  t.ok(accepts(['text/plain; charset=utf-8'], ['TEXT/*']))
  t.ok(accepts(undefined, ['text/plain']) && accepts(['a/b'], []))
  t.notOk(accepts(['text/plain'], ['image/*']))
})

t.test('the same question gets the same answer, and of equals the first wins', async (t) => {
  const skills = [{ id: 'sing', name: 'Sing' }]
  const twins = [
    { name: 'a', skills },
    { name: 'b', skills },
    { name: 'c', skills: [{ id: 'dance', name: 'Dance' }] },
  ]
  t.match(route({ text: 'sing a song' }, twins, 'c'), { agent: 'a' })
  t.same(route({ text: 'sing a song' }, twins, 'c'), route({ text: 'sing a song' }, twins, 'c'))
})

t.test('stems are light, terms are distinct, every script counts', async (t) => {
  for (const word of ['research', 'researcher', 'researching', 'researches']) t.equal(stem(word), 'research')
  for (const word of ['cite', 'cites', 'citation', 'citations']) t.equal(stem(word), 'cit')
  for (const word of ['plan', 'planning', 'planner']) t.equal(stem(word), 'plan')
  t.equal(stem('class'), 'class')
  t.same([...termsOf('Résumé, resume: 研究 and C++')], ['resum', '研究'])
})
