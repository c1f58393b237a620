import { randomUUID } from 'node:crypto'
import { ANSWER } from '../servers/agent.ts'
import type { Client } from './client.ts'

/** A0.3 task, as far as it is looked at. */
interface Task {
  id?: string
  kind?: string
  status?: { state?: string }
  artifacts?: { parts?: { text?: string }[] }[]
}

/** One message without plans. The text is one clause, so that it becomes one task. */
function message(text: string, metadata?: object) {
  return {
    kind: 'message',
    messageId: randomUUID(),
    role: 'user',
    parts: [{ kind: 'text', text }],
    ...(metadata && { metadata }),
  }
}

/** Sends, waits for the end, and resolves with the task's id. */
export async function sendAndWait(client: Client): Promise<string> {
  const params = { message: message('Summarize the quarterly report'), configuration: { blocking: true } }
  return completed(await client.call('message/send', params), 1)
}

/** Sends without waiting, and resolves with the task's id. */
export async function sendOnly(client: Client): Promise<string> {
  const params = { message: message('Summarize the quarterly report'), configuration: { blocking: false } }
  const task = (await client.call('message/send', params)) as Task
  const { state = '' } = task.status ?? {}
  if (!['submitted', 'working', 'completed'].includes(state)) throw new Error(`The task was ${state}`)
  return idOf(task)
}

export async function getTask(client: Client, id: string): Promise<void> {
  const got = completed(await client.call('tasks/get', { id }), 1)
  if (got !== id) throw new Error(`Asked for ${id}, got ${got}`)
}

/** Whether a task is done, and right. */
export async function isDone(client: Client, id: string): Promise<boolean> {
  const task = (await client.call('tasks/get', { id })) as Task
  if (task.status?.state === 'submitted' || task.status?.state === 'working') return false
  completed(task, 1)
  return true
}

export type Shape = 'flat' | 'chain'

/** Sends an objective of one plan and waits until its root task is completed. */
export async function sendPlan(client: Client, shape: Shape, size: number): Promise<void> {
  const tasks = Array.from({ length: size }, (_, i) => ({
    key: `t${i}`,
    name: `Part ${i}`,
    ...(shape === 'chain' && i > 0 && { dependencies: [`t${i - 1}`] }),
  }))
  const metadata = { 'opt/v1/plans': [{ key: 'p', name: 'All parts', tasks }] }
  const params = { message: message('Do all parts', metadata), configuration: { blocking: true, historyLength: 0 } }
  completed(await client.call('message/send', params), shape === 'flat' ? size : 1)
}

/** Resolves with the id of a task that ended as it should: completed, with so many artifacts of the agent. */
function completed(result: unknown, artifacts: number): string {
  const task = result as Task
  if (task.kind !== 'task' || task.status?.state !== 'completed') {
    throw new Error(`Not a completed task: ${JSON.stringify(result).slice(0, 200)}`)
  }
  const right = task.artifacts?.filter(({ parts }) => parts?.[0]?.text === ANSWER).length ?? 0
  if (right !== artifacts)
    throw new Error(`${right} artifacts of ${artifacts} in ${JSON.stringify(result).slice(0, 200)}`)
  return idOf(task)
}

function idOf({ id }: Task): string {
  if (typeof id !== 'string') throw new Error('A task without an id')
  return id
}
