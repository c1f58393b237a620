import type { Decision } from '../domain/draft.ts'
import { textOf } from '../domain/message.ts'
import { arithmeticAnswer } from './arithmetic.ts'
import type { PlanRequest } from './planner.ts'

const GREETING =
  /^(?:hi|hello|hey|howdy|greetings|good (?:morning|afternoon|evening|day)|hallo|hola|bonjour|ciao|你好|您好|こんにちは|안녕하세요)(?: (?:there|again|all|everyone))?$/
const THANKS = /^(?:thanks|thank you|thank you (?:very|so) much|thanks a lot|many thanks|谢谢)$/
const ABOUT =
  /^(?:(?:and )?what (?:can|do) you do|who are you|what are you|what is this|help|how can you help(?: me)?|what can you help(?: me)? with|what are your (?:skills|capabilities|abilities)|what (?:skills|capabilities) do you have|introduce yourself|tell me about yourself|how do (?:you|i) (?:work|use (?:you|this))|你是谁|你能做什么|你会做什么)$/

/** Longer texts carry a request. */
const MAX_LENGTH = 200

/**
 * The direct answer to a simple request: a sum, a greeting, or a question about the server itself; null for everything
 * else, and always where plans are required or the message brings more than text. (design §2, §7)
 */
export function answerTo(request: PlanRequest): Decision | null {
  if (request.planRequired || request.message.parts.some((part) => !('text' in part))) return null
  const text = textOf(request.message).trim()
  if (text === '' || text.length > MAX_LENGTH) return null
  const answer = arithmeticAnswer(text) ?? courtesy(text, request.server)
  return answer === null ? null : { kind: 'answer', parts: [{ text: answer }] }
}

function courtesy(text: string, server: PlanRequest['server']): string | null {
  const plain = plainWords(text, server.name)
  if (GREETING.test(plain)) return `Hello! I am ${server.name}. Send me a request, or ask what I can do.`
  if (THANKS.test(plain)) return 'You are welcome.'
  const about = ABOUT.test(plain) || plain === `what is ${server.name.toLowerCase()}`
  return about ? selfDescription(server) : null
}

/** Lower case, without the server's own name at the end, punctuation and emoji. */
function plainWords(text: string, serverName: string): string {
  const words = text
    .toLowerCase()
    .replace(/(?:[\p{P}\p{Extended_Pictographic}]|\u200d|\ufe0f)+/gu, (match) => (/^['’]/.test(match) ? '' : ' '))
    .replace(/\s+/g, ' ')
    .trim()
  const name = serverName.toLowerCase()
  return words.endsWith(` ${name}`) && !words.startsWith('what is') ? words.slice(0, -name.length - 1).trim() : words
}

/** What the server's card says of it. */
function selfDescription({ name, description, skills }: PlanRequest['server']): string {
  const about = description.trim() === '' ? `I am ${name}.` : `I am ${name}. ${description.trim()}`
  if (skills.length === 0) return about
  const list = skills.map((skill) => `- ${skill.name}${skill.description ? `: ${skill.description}` : ''}`)
  return `${about}\n\nWhat I can do:\n${list.join('\n')}`
}
