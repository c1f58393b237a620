import './property-seed.ts'
import fc from 'fast-check'
import { answerTo } from '../../src/planner/answers.ts'
import { arithmeticAnswer } from '../../src/planner/arithmetic.ts'
import t from '../tap.ts'
import { request, shape } from './planner-fixtures.ts'

t.test('sums', async (t) => {
  const sums: Record<string, string> = {
    'What is 2 + 2?': '2 + 2 = 4',
    'what is 2 + 2': '2 + 2 = 4',
    '2 + 2': '2 + 2 = 4',
    '7 - 5': '7 - 5 = 2',
    '0.1 + 0.2': '0.1 + 0.2 = 0.3',
    'Calculate (1+2)*3': '(1+2)*3 = 9',
    "What's 10/4?": '10/4 = 2.5',
    '12 × 12 = ?': '12 × 12 = 144',
    'How much is 15% of 80?': '15% of 80 = 12',
    'What is 3 times 7?': '3 times 7 = 21',
    '1,000 * 3': '1,000 * 3 = 3000',
    'What is 1 / 3?': '1 / 3 ≈ 0.333333333333',
    '2^100': '2^100 ≈ 1.26765060023e+30',
    '-3 + 5': '-3 + 5 = 2',
  }
  for (const [text, answer] of Object.entries(sums)) t.equal(arithmeticAnswer(text), answer, text)
})

t.test('what only looks like a sum', async (t) => {
  const others = [
    'Write 2 + 2 tests',
    '2024-01-02',
    'What is 2024-01-02?',
    '555-1234',
    '10/4',
    '5',
    'What is 5?',
    '1/0',
    '0/0',
    '2 +',
    '((2 + 1)',
  ]
  const more = [
    'What is 9/11?',
    'What is love?',
    '2^3^2',
    '1.2.3 + 1',
    'What is 2 + x?',
    '+',
    '',
    '3 + 4\nand write a poem',
    '99999999!',
    `${'9'.repeat(200)} + 1`,
  ]
  for (const text of [...others, ...more]) t.equal(arithmeticAnswer(text), null, text)
})

t.test('additions come out right', async () => {
  const operand = fc.integer({ min: 0, max: 1_000_000 })
  fc.assert(
    fc.property(operand, operand, (a, b) => arithmeticAnswer(`What is ${a} + ${b}?`) === `${a} + ${b} = ${a + b}`),
  )
})

t.test('no text makes it throw', async () => {
  const signs = fc.constantFrom(...'0123456789.+-*/^()%x= ?'.split(''))
  fc.assert(fc.property(fc.array(signs, { maxLength: 40 }), (list) => arithmeticAnswer(list.join('')) !== undefined))
})

t.test('courtesies, and questions about the server', async (t) => {
  const hello = 'answer: Hello! I am Trellis. Send me a request, or ask what I can do.'
  for (const text of ['Hello', 'hi there!', 'Hey Trellis 👋', 'Good morning.', '你好！'])
    t.equal(shape(answerTo(request(text))), hello, text)
  const about = 'answer: I am Trellis. It runs tasks.\n\nWhat I can do:\n- Write: writes'
  for (const text of ['What can you do?', 'who are you', 'help', 'What is Trellis?', 'What are your skills?']) {
    t.equal(shape(answerTo(request(text))), about, text)
  }
  t.equal(shape(answerTo(request('Thanks!'))), 'answer: You are welcome.')
})

t.test('requests are not answered', async (t) => {
  for (const text of [
    'Help me write a poem',
    'Hello world program in C',
    'What can you do about the leak?',
    'Say hello',
    '',
  ]) {
    t.equal(answerTo(request(text)), null, text)
  }
  t.equal(answerTo(request('What is 2 + 2?', { planRequired: true })), null)
  t.equal(answerTo(request('', { parts: [{ text: 'Hello' }, { url: 'https://example.com/a.png' }] })), null)
})
