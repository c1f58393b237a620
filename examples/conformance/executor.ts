import { setTimeout as after } from 'node:timers/promises'
import type { Message } from '../../src/domain/message.ts'
import type { AgentExecutor, EventQueue, RequestContext } from '../../src/executors/executor.ts'
import { OTHERWISE, type Step, scenarioOf } from './scenarios.ts'

/**
 * Drives a task into every state that A2A has, as the messageIds that its client chose ask for (scenarios.ts). The task's
 * latest message that asks for anything decides: an answer that asks for nothing leaves the task as it was.
 */
const conformance: AgentExecutor = {
  async execute(context, events) {
    let steps: readonly Step[] | undefined = askedFor(context)
    while (steps !== undefined) steps = await play(steps, context, events)
  },
  // The signal ends what waits, and there is nothing else to end.
  async cancel() {},
}
export default conformance

function askedFor({ answer, currentTask }: RequestContext): readonly Step[] {
  const latestFirst = [...currentTask.history, ...(answer ? [answer] : [])].reverse()
  for (const { messageId } of latestFirst) {
    const steps = scenarioOf(messageId)
    if (steps !== undefined) return steps
  }
  return OTHERWISE
}

/** Takes the steps in turn. What it resolves with comes next; undefined: nothing does. */
async function play(
  steps: readonly Step[],
  context: RequestContext,
  events: EventQueue,
): Promise<readonly Step[] | undefined> {
  for (const [index, step] of steps.entries()) {
    if (context.signal.aborted) return undefined
    if (step.kind === 'hold') return nextAskedFor(context)
    if (step.kind === 'wait') await pause(step.timeouts, context.signal)
    else publish(step, `${context.attempt.id}-${context.attempt.lease}-${index}`, events)
    // Each step is a commit of its own, as it would be where steps take time. An end goes with the return.
    if (index < steps.length - 1) await events.flush()
  }
  return undefined
}

function publish(step: Exclude<Step, { kind: 'hold' | 'wait' }>, id: string, events: EventQueue): void {
  switch (step.kind) {
    case 'status': {
      const { kind, state, text } = step
      events.publish({ kind, state, ...(text !== undefined && { message: said(text, id) }) })
      return
    }
    case 'artifact': {
      const { kind, parts, append = false, lastChunk = true } = step
      events.publish({ kind, artifact: { artifactId: 'output', name: 'output', parts }, append, lastChunk })
      return
    }
    case 'message':
      events.publish({ kind: 'message', message: said(step.text, id) })
  }
}

function said(text: string, id: string): Message {
  return { messageId: `message-${id}`, role: 'agent', parts: [{ text }] }
}

async function pause(timeouts: number, signal: AbortSignal): Promise<void> {
  const seconds = Number(process.env['TCK_STREAMING_TIMEOUT'] || 2)
  await after(timeouts * seconds * 1_000, undefined, { signal }).catch((error: unknown) => {
    if (!signal.aborted) throw error
  })
}

async function nextAskedFor(context: RequestContext): Promise<readonly Step[] | undefined> {
  for await (const { messageId } of context.messages()) {
    const steps = scenarioOf(messageId)
    if (steps !== undefined) return steps
  }
  return undefined
}
