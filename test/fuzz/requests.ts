import type { Operation } from '../../src/a2a/operation.ts'

/** Things that are there for requests to be about. */
export interface Known {
  taskId: string
  contextId: string
  planId: string
  manualTaskId: string
}

let sent = 0

/** Params of an operation that are right, or nearly. Fields that it does not know are ignored. */
export function paramsFor({ method }: Operation, known: Known): Record<string, unknown> {
  sent += 1
  const message = {
    messageId: `fuzz-${sent}`,
    role: 'ROLE_USER',
    parts: [
      { text: 'Research bees, then write a summary' },
      { data: { a: [1, { b: 2 }] } },
      { raw: 'AAAA', mediaType: 'x/y' },
    ],
    referenceTaskIds: [known.taskId],
    metadata: { 'opt/v1/suggestedName': 'Bees', 'opt/v1/preferObjective': true },
  }
  const configuration = {
    returnImmediately: true,
    blocking: false,
    historyLength: 1,
    acceptedOutputModes: ['text/plain'],
  }
  if (/message/i.test(method) && !method.startsWith('objectives')) return { message, configuration, metadata: { a: 1 } }
  if (method === 'tasks/updateStatus') {
    const status = { state: 'working', message: { ...message, role: 'agent' } }
    return { taskId: known.manualTaskId, status, artifacts: [{ artifactId: 'a', parts: [{ text: 'x' }] }] }
  }
  const plan = { name: 'Plan', dependencies: [], tasks: [{ name: 'One' }, { name: 'Two', dependencies: ['task-1'] }] }
  if (method === 'plans/create') return { objectiveId: known.contextId, ...plan, onFailure: 'ignore' }
  if (method === 'objectives/replan') {
    const tasks = [
      { taskId: known.manualTaskId, key: 'one' },
      { name: 'Two', dependencies: ['one'] },
    ]
    return { id: known.contextId, plans: [{ ...plan, tasks }], running: 'keep', reason: 'why', expectedRevision: 1 }
  }
  if (method === 'objectives/create') return { name: 'Objective', plans: [plan], metadata: {} }
  const id = method.startsWith('objectives')
    ? known.contextId
    : method.startsWith('plans')
      ? known.planId
      : known.taskId
  const listing = {
    contextId: known.contextId,
    pageSize: 5,
    pageToken: '',
    statusTimestampAfter: '2026-01-01T00:00:00Z',
  }
  const config = {
    url: 'https://example.com/hook',
    token: 't',
    pushNotificationConfig: { url: 'https://example.com/hook' },
  }
  return { id, taskId: known.taskId, historyLength: 2, includeArtifacts: true, afterSeq: 0, ...listing, ...config }
}
