import type { ResultName } from './schemas.ts'

interface Text {
  summary: string
  /** What 1.0 answers, or each frame of a stream. */
  result: ResultName
}

const PUSH = 'how a task tells a webhook of its updates'

/** What each operation is for, by its method. 0.3's names stand beside those of 1.0 that do the same. */
const TEXTS: readonly [methods: readonly string[], text: Text][] = [
  [
    ['SendMessage', 'message/send'],
    {
      summary:
        'Sends a message: it is answered, becomes a task, or becomes an objective of plans and tasks. With a taskId it continues that task. Waits for the end or a question, unless told not to.',
      result: 'SendMessageResponse',
    },
  ],
  [
    ['SendStreamingMessage', 'message/stream'],
    {
      summary: 'Sends a message and follows what becomes of it: one message, or the task and then its updates.',
      result: 'StreamResponse',
    },
  ],
  [['GetTask', 'tasks/get'], { summary: 'Reads a task, with as much of its history as asked for.', result: 'Task' }],
  [
    ['ListTasks'],
    { summary: "Lists the caller's tasks, the one whose status changed last first.", result: 'ListTasksResponse' },
  ],
  [
    ['CancelTask', 'tasks/cancel'],
    { summary: 'Cancels a task and all that is below it. It is canceled when the call returns.', result: 'Task' },
  ],
  [
    ['SubscribeToTask', 'tasks/resubscribe'],
    {
      summary:
        'Follows a task until it has ended: the task first, then its updates; after an event (Last-Event-ID or afterSeq), only what came later.',
      result: 'StreamResponse',
    },
  ],
  [
    ['CreateTaskPushNotificationConfig', 'tasks/pushNotificationConfig/set'],
    { summary: `Sets ${PUSH}. One with the same id is replaced.`, result: 'Object' },
  ],
  [
    ['GetTaskPushNotificationConfig', 'tasks/pushNotificationConfig/get'],
    { summary: `Reads ${PUSH}.`, result: 'Object' },
  ],
  [
    ['ListTaskPushNotificationConfigs', 'tasks/pushNotificationConfig/list'],
    { summary: `Lists ${PUSH}.`, result: 'Object' },
  ],
  [
    ['DeleteTaskPushNotificationConfig', 'tasks/pushNotificationConfig/delete'],
    { summary: `Deletes ${PUSH}. What is not there is as good as deleted.`, result: 'Object' },
  ],
  [
    ['GetExtendedAgentCard', 'agent/getAuthenticatedExtendedCard'],
    { summary: 'Reads the agent card for known callers: the public one, and the agents.', result: 'Object' },
  ],
  [
    ['objectives/create'],
    { summary: 'Creates an objective, with plans or without. Its id is its contextId.', result: 'ObjectiveResult' },
  ],
  [
    ['objectives/get'],
    { summary: 'Reads an objective, with its plans and their tasks unless told not to.', result: 'ObjectiveResult' },
  ],
  [['objectives/list'], { summary: "Lists the caller's objectives, newest first.", result: 'ListObjectivesResult' }],
  [
    ['objectives/update'],
    {
      summary:
        'Names or describes an objective, or ends it: canceled always, completed or failed where all that is unfinished is moved by hand.',
      result: 'ObjectiveResult',
    },
  ],
  [
    ['objectives/replan'],
    {
      summary:
        'Replaces the unfinished plans of an objective, or of one planned task. A task of a new plan may be one that is there, by taskId: completed, or, with running "keep", one that runs. With expectedRevision, only where nobody was quicker.',
      result: 'ObjectiveResult',
    },
  ],
  [['objectives/cancel'], { summary: 'Cancels all that is unfinished in an objective.', result: 'ObjectiveResult' }],
  [
    ['objectives/subscribe'],
    {
      summary: 'Follows an objective: a snapshot of its tree, then every event; after an event, only what came later.',
      result: 'ObjectiveFrame',
    },
  ],
  [
    ['plans/create'],
    {
      summary:
        'Adds a plan to an objective. Its tasks are moved by hand through tasks/updateStatus, unless they name an agent or a skill, or the plan says run.',
      result: 'PlanResult',
    },
  ],
  [['plans/get'], { summary: 'Reads a plan and its tasks.', result: 'PlanResult' }],
  [
    ['tasks/list'],
    { summary: 'Lists tasks as 0.3 writes them. With OPT activated, planned roots are left out.', result: 'Object' },
  ],
  [
    ['tasks/updateStatus'],
    { summary: 'Moves a task that is moved by hand, with a message and artifacts if need be.', result: 'TaskResult' },
  ],
  [
    ['objectives/pushNotificationConfig/set'],
    {
      summary: 'Sets how an objective tells a webhook of its events. One with the same id is replaced.',
      result: 'Object',
    },
  ],
  [
    ['objectives/pushNotificationConfig/get'],
    {
      summary: 'Reads how an objective tells a webhook of its events; without an id, the first one.',
      result: 'Object',
    },
  ],
  [
    ['objectives/pushNotificationConfig/list'],
    { summary: 'Lists how an objective tells webhooks of its events.', result: 'Object' },
  ],
  [
    ['objectives/pushNotificationConfig/delete'],
    {
      summary: 'Deletes how an objective tells a webhook of its events. What is not there is as good as deleted.',
      result: 'Object',
    },
  ],
  [
    ['pushNotifications/deliveries'],
    {
      summary: 'Lists what became of telling webhooks, newest first: pending, delivered or parked, and why.',
      result: 'Object',
    },
  ],
  [
    ['objectives/pushNotificationConfig/set'],
    {
      summary: 'Sets how an objective tells a webhook of its events. One with the same id is replaced.',
      result: 'Object',
    },
  ],
  [
    ['objectives/pushNotificationConfig/get'],
    { summary: 'Reads how an objective tells a webhook of its events.', result: 'Object' },
  ],
  [
    ['objectives/pushNotificationConfig/list'],
    { summary: 'Lists how an objective tells webhooks of its events.', result: 'Object' },
  ],
  [
    ['objectives/pushNotificationConfig/delete'],
    { summary: 'Deletes one of them. What is not there is as good as deleted.', result: 'Object' },
  ],
  [
    ['pushNotifications/deliveries'],
    { summary: 'Lists what was sent to webhooks, what waits to be, and what was given up.', result: 'Object' },
  ],
  [
    ['pushNotifications/retry'],
    { summary: 'Has a webhook that was given up sent again: its delivery is pending then.', result: 'Object' },
  ],
  [['rpc.discover'], { summary: 'Describes every method, in OpenRPC.', result: 'Object' }],
]

const byMethod = new Map(TEXTS.flatMap(([methods, text]) => methods.map((method) => [method, text] as const)))

/** @throws Error for a method that nobody has described: the documents are made of all there is */
export function textOf(method: string): Text {
  const text = byMethod.get(method)
  if (text === undefined) throw new Error(`The method ${method} has no text in describe/texts.ts`)
  return text
}
