import { randomUUID } from 'node:crypto'
import { Follower } from './follower.ts'

const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'A2A-Version': '1.0',
  'A2A-Extensions': 'https://github.com/zeroasterisk/a2a-opt/v1',
}

/** More than the longest wait there is: for the job of a dead process to be due again. */
const PATIENCE_MS = 40_000

export interface WireTask {
  id: string
  contextId: string
  status: { state: string; message?: { parts: { text?: string }[] } }
  artifacts?: { artifactId: string; name?: string; parts: { text?: string }[] }[]
}

/** One task of a plan, as a client writes it. */
export interface PlannedTask {
  name: string
  agent?: string
  dependencies?: string[]
  retry?: { maxAttempts: number; backoffSeconds?: number }
}

export type Outgoing = Record<string, unknown> & { messageId: string }

/** A message with a plan of its own, so that it becomes an objective. */
export function planOf(tasks: readonly PlannedTask[], more: Record<string, unknown> = {}): Outgoing {
  const metadata = { 'opt/v1/plan': { name: 'plan', tasks } }
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Do it.' }], metadata, ...more }
}

export function messageOf(text: string, more: Record<string, unknown> = {}): Outgoing {
  return { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], ...more }
}

/** Speaks A2A 1.0 with the OPT extension over JSON-RPC. */
export class Client {
  readonly url: string

  constructor(url: string) {
    this.url = url
  }

  /** Rejects where the server answers with an error, and where it dies. */
  async call<T>(method: string, params: object): Promise<T> {
    const response = await this.#post(method, params, {}, AbortSignal.timeout(PATIENCE_MS))
    const { result, error } = (await response.json()) as { result: T; error?: { code: number; message: string } }
    if (error) throw new Error(`${method}: ${error.message} (${error.code})`)
    return result
  }

  /** Resolves with the root task as soon as it is durable. */
  async send(message: Outgoing): Promise<WireTask> {
    const configuration = { returnImmediately: true }
    const { task } = await this.call<{ task: WireTask }>('SendMessage', { message, configuration })
    return task
  }

  getTask(id: string): Promise<WireTask> {
    return this.call('GetTask', { id })
  }

  /** Follows an objective from an event on; 0: from its first. */
  follow(id: string, afterSeq = 0): Follower {
    const follower = new Follower(id, afterSeq)
    follower.connect(this)
    return follower
  }

  /** Opens an objective's stream after an event. */
  subscribe(id: string, lastEventId: number): Promise<Response> {
    return this.#post('objectives/subscribe', { id }, { 'Last-Event-ID': String(lastEventId) })
  }

  #post(
    method: string,
    params: object,
    headers: Record<string, string> = {},
    signal: AbortSignal | null = null,
  ): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
    return fetch(this.url, { method: 'POST', headers: { ...HEADERS, ...headers }, body, signal })
  }
}
