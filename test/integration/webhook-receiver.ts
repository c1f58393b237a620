import { EventEmitter, once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Answer } from '../wire/rpc.ts'

/** More than a test should ever wait. */
const PATIENCE_MS = 20_000

/** One webhook, as it came. */
export interface Received {
  path: string
  headers: IncomingHttpHeaders
  text: string
  body: Answer
}

/** Answers one webhook; the n-th from 1. */
export type Respond = (received: Received, n: number, response: ServerResponse) => void

const OK: Respond = (_received, _n, response) => response.writeHead(204).end()

/** A receiver of webhooks on loopback, until the test ends. */
export class Receiver {
  readonly all: Received[] = []
  respond: Respond
  url = ''
  readonly #changes = new EventEmitter().setMaxListeners(0)

  constructor(respond: Respond) {
    this.respond = respond
  }

  async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const received = { path: request.url ?? '', headers: request.headers, text, body: JSON.parse(text) }
    this.all.push(received)
    this.respond(received, this.all.length, response)
    this.#changes.emit('change')
  }

  /** The webhooks that came, once there are so many. */
  async count(n: number): Promise<Received[]> {
    await this.until(() => this.all.length >= n)
    return this.all
  }

  /** The first that passes, past or to come. */
  async first(passes: (received: Received) => boolean): Promise<Received> {
    await this.until(() => this.all.some(passes))
    return this.all.find(passes) as Received
  }

  async until(is: () => boolean): Promise<void> {
    const signal = AbortSignal.timeout(PATIENCE_MS)
    while (!is()) await once(this.#changes, 'change', { signal }).catch(() => this.#neverCame())
  }

  #neverCame(): never {
    throw new Error(`It never came. What did:\n${this.all.map(({ text }) => text).join('\n')}`)
  }
}

export async function startReceiver(
  t: { teardown(end: () => unknown): void },
  respond: Respond = OK,
): Promise<Receiver> {
  const receiver = new Receiver(respond)
  const server = createServer((request, response) => void receiver.take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  receiver.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
  t.teardown(() => {
    server.closeAllConnections()
    server.close()
  })
  return receiver
}
