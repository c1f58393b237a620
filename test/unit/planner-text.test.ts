import './property-seed.ts'
import fc from 'fast-check'
import type { ObjectiveDraft } from '../../src/domain/draft.ts'
import { validateDraft } from '../../src/domain/graph.ts'
import { readText } from '../../src/planner/text/read.ts'
import t from '../tap.ts'
import { shape } from './planner-fixtures.ts'

const unbounded = { maxPlansPerObjective: Infinity, maxTasksPerPlan: Infinity, maxDepth: 1, maxTextLength: Infinity }

/** The shape on one line: `Plan: A, B (after 1) | Other (after Plan): C`. */
function read(text: string): string {
  const objective = readText(text)
  if (objective === null) return 'one task'
  const lines = shape({ kind: 'objective', objective }).split('\n')
  const plans = lines
    .map((line) => (line.startsWith(' ') ? line.replace(/^ +\d+\. /, '') : `\n${line}`))
    .join('; ')
    .split('; \n')
  return plans.map((plan) => plan.trim().replace('; ', ': ')).join(' | ')
}

const TRAVEL =
  'Plan: Book a flight to Helsinki; Book a hotel (after 1); Book a snowmobile activity (after 1); Add a spa reservation to the hotel booking (after 2)'

const TABLE: Record<string, Record<string, string>> = {
  'the travel example, however it is written': {
    'Task 1: Book a flight to Helsinki.\n(After Task 1 finishes)\nTask 2: Based on Task 1, book a hotel.\nTask 3: Based on Task 1, book a snowmobile activity.\n(After Task 2 finishes, while Task 3 is still in progress)\nTask 4: Based on Task 2, add a spa reservation to the hotel booking.':
      TRAVEL,
    'Task 1: Book a flight to Helsinki. (After Task 1 finishes) Task 2: Based on Task 1, book a hotel. Task 3: Based on Task 1, book a snowmobile activity. (After Task 2 finishes, while Task 3 is still in progress) Task 4: Based on Task 2, add a spa reservation to the hotel booking.':
      TRAVEL,
    '1. Book a flight to Helsinki\r\n2. Book a hotel (after 1)\r\n3. Book a snowmobile activity (after 1)\r\n4. Add a spa reservation to the hotel booking (after 2)':
      TRAVEL,
    'Book a flight to Helsinki, then book a hotel and a snowmobile activity; after the hotel is booked, add a spa reservation to the hotel booking.':
      TRAVEL,
    'Book a flight to Helsinki. Once the flight is booked, book a hotel, and in parallel book a snowmobile activity. After the hotel is booked, add a spa reservation to the hotel booking.':
      TRAVEL,
    '- 任务 1：预订飞往赫尔辛基的航班。\n- 任务 2：基于任务 1，预订酒店。\n- 任务 3：基于任务 1，预订雪地摩托活动。\n- 任务 4：基于任务 2，向酒店预订添加水疗预订。':
      'Plan: 预订飞往赫尔辛基的航班; 预订酒店 (after 1); 预订雪地摩托活动 (after 1); 向酒店预订添加水疗预订 (after 2)',
  },
  'one thing to do': {
    'Write a poem': 'one task',
    'What is the weather in Paris and how do I get there?': 'one task',
    'Based on Task 1, book a hotel.': 'one task',
    "That's great! Can you make the sailboat red?": 'one task',
    'Draft and review the contract': 'one task',
    'Summarize supply and demand curves': 'one task',
    'Write about search and rescue': 'one task',
    'If it rains tomorrow, book a museum tour and cancel the hike.': 'one task',
    'Run the tests and if they fail, fix the code.': 'one task',
    'Write a script that downloads files and parses them, e.g. version 3.5 of the docs, and logs errors.': 'one task',
    'Write a program to fetch pages and extract links': 'one task',
    '请帮我预订机票和酒店。': 'one task',
    '': 'one task',
    '  \n\n ': 'one task',
    '🚀': 'one task',
  },
  clauses: {
    'Book a flight and reserve a table': 'Plan: Book a flight; Reserve a table',
    'Buy milk, call Bob, and write a letter': 'Plan: Buy milk; Call Bob; Write a letter',
    'Buy milk; call Bob; write a letter': 'Plan: Buy milk; Call Bob; Write a letter',
    'Research quantum computing and write a report': 'Plan: Research quantum computing; Write a report (after 1)',
    'Analyze sales.csv and create a chart of the results. Send the chart to anna@example.com.':
      'Plan: Analyze sales.csv; Create a chart of the results (after 1); Send the chart to anna@example.com (after 2)',
    'Hi! Please could you write a short story about a cat, and illustrate it? Thanks!':
      'Plan: Write a short story about a cat; Illustrate it (after 1)',
    'Fetch the data, then clean it, then train a model on it':
      'Plan: Fetch the data; Clean it (after 1); Train a model on it (after 2)',
    'Book a flight to Oslo, then a hotel, then a spa.':
      'Plan: Book a flight to Oslo; Book a hotel (after 1); Book a spa (after 2)',
    'Build a web app which lets users sign up and log in, and then deploy it.':
      'Plan: Build a web app which lets users sign up and log in; Deploy it (after 1)',
    'Book a hotel\nRent a car\nBuy skis': 'Plan: Book a hotel; Rent a car; Buy skis',
  },
  'order in words': {
    'Clean up the repo, update the docs and deploy the site in parallel. When that is done, announce it.':
      'Plan: Clean up the repo; Update the docs; Deploy the site; Announce it (after 1, 2, 3)',
    'First, collect the data. Second, clean the data. Third, plot the results; meanwhile draft an intro. Finally, publish everything.':
      'Plan: Collect the data; Clean the data (after 1); Plot the results (after 2); Draft an intro (after 2); Publish everything (after 3, 4)',
    '首先搜索论文，然后总结发现，最后写一篇摘要。': 'Plan: 搜索论文; 总结发现 (after 1); 写一篇摘要 (after 2)',
    'Before deploying, run the tests. Then deploy.': 'Plan: Run the tests; Deploy (after 1)',
  },
  lists: {
    '1) Fetch the page 2) Extract the links 3) Email them to bob@example.com':
      'Plan: Fetch the page; Extract the links (after 1); Email them to bob@example.com (after 2)',
    'Step 1: Fetch. Step 2: Parse. Step 3: Store': 'Plan: Fetch; Parse (after 1); Store (after 2)',
    'a) Collect quotes\nb) Pick the best': 'Plan: Collect quotes; Pick the best (after 1)',
    '1️⃣ Book a flight\n2️⃣ Book a hotel': 'Plan: Book a flight; Book a hotel (after 1)',
    '✅ Book a flight\n✅ Book a hotel': 'Plan: Book a flight; Book a hotel',
    'Do these in parallel:\n1. Book a flight\n2. Book a hotel': 'Plan: Book a flight; Book a hotel',
    'In this order:\n- Book a flight\n- Book a hotel': 'Plan: Book a flight; Book a hotel (after 1)',
    '- [x] Book flight\n- [ ] Book hotel\n- [ ] Book spa (after hotel)': 'Plan: Book hotel; Book spa (after 1)',
    'Tasks:\n- Write a haiku\n- Write a limerick\n- Compare them':
      'Plan: Write a haiku; Write a limerick; Compare them (after 1, 2)',
    '1. Collect data\n2. Clean the data\n3. Train model A using step 2\n4. Train model B using step 2\n5. Compare both models':
      'Plan: Collect data; Clean the data (after 1); Train model A using step 2 (after 2); Train model B using step 2 (after 2); Compare both models (after 3, 4)',
    '1. Write a\n2. Write b\n3. Write c\n4. Merge tasks 1-3':
      'Plan: Write a; Write b (after 1); Write c (after 2); Merge tasks 1-3 (after 1, 2, 3)',
    '- Write a poem (before task 2)\n- Read the news': 'Plan: Write a poem; Read the news (after 1)',
  },
  'plans from headings and nesting': {
    '1. Research\n- Search papers\n- Summarize findings\n2. Writing\n- Write summary':
      'Research: Search papers; Summarize findings (after 1) | Writing (after Research): Write summary',
    'Research:\n- Search papers\n- Summarize the findings\n\nWriting:\n- Write summary':
      'Research: Search papers; Summarize the findings (after 1) | Writing (after Research): Write summary',
    'Phase 1: Research\n- find papers\nPhase 2: Writing\n- write a draft\n- review it':
      'Research: Find papers | Writing (after Research): Write a draft; Review it (after 2)',
    '**Research**\n- Find papers\n**Writing**\n- Write a draft':
      'Research: Find papers | Writing (after Research): Write a draft',
    '- Travel\n  - Book a flight\n- Food\n  - Reserve a table': 'Travel: Book a flight | Food: Reserve a table',
    '- Book a flight\n  - window seat\n  - not too early\n- Book a hotel': 'Plan: Book a flight; Book a hotel',
  },
  'what is not taken apart': {
    'Write a letter to "Tom and write back; then call"': 'one task',
    'Explain `1. do this 2. do that`': 'one task',
    'Fix this code:\n```\n1. do this\n2. do that and write it\n```': 'one task',
    'Translate the following: Book a flight and reserve a table. Then write a poem.': 'one task',
    'Summarize this text:\n\nBook a flight. Write a poem.': 'one task',
    'Look at https://example.com/a,and,book?x=1;write=2 and summarize it':
      'Plan: Look at https://example.com/a,and,book?x=1;write=2; Summarize it (after 1)',
    '> 1. quoted\n> 2. text\n\nWhat do you think about this?': 'one task',
    'Buy 3.5 kg of flour at approx. 2 euros, i.e. cheap.': 'one task',
  },
}

for (const [name, cases] of Object.entries(TABLE)) {
  t.test(name, async (t) => {
    for (const [text, expected] of Object.entries(cases)) t.equal(read(text), expected, JSON.stringify(text))
  })
}

t.test('a task is told all that was said of it', async (t) => {
  const draft = readText('I live in Bern. Write a poem. It should rhyme. Then translate it into French.')
  const [first, second] = draft?.plans[0]?.tasks ?? []
  t.equal(first?.description, 'Write a poem\nIt should rhyme.\n\nContext: I live in Bern.')
  t.match(second?.description, /^Translate it into French\n\nContext: I live in Bern\.$/)
})

t.test('a heading over everything names the objective', async (t) => {
  t.equal(readText('# My trip\n\n- Book a flight\n- Book a hotel')?.name, 'My trip')
  t.equal(readText('# My trip\n## Going\n- Book a flight\n## Staying\n- Book a hotel')?.name, 'My trip')
})

const words = fc.constantFrom(
  ...[
    'book',
    'a hotel',
    'and',
    'then',
    'task 1',
    'task 2:',
    'it',
    'the hotel',
    '\n',
    '- ',
    '1. ',
    '2. ',
    '# ',
    '  ',
    '```',
    '"',
    '(after 2)',
    '.',
  ],
  ...[
    '，',
    '任务 2：',
    '最后',
    '🚀',
    'finally,',
    'before task 3',
    'based on 1',
    'steps 1-9',
    ':',
    ';',
    '\r\n',
    '\t',
    'in parallel',
    '>',
    '[x] ',
  ],
)
const texts = fc.oneof(
  fc.array(words, { maxLength: 60 }).map((list) => list.join(' ')),
  fc.string({ unit: 'binary', maxLength: 300 }),
)

/** A draft that waits for itself is refused later, and the request then is one task; everything else must hold. */
function holds(draft: ObjectiveDraft): boolean {
  try {
    validateDraft(draft, unbounded)
    return true
  } catch (error) {
    return /waits for itself/.test((error as Error).message)
  }
}

t.test('whatever the text is, what is read holds', async () => {
  fc.assert(
    fc.property(texts, (text) => {
      const draft = readText(text)
      return draft === null || (draft.plans.flatMap((plan) => plan.tasks).length > 1 && holds(draft))
    }),
    // Found by other seeds: a line of nothing but marks before a list.
    { numRuns: 2_000, examples: [['. 1.  (after 2) book']] },
  )
})

const HUGE = [
  '"',
  '` ',
  '- a\n',
  'book a hotel and ',
  'book a, ',
  '. ',
  '.',
  ' ',
  '\n',
  'task 1 and 2, ',
  'the a ',
  ', then ',
  '**a',
  '1. ',
  'a.a@a.',
  '任务1：',
]

t.test('time is linear in the length of the text', async (t) => {
  for (const piece of HUGE) {
    const started = performance.now()
    readText(piece.repeat(90_000 / piece.length))
    // Seen: under 1 s for the slowest; anything that is not linear takes minutes here.
    t.ok(performance.now() - started < 20_000, JSON.stringify(piece))
  }
  t.equal(readText('Book a hotel. '.repeat(750_000)), null)
})
