import { randomUUID } from 'node:crypto'
import { parseSseStream } from '@a2a-js/sdk'
import { type Frame, hasEnded, type Tree, withFrame } from './tree.ts'

export const OPT_URI = 'https://github.com/zeroasterisk/a2a-opt/v1'
const HEADERS = {
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'A2A-Version': '1.0',
  'A2A-Extensions': OPT_URI,
}
const RECONNECTS = 5

export interface WirePart {
  text?: string
  data?: unknown
}
export interface WireTask {
  id: string
  status: { state: string; message?: { parts: WirePart[] } }
  artifacts?: { name?: string; parts: WirePart[] }[]
  metadata?: Record<string, unknown>
}
export type SendResult = { task: WireTask } | { message: { parts: WirePart[] } }

/** Speaks A2A 1.0 with the OPT extension over JSON-RPC. */
export class DemoClient {
  readonly #url: string
  readonly #signal: AbortSignal

  constructor(url: string, signal: AbortSignal) {
    this.#url = url
    this.#signal = signal
  }

  /** Sends the request; the answer comes at once, the work goes on. */
  send(text: string): Promise<SendResult> {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text }], extensions: [OPT_URI] }
    return this.#call('SendMessage', { message, configuration: { returnImmediately: true } })
  }

  getTask(id: string): Promise<WireTask> {
    return this.#call('GetTask', { id })
  }

  /** The objective after every frame, from the snapshot to its end. A stream that breaks is taken up where it was. */
  async *follow(id: string): AsyncGenerator<Tree> {
    let tree: Tree | undefined
    for (let tries = 0; tries <= RECONNECTS; tries += 1) {
      for await (const frame of this.#frames(id, tree?.seq)) {
        tries = 0
        tree = withFrame(tree, frame, Date.now())
        if (tree) yield tree
        if (tree && hasEnded(tree.status)) return
      }
    }
    throw new Error(`The stream of objective ${id} broke ${RECONNECTS + 1} times in a row`)
  }

  async *#frames(id: string, afterSeq: number | undefined): AsyncGenerator<Frame> {
    const response = await this.#post('objectives/subscribe', { id, ...(afterSeq === undefined ? {} : { afterSeq }) })
    if (!response.headers.get('content-type')?.includes('text/event-stream')) {
      resultOf(await response.json())
      return
    }
    try {
      for await (const { data } of parseSseStream(response)) yield resultOf(JSON.parse(data)) as Frame
    } catch (error) {
      // What broke is the connection; following goes on after the last event that came.
      if (this.#signal.aborted || error instanceof RpcError) throw error
    }
  }

  async #call<T>(method: string, params: object): Promise<T> {
    const response = await this.#post(method, params)
    return resultOf(await response.json()) as T
  }

  #post(method: string, params: object): Promise<Response> {
    const body = JSON.stringify({ jsonrpc: '2.0', id: randomUUID(), method, params })
    return fetch(this.#url, { method: 'POST', headers: HEADERS, body, signal: this.#signal })
  }
}

class RpcError extends Error {}

function resultOf(answer: unknown): unknown {
  const { result, error } = answer as { result?: unknown; error?: { code: number; message: string } }
  if (error) throw new RpcError(`${error.message} (${error.code})`)
  return result
}
