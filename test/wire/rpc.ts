/** Raw requests to a server under test, for what an SDK's client would not send. */

export interface Server {
  baseUrl: string
}

// biome-ignore lint/suspicious/noExplicitAny: what a server answers is what the tests are about
export type Answer = any

export interface Posted {
  status: number
  headers: Headers
  body: Answer
}

/** Posts a body as it is, and reads the answer as JSON if there is any. */
export async function post(
  server: Server,
  body: string | Uint8Array<ArrayBuffer>,
  headers: Record<string, string> = {},
  path = '/',
): Promise<Posted> {
  const response = await fetch(`${server.baseUrl}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body,
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, body: text === '' ? undefined : JSON.parse(text) }
}

/** Calls a method and gives the whole JSON-RPC response. */
export async function call(
  server: Server,
  method: string,
  params?: unknown,
  headers: Record<string, string> = {},
): Promise<Answer> {
  const { body } = await post(server, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), headers)
  return body
}

export const OPT = 'https://github.com/zeroasterisk/a2a-opt/v1'
export const V1 = { 'A2A-Version': '1.0' }
export const OPT_DIALECT = { 'A2A-Extensions': OPT }

let sent = 0
/** A user's message in 0.3's spelling, never the same twice. */
export function userMessage(text: string, more: object = {}): object {
  sent += 1
  return {
    messageId: `msg-${process.pid}-${Date.now()}-${sent}`,
    role: 'user',
    parts: [{ kind: 'text', text }],
    ...more,
  }
}

export interface Event {
  id: string | undefined
  data: Answer
}

export interface Stream {
  response: Response
  events: AsyncGenerator<Event, void, undefined>
  /** Comments seen so far. */
  comments: string[]
  leave(): void
}

/** Opens a stream, and parses its server-sent events as they come. */
export async function open(
  server: Server,
  method: string,
  params: unknown,
  headers: Record<string, string> = {},
): Promise<Stream> {
  const controller = new AbortController()
  const response = await fetch(`${server.baseUrl}/`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'text/event-stream', ...headers },
    body: JSON.stringify({ jsonrpc: '2.0', id: 'stream', method, params }),
    signal: controller.signal,
  })
  const comments: string[] = []
  return { response, comments, events: eventsOf(response, comments), leave: () => controller.abort() }
}

/** The server-sent events of a response, as they come. */
export async function* eventsOf(response: Response, comments: string[] = []): AsyncGenerator<Event, void, undefined> {
  const decoder = new TextDecoder()
  let buffer = ''
  for await (const chunk of response.body ?? []) {
    buffer += decoder.decode(chunk as Uint8Array, { stream: true })
    const blocks = buffer.split('\n\n')
    buffer = blocks.pop() ?? ''
    for (const block of blocks) {
      const lines = block.split('\n')
      comments.push(...lines.filter((line) => line.startsWith(':')))
      const data = lines.filter((line) => line.startsWith('data: ')).map((line) => line.slice(6))
      const id = lines.find((line) => line.startsWith('id: '))?.slice(4)
      if (data.length > 0) yield { id, data: JSON.parse(data.join('\n')) }
    }
  }
}

/** The next event's result; fails on an error or the stream's end. */
export async function nextResult(stream: Stream): Promise<Answer> {
  const { value } = await stream.events.next()
  if (!value || value.data.error) throw new Error(`no result: ${JSON.stringify(value ?? 'the end')}`)
  return value.data.result
}
