import { type Answer, call, OPT, open, type Server, userMessage } from '../wire/rpc.ts'

export type { Answer, Server }
export { call, OPT }

/** With OPT at 0.3: the root task with the tree in its metadata. */
export const OPT_03 = { 'X-A2A-Extensions': OPT }

export interface SendOptions {
  /** More members of the message. */
  message?: object
  wait?: boolean
  /** More members of the params. */
  params?: object
  headers?: Record<string, string>
}

/** Sends a text, or a whole message, and gives the result. Waits for the end unless told otherwise. */
export async function send(server: Server, what: string | object, options: SendOptions = {}): Promise<Answer> {
  const response = await trySend(server, what, options)
  return resultOf(response, 'message/send')
}

/** The whole response, for a send that may be refused. */
export function trySend(server: Server, what: string | object, options: SendOptions = {}): Promise<Answer> {
  const message = typeof what === 'string' ? userMessage(what, options.message) : what
  const params = { message, configuration: { blocking: options.wait ?? true }, ...options.params }
  return call(server, 'message/send', params, options.headers)
}

/** Sends plans that are written out. */
export function sendPlans(server: Server, plans: unknown[], options: SendOptions = {}): Promise<Answer> {
  const metadata = { 'opt/v1/plans': plans }
  return send(server, 'Do it', { ...options, message: { metadata, ...options.message } })
}

/** Calls a method and gives its result; fails with its error. */
export async function ask(server: Server, method: string, params: unknown, headers?: Record<string, string>) {
  return resultOf(await call(server, method, params, headers), method)
}

function resultOf(response: Answer, method: string): Answer {
  if (response.error) throw Object.assign(new Error(`${method}: ${response.error.message}`), response.error)
  return response.result
}

export function getTask(server: Server, id: string): Promise<Answer> {
  return ask(server, 'tasks/get', { id })
}

export async function getObjective(server: Server, id: string): Promise<Answer> {
  return (await ask(server, 'objectives/get', { id })).objective
}

/** Puts new plans in the place of an objective's unfinished ones. */
export async function replan(server: Server, id: string, plans: unknown, more = {}): Promise<Answer> {
  return (await ask(server, 'objectives/replan', { id, plans, ...more })).objective
}

/** Tasks of an objective, by name. */
export async function tasksOf(server: Server, objectiveId: string): Promise<Record<string, Answer>> {
  const { plans } = await getObjective(server, objectiveId)
  const tasks = plans.flatMap((plan: Answer) => plan.tasks)
  return Object.fromEntries(tasks.map((task: Answer) => [task.name, task]))
}

const TERMINAL = ['completed', 'failed', 'canceled', 'rejected']

/** The task once it is in one of the states (terminal ones, if none are named), by following it. */
export async function until(server: Server, id: string, ...states: string[]): Promise<Answer> {
  const wanted = states.length > 0 ? states : TERMINAL
  const stream = await open(server, 'tasks/resubscribe', { id })
  try {
    for await (const { data } of stream.events) {
      if (data.error) break
      const { status, taskId = id } = data.result
      if (taskId === id && status && wanted.includes(status.state)) break
    }
  } finally {
    stream.leave()
  }
  const task = await getTask(server, id)
  if (!wanted.includes(task.status.state)) throw new Error(`task ${id} is ${task.status.state}, not ${wanted}`)
  return task
}

/** The objective once its status is one of these, by following it. */
export async function objectiveUntil(server: Server, id: string, ...statuses: string[]): Promise<Answer> {
  const stream = await open(server, 'objectives/subscribe', { id })
  try {
    for await (const { data } of stream.events) {
      const status = data.result?.snapshot?.objective.status ?? data.result?.event?.data.status
      const type = data.result?.event?.type ?? 'objective.status'
      if (type === 'objective.status' && statuses.includes(status)) break
    }
  } finally {
    stream.leave()
  }
  return getObjective(server, id)
}

/** The texts of artifacts, in order. */
export function textsOf(artifacts: Answer[] = []): string[] {
  return artifacts.flatMap(({ parts }) => parts.map((part: Answer) => part.text))
}
