import type { Message, Part } from '../domain/message.ts'
import { originOf } from './compose-message.ts'
import type { AgentExecutor, EventQueue, RequestContext } from './executor.ts'

/** How much of a text is shown back. */
const SHOWN_CHARACTERS = 2_000

/**
 * The built-in agent that takes tasks nobody else takes. Its artifact `echo` says what the task was, what it was given
 * from the tasks before it, and that no work was done: nothing pretends to be work that it is not.
 */
export class EchoExecutor implements AgentExecutor {
  readonly #otherAgents: () => readonly string[]

  /** `otherAgents` names the configured agents, so that the artifact can say why none of them took the task. */
  constructor(otherAgents: () => readonly string[] = () => []) {
    this.#otherAgents = otherAgents
  }

  async execute(context: RequestContext, events: EventQueue): Promise<void> {
    if (context.signal.aborted) return
    const text = report(context.message, this.#otherAgents())
    const artifact = { artifactId: `${context.attempt.id}-echo`, name: 'echo', parts: [{ text }] }
    events.publish({ kind: 'artifact', artifact, lastChunk: true })
    events.publish({ kind: 'status', state: 'completed' })
  }

  async cancel(_context: RequestContext, events: EventQueue): Promise<void> {
    events.publish({ kind: 'status', state: 'canceled' })
  }
}

function report(message: Message, agents: readonly string[]): string {
  const own = message.parts.filter((part) => !originOf(part))
  const given = message.parts.filter((part) => originOf(part))
  return [`Task: ${shown(own)}`, givenText(given), reason(agents)].join('\n\n')
}

function shown(parts: readonly Part[]): string {
  return cut(parts.map(describe).join('\n'))
}

function givenText(parts: readonly Part[]): string {
  if (parts.length === 0) return 'Given from the tasks before it: nothing.'
  const lines = parts.map((part) => {
    const origin = originOf(part)
    return `- ${origin?.artifactName ?? origin?.artifactId} of ${origin?.taskId}: ${cut(describe(part))}`
  })
  return `Given from the tasks before it:\n${lines.join('\n')}`
}

function describe(part: Part): string {
  if ('text' in part) return part.text
  if ('url' in part) return part.url
  if ('raw' in part) return `${part.filename ?? 'a file'} (${part.mediaType ?? 'unknown type'})`
  return JSON.stringify(part.data) ?? ''
}

function cut(text: string): string {
  if (text.length <= SHOWN_CHARACTERS) return text
  return `${text.slice(0, SHOWN_CHARACTERS)}… (${text.length} characters in all)`
}

function reason(agents: readonly string[]): string {
  if (agents.length === 0) {
    return 'No agent is configured, so the built-in echo agent took this task: it says what it was asked, and does nothing else.'
  }
  return `None of the configured agents (${agents.join(', ')}) took this task, so the built-in echo agent did: it says what it was asked, and does nothing else.`
}
