import { createInterface } from 'node:readline'
import { TaskState } from '@a2a-js/sdk'
import { type Dialect, type Reply, startAgent } from '../integration/executor-remote-agent.ts'

/**
 * A remote agent as a process of its own, that says on standard output what it receives, a JSON object a line, and is
 * steered by the text of its tasks:
 *
 * - `quick …` completes at once
 * - `hold …` says half of its artifact and waits for a line `release …` with the same text on standard input
 * - `ask …` asks a question, and completes with the answer
 */
const [dialect = '1.0 JSONRPC', streaming = 'streaming', listing = 'listing'] = process.argv.slice(2)
const releases = new Map<string, PromiseWithResolvers<void>>()

function release(text: string): PromiseWithResolvers<void> {
  const known = releases.get(text) ?? Promise.withResolvers<void>()
  releases.set(text, known)
  return known
}

function say(said: object): void {
  process.stdout.write(`${JSON.stringify(said)}\n`)
}

async function work(reply: Reply): Promise<void> {
  const { taskId, userMessage } = reply.context
  const [text = ''] = reply.text.split('\n')
  say({ received: userMessage.messageId, taskId, text })
  reply.task()
  if (text.startsWith('ask')) {
    reply.status(TaskState.TASK_STATE_INPUT_REQUIRED, 'Which one?')
    return
  }
  reply.chunk('result', `${text}: half, `)
  if (text.startsWith('hold')) {
    const canceled = await Promise.race([release(text).promise, reply.canceled.then(() => true)])
    if (canceled) return
  }
  reply.chunk('result', 'and half', { append: true, lastChunk: true })
  reply.status(TaskState.TASK_STATE_COMPLETED)
}

const input = createInterface({ input: process.stdin })
input.on('line', (line) => release(line.replace(/^release /, '')).resolve())
// Whoever started it is gone.
input.on('close', () => process.exit())

const agent = await startAgent({
  dialect: dialect as Dialect,
  streaming: streaming === 'streaming',
  work,
  intercept: ({ method, body }, drop) => {
    say({ method })
    if (method === 'CancelTask' || method === 'tasks/cancel') say({ canceled: /"id":"([^"]+)"[^}]*}/.exec(body)?.[1] })
    if (listing === 'listing' || method !== 'ListTasks') return false
    drop()
    return true
  },
})
say({ url: agent.url })
