import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Test } from 'tap'
import { A2aExecutor } from '../../src/executors/a2a.ts'
import { type A2aOptions, DEFAULT_A2A_OPTIONS } from '../../src/executors/a2a-options.ts'
import type { AgentConfig } from '../../src/executors/agent-config.ts'
import { AttemptUnderTest } from './executor-attempt.ts'
import { type AgentOptions, startAgent, startImpostor } from './executor-remote-agent.ts'

export const QUICK: A2aOptions = {
  ...DEFAULT_A2A_OPTIONS,
  cardTimeoutMs: 300,
  responseTimeoutMs: 300,
  sendTimeoutMs: 300,
  idleTimeoutMs: 100,
  minCheckMs: 1,
  maxCheckMs: 2,
  maxFailedChecks: 3,
}

/** What an impostor does with a JSON-RPC request. */
export type Answer = (
  rpc: { id: number; method: string; params: Record<string, unknown> },
  response: ServerResponse,
) => void

/** An executor for an agent that answers as the test likes. */
export async function setup(
  t: Test,
  answer: Answer,
  more: { streaming?: boolean; card?: (card: Record<string, unknown>) => unknown; options?: Partial<A2aOptions> } = {},
  config: Partial<AgentConfig> = {},
) {
  const methods: string[] = []
  const impostor = await startImpostor(
    (request, response) => {
      void bodyOf(request).then((body) => {
        const rpc = JSON.parse(body)
        methods.push(rpc.method)
        answer(rpc, response)
      })
    },
    { streaming: false, ...more },
  )
  const options = { ...QUICK, ...more.options }
  const executor = new A2aExecutor({ name: 'wolf', kind: 'a2a', ...config, url: impostor.url }, options)
  t.teardown(async () => {
    await executor.close()
    await impostor.close()
  })
  return { impostor, executor, methods, attempt: new AttemptUnderTest() }
}

export async function bodyOf(request: IncomingMessage): Promise<string> {
  let body = ''
  for await (const chunk of request) body += chunk
  return body
}

export function reply(response: ServerResponse, id: number, result: unknown): void {
  response.setHeader('content-type', 'application/json')
  response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
}

/** A remote task in JSON. */
export function taskOf(state: string, more: object = {}) {
  return { id: 'remote-1', contextId: 'there', status: { state: `TASK_STATE_${state}` }, ...more }
}

/** One event of a stream. */
export function event(response: ServerResponse, id: number, result: unknown): void {
  if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(`data: ${JSON.stringify({ jsonrpc: '2.0', id, result })}\n\n`)
}

/** An executor for a real agent. */
export async function setupAgent(t: Test, options: AgentOptions) {
  const agent = await startAgent(options)
  const executor = new A2aExecutor(
    { name: 'shepherd', kind: 'a2a', url: agent.url },
    { ...DEFAULT_A2A_OPTIONS, minCheckMs: 5, maxCheckMs: 20 },
  )
  t.teardown(async () => {
    await executor.close()
    await agent.close()
  })
  return { agent, executor, attempt: new AttemptUnderTest() }
}
