/** What someone has that others may not see. */
export interface Things {
  taskId: string
  /** An objective's id is its contextId. */
  objectiveId: string
  planId: string
  configId: string
  deliveryId: string
}

/** As well formed as what there is, and there is none of it. */
export const NOWHERE: Things = {
  taskId: 'task-00000000-0000-7000-8000-000000000000',
  objectiveId: 'context-00000000-0000-7000-8000-000000000000',
  planId: 'plan-00000000-0000-7000-8000-000000000000',
  configId: 'push-00000000-0000-7000-8000-000000000000',
  deliveryId: 'delivery-00000000-0000-7000-8000-000000000000',
}

type Params = Record<string, unknown>

/** How an operation names what may be someone else's. */
export interface Step {
  /** Each way in which its params can name a thing. */
  params: readonly ((things: Things) => Params)[]
  /** It makes something of the caller's own, whatever it is told: answers differ in ids and times. */
  makes?: true
  /** Whoever names what is not there is answered as if it had been. */
  alike?: true
}

/** It names nothing: what it answers is the caller's own. */
const NOTHING: Step = { params: [] }

let sent = 0
function message(more: object): Params {
  sent += 1
  const text = { messageId: `walk-${process.pid}-${sent}`, role: 'ROLE_USER', parts: [{ text: 'Go on' }], ...more }
  return { message: text, configuration: { blocking: false, returnImmediately: true } }
}

/** A message can continue a task, refer to some, or answer one in a context. */
const SEND: Step = {
  params: [
    ({ taskId }) => message({ taskId }),
    ({ taskId, objectiveId }) => message({ taskId, contextId: objectiveId }),
    ({ taskId }) => message({ referenceTaskIds: [taskId] }),
  ],
}
const TASK: Step = { params: [({ taskId }) => ({ id: taskId })] }
const OBJECTIVE: Step = { params: [({ objectiveId }) => ({ id: objectiveId })] }
const HOOK = { url: 'https://127.0.0.1/hook' }

/** Every operation there is. One that is missing here fails the test that walks them. */
export const STEPS: Readonly<Record<string, Step>> = {
  SendMessage: SEND,
  'message/send': SEND,
  SendStreamingMessage: SEND,
  'message/stream': SEND,
  GetTask: TASK,
  'tasks/get': TASK,
  CancelTask: TASK,
  'tasks/cancel': TASK,
  SubscribeToTask: TASK,
  'tasks/resubscribe': TASK,
  ListTasks: { params: [({ objectiveId }) => ({ contextId: objectiveId })], alike: true },
  'tasks/list': { params: [({ objectiveId }) => ({ contextId: objectiveId })], alike: true },
  'tasks/updateStatus': { params: [({ taskId }) => ({ taskId, state: 'completed' })] },

  CreateTaskPushNotificationConfig: { params: [({ taskId }) => ({ taskId, ...HOOK })] },
  GetTaskPushNotificationConfig: { params: [({ taskId, configId }) => ({ taskId, id: configId })] },
  ListTaskPushNotificationConfigs: { params: [({ taskId }) => ({ taskId })] },
  DeleteTaskPushNotificationConfig: { params: [({ taskId, configId }) => ({ taskId, id: configId })] },
  'tasks/pushNotificationConfig/set': { params: [({ taskId }) => ({ taskId, pushNotificationConfig: HOOK })] },
  'tasks/pushNotificationConfig/get': {
    params: [
      ({ taskId }) => ({ id: taskId }),
      ({ taskId, configId }) => ({ id: taskId, pushNotificationConfigId: configId }),
    ],
  },
  'tasks/pushNotificationConfig/list': TASK,
  'tasks/pushNotificationConfig/delete': {
    params: [({ taskId, configId }) => ({ id: taskId, pushNotificationConfigId: configId })],
  },
  'objectives/pushNotificationConfig/set': {
    params: [({ objectiveId }) => ({ id: objectiveId, pushNotificationConfig: HOOK })],
  },
  'objectives/pushNotificationConfig/get': {
    params: [({ objectiveId, configId }) => ({ id: objectiveId, pushNotificationConfigId: configId })],
  },
  'objectives/pushNotificationConfig/list': OBJECTIVE,
  'objectives/pushNotificationConfig/delete': {
    params: [({ objectiveId, configId }) => ({ id: objectiveId, pushNotificationConfigId: configId })],
  },
  'pushNotifications/deliveries': {
    params: [({ taskId }) => ({ taskId }), ({ objectiveId }) => ({ objectiveId }), ({ configId }) => ({ configId })],
    alike: true,
  },
  'pushNotifications/retry': { params: [({ deliveryId }) => ({ id: deliveryId })] },

  'objectives/get': OBJECTIVE,
  'objectives/list': NOTHING,
  'objectives/update': { params: [({ objectiveId }) => ({ id: objectiveId, name: 'Mine now' })] },
  'objectives/cancel': OBJECTIVE,
  'objectives/replan': {
    params: [
      ({ objectiveId }) => ({ id: objectiveId, plans: [{ name: 'Mine', tasks: [{ name: 'One' }] }] }),
      ({ objectiveId, taskId }) => ({ id: objectiveId, taskId, plans: [{ name: 'Mine', tasks: [{ taskId }] }] }),
    ],
  },
  'objectives/subscribe': OBJECTIVE,
  'objectives/create': { params: [({ objectiveId }) => ({ id: objectiveId, name: 'Mine' })], makes: true },
  'plans/create': {
    params: [
      ({ objectiveId }) => ({ objectiveId, name: 'More' }),
      ({ objectiveId, planId }) => ({ objectiveId, name: 'More', dependencies: [planId] }),
    ],
  },
  'plans/get': { params: [({ planId }) => ({ id: planId })] },

  GetExtendedAgentCard: NOTHING,
  'agent/getAuthenticatedExtendedCard': NOTHING,
  'rpc.discover': NOTHING,
}
