import { type Answer, call, eventsOf, open, post, type Server, V1 } from '../wire/rpc.ts'

/** What a suite sees of an answer, whatever the binding and version. */
export interface Seen {
  taskId?: string
  /** As 0.3 spells it; absent for a Message. */
  state?: string
  /** What the status message, or the Message, says. */
  text?: string
  artifacts: Answer[]
}

/** A suite that speaks one binding of one version. */
export interface Speaker {
  name: string
  send(messageId: string, taskId?: string): Promise<Seen>
  /** What streams, in a word each: `task working`, `status completed`, `artifact chunk-1 ,false,false`, `message`. */
  stream(messageId: string): Promise<string[]>
  /** The same of a task that there is already; `heard` is called with each word as it comes. */
  subscribe(taskId: string, heard?: (word: string) => void): Promise<string[]>
  cancel(taskId: string): Promise<Seen>
}

type Write = (messageId: string, taskId?: string) => object

const modern: Write = (messageId, taskId) => ({
  message: { messageId, role: 'ROLE_USER', parts: [{ text: 'What is 2 + 2? Then say it again.' }], taskId },
})
const legacy: Write = (messageId, taskId) => ({
  message: { messageId, role: 'user', parts: [{ kind: 'text', text: 'What is 2 + 2? Then say it again.' }], taskId },
})
const legacyProto: Write = (messageId, taskId) => ({
  request: { messageId, role: 'ROLE_USER', content: [{ text: 'What is 2 + 2? Then say it again.' }], taskId },
  configuration: { blocking: true },
})

export function speakers(server: Server): Speaker[] {
  return [
    rpc(server, 'JSON-RPC 1.0', modern, ['SendMessage', 'SendStreamingMessage', 'SubscribeToTask', 'CancelTask'], V1),
    rest(server, 'HTTP+JSON 1.0', modern, '', V1),
    rpc(server, 'JSON-RPC 0.3', legacy, ['message/send', 'message/stream', 'tasks/resubscribe', 'tasks/cancel'], {}),
    rest(server, 'HTTP+JSON 0.3', legacyProto, '/v1', {}),
  ]
}

type Names = [send: string, stream: string, subscribe: string, cancel: string]

function rpc(server: Server, name: string, write: Write, names: Names, headers: Record<string, string>): Speaker {
  const [sends, streams, subscribes, cancels] = names
  const ask = async (method: string, params: object) => {
    const { result, error } = await call(server, method, params, headers)
    if (error) throw Object.assign(new Error(error.message), error)
    return seen(result)
  }
  const listen = async (method: string, params: object, heard?: (word: string) => void) => {
    const { events } = await open(server, method, params, headers)
    return words(events, ({ data }) => data.result, heard)
  }
  return {
    name,
    send: (messageId, taskId) => ask(sends, write(messageId, taskId)),
    stream: (messageId) => listen(streams, write(messageId)),
    subscribe: (id, heard) => listen(subscribes, { id }, heard),
    cancel: (id) => ask(cancels, { id }),
  }
}

function rest(server: Server, name: string, write: Write, prefix: string, headers: Record<string, string>): Speaker {
  const ask = async (path: string, body: object) => {
    const { status, body: said } = await post(server, JSON.stringify(body), headers, `${prefix}${path}`)
    if (status !== 200) throw Object.assign(new Error(JSON.stringify(said)), { status })
    return seen(said)
  }
  const listen = async (path: string, body: object, heard?: (word: string) => void) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json', ...headers } }
    const response = await fetch(`${server.baseUrl}${prefix}${path}`, { ...init, body: JSON.stringify(body) })
    return words(eventsOf(response), ({ data }) => data, heard)
  }
  return {
    name,
    send: (messageId, taskId) => ask('/message:send', write(messageId, taskId)),
    stream: (messageId) => listen('/message:stream', write(messageId)),
    subscribe: (id, heard) => listen(`/tasks/${id}:subscribe`, {}, heard),
    cancel: (id) => ask(`/tasks/${id}:cancel`, {}),
  }
}

const partsOf = (message: Answer): Answer[] => message?.parts ?? message?.content ?? []
const stateOf = (status: Answer): string =>
  status.state
    .replace(/^TASK_STATE_/, '')
    .toLowerCase()
    .replace('_', '-')
    // The Protocol Buffers of 0.3 spell it so.
    .replace('cancelled', 'canceled')

function seen(answer: Answer): Seen {
  const message = answer.message ?? (answer.kind === 'message' ? answer : undefined)
  if (message !== undefined) return { text: partsOf(message)[0]?.text, artifacts: [] }
  const task = answer.task ?? answer
  return {
    taskId: task.id,
    state: stateOf(task.status),
    text: partsOf(task.status.message)[0]?.text,
    artifacts: task.artifacts ?? [],
  }
}

async function words<T>(
  events: AsyncIterable<T>,
  resultOf: (event: T) => Answer,
  heard?: (word: string) => void,
): Promise<string[]> {
  const all: string[] = []
  for await (const event of events) {
    const word = wordOf(resultOf(event))
    all.push(word)
    heard?.(word)
  }
  return all
}

/** 1.0 and the REST of 0.3 say in a member what a frame is, the JSON-RPC of 0.3 in `kind`. */
function wordOf(frame: Answer): string {
  const status = frame.statusUpdate ?? (frame.kind === 'status-update' ? frame : undefined)
  if (status) return `status ${stateOf(status.status)}`
  const update = frame.artifactUpdate ?? (frame.kind === 'artifact-update' ? frame : undefined)
  if (update) {
    const { append = false, lastChunk = false, artifact } = update
    return `artifact ${artifact.parts[0].text ?? 'file'},${append},${lastChunk}`
  }
  const message = frame.message ?? (frame.kind === 'message' ? frame : undefined)
  return message ? 'message' : `task ${stateOf((frame.task ?? frame).status)}`
}
