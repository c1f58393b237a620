import { Agent, type IncomingMessage, request } from 'node:http'

/** JSON-RPC over kept-alive connections, as little of it as measuring needs. */
export class Client {
  readonly #agent: Agent
  readonly #url: URL
  #id = 0

  constructor(url: string, connections: number) {
    this.#url = new URL(url)
    this.#agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections })
  }

  /** Resolves with the result. Rejects on anything else: another HTTP status, an error, a connection that breaks. */
  call(method: string, params: object): Promise<unknown> {
    this.#id += 1
    const body = Buffer.from(JSON.stringify({ jsonrpc: '2.0', id: this.#id, method, params }))
    return new Promise((resolve, reject) => {
      const { hostname: host, port } = this.#url
      const headers = { 'content-type': 'application/json', 'content-length': body.length }
      const outgoing = request({ host, port, method: 'POST', path: '/', headers, agent: this.#agent }, (response) => {
        readAll(response).then((text) => resolve(resultOf(response.statusCode, text)), reject)
      })
      outgoing.on('error', reject)
      outgoing.end(body)
    }).then((result) => {
      if (result instanceof Error) throw result
      return result
    })
  }

  /** Ends the connections: a server ends idle ones by itself, perhaps just when the next request goes out. */
  rest(): void {
    this.#agent.destroy()
  }
}

function readAll(response: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    response.setEncoding('utf8')
    response.on('data', (chunk: string) => {
      text += chunk
    })
    response.on('end', () => resolve(text))
    response.on('error', reject)
  })
}

function resultOf(status: number | undefined, text: string): unknown {
  if (status !== 200) return new Error(`HTTP ${status}: ${text.slice(0, 200)}`)
  try {
    const { result, error } = JSON.parse(text) as { result?: unknown; error?: { message?: string } }
    return result ?? new Error(`JSON-RPC error: ${error?.message ?? text.slice(0, 200)}`)
  } catch {
    return new Error(`No JSON: ${text.slice(0, 200)}`)
  }
}
