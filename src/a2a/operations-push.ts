import type { Call } from './call.ts'
import { contextAs } from './objective-id.ts'
import { type Operation, unary } from './operation.ts'
import { IdSchema } from './opt-params.ts'
import {
  CreateTaskConfigSchema,
  DeliveriesSchema,
  LegacyConfigSchema,
  LegacyDeleteSchema,
  SetObjectiveConfigSchema,
  SetTaskConfigSchema,
  TaskConfigSchema,
  TaskConfigsSchema,
  tidyPush,
  toConfig,
  writeObjectiveConfig,
  writeTaskConfig,
} from './push-params.ts'

/** Who wants to be told of what: of tasks as A2A has it, of objectives in its manner. (A2A 1.0 §3.1.7–10, design §8.4) */

const task = (id: string) => ({ kind: 'task', id }) as const
const objective = (id: string) => ({ kind: 'objective', id }) as const

const ALL = '/tasks/{taskId}/pushNotificationConfigs'
const ONE = `${ALL}/{id}`

const modern: Operation[] = [
  ...unary(
    {
      names: { '1.0': 'CreateTaskPushNotificationConfig' },
      scope: 'write',
      schema: CreateTaskConfigSchema,
      tidy: tidyPush,
      rest: { verb: 'POST', path: ALL },
    },
    async (trellis, { taskId, ...given }, call) => {
      const push = { config: toConfig(given, '1.0'), field: 'url' }
      return writeTaskConfig(await trellis.setPushConfig(call.caller, task(taskId), push), '1.0')
    },
  ),
  ...unary(
    {
      names: { '1.0': 'GetTaskPushNotificationConfig' },
      scope: 'read',
      schema: TaskConfigSchema,
      rest: { verb: 'GET', path: ONE },
    },
    async (trellis, { taskId, id }, call) =>
      writeTaskConfig(await trellis.getPushConfig(call.caller, task(taskId), id), '1.0'),
  ),
  ...unary(
    {
      names: { '1.0': 'DeleteTaskPushNotificationConfig' },
      scope: 'write',
      schema: TaskConfigSchema,
      rest: { verb: 'DELETE', path: ONE },
    },
    async (trellis, { taskId, id }, call) => {
      await trellis.deletePushConfig(call.caller, task(taskId), id)
      return {}
    },
  ),
  ...unary(
    {
      names: { '1.0': 'ListTaskPushNotificationConfigs' },
      scope: 'read',
      schema: TaskConfigsSchema,
      rest: { verb: 'GET', path: ALL },
    },
    // There are few enough for one page.
    async (trellis, { taskId }, call) => {
      const configs = await trellis.listPushConfigs(call.caller, task(taskId))
      return { configs: configs.map((config) => writeTaskConfig(config, '1.0')), nextPageToken: '' }
    },
  ),
]

const legacy: Operation[] = [
  ...unary(
    {
      names: { '0.3': 'tasks/pushNotificationConfig/set' },
      scope: 'write',
      schema: SetTaskConfigSchema,
      tidy: tidyPush,
      rest: { verb: 'POST', path: ALL },
    },
    async (trellis, { taskId, pushNotificationConfig }, call) => {
      const push = { config: toConfig(pushNotificationConfig, '0.3'), field: 'pushNotificationConfig.url' }
      return writeTaskConfig(await trellis.setPushConfig(call.caller, task(taskId), push), '0.3')
    },
  ),
  ...unary(
    {
      names: { '0.3': 'tasks/pushNotificationConfig/get' },
      scope: 'read',
      schema: LegacyConfigSchema,
      rest: { verb: 'GET', path: ONE },
    },
    async (trellis, { id, pushNotificationConfigId }, call) =>
      writeTaskConfig(await trellis.getPushConfig(call.caller, task(id), pushNotificationConfigId), '0.3'),
  ),
  ...unary(
    {
      names: { '0.3': 'tasks/pushNotificationConfig/delete' },
      scope: 'write',
      schema: LegacyDeleteSchema,
      rest: { verb: 'DELETE', path: ONE },
    },
    async (trellis, { id, pushNotificationConfigId }, call) => {
      await trellis.deletePushConfig(call.caller, task(id), pushNotificationConfigId)
      return null
    },
  ),
  ...unary(
    {
      names: { '0.3': 'tasks/pushNotificationConfig/list' },
      scope: 'read',
      schema: LegacyConfigSchema,
      rest: { verb: 'GET', path: ALL },
    },
    async (trellis, { id }, call) => {
      const configs = await trellis.listPushConfigs(call.caller, task(id))
      return configs.map((config) => writeTaskConfig(config, '0.3'))
    },
  ),
]

const OF_OBJECTIVE = '/objectives/{id}/pushNotificationConfigs'
const byId = contextAs('id')

const objectives: Operation[] = [
  ...unary(
    {
      names: 'objectives/pushNotificationConfig/set',
      scope: 'write',
      schema: SetObjectiveConfigSchema,
      tidy: (params) => byId(tidyPush(params)),
      rest: { verb: 'POST', path: OF_OBJECTIVE },
    },
    async (trellis, { id, pushNotificationConfig }, call) => {
      const push = { config: toConfig(pushNotificationConfig, call.version), field: 'pushNotificationConfig.url' }
      return writeObjectiveConfig(await trellis.setPushConfig(call.caller, objective(id), push), call.version)
    },
  ),
  ...unary(
    {
      names: 'objectives/pushNotificationConfig/get',
      scope: 'read',
      schema: LegacyConfigSchema,
      tidy: byId,
      rest: { verb: 'GET', path: `${OF_OBJECTIVE}/{pushNotificationConfigId}` },
    },
    async (trellis, { id, pushNotificationConfigId }, call) =>
      writeObjectiveConfig(
        await trellis.getPushConfig(call.caller, objective(id), pushNotificationConfigId),
        call.version,
      ),
  ),
  ...unary(
    {
      names: 'objectives/pushNotificationConfig/list',
      scope: 'read',
      schema: IdSchema,
      tidy: byId,
      rest: { verb: 'GET', path: OF_OBJECTIVE },
    },
    async (trellis, { id }, call) => {
      const configs = await trellis.listPushConfigs(call.caller, objective(id))
      return { configs: configs.map((config) => writeObjectiveConfig(config, call.version)) }
    },
  ),
  ...unary(
    {
      names: 'objectives/pushNotificationConfig/delete',
      scope: 'write',
      schema: LegacyDeleteSchema,
      tidy: byId,
      rest: { verb: 'DELETE', path: `${OF_OBJECTIVE}/{pushNotificationConfigId}` },
    },
    async (trellis, { id, pushNotificationConfigId }, call) => {
      await trellis.deletePushConfig(call.caller, objective(id), pushNotificationConfigId)
      return {}
    },
  ),
]

const DELIVERIES = '/pushNotificationDeliveries'

const deliveries: Operation[] = [
  ...unary(
    {
      names: 'pushNotifications/deliveries',
      scope: 'read',
      schema: DeliveriesSchema,
      rest: { verb: 'GET', path: DELIVERIES },
    },
    async (trellis, { pageSize = 50, ...filter }, call: Call) => {
      const { items, nextPageToken, totalSize } = await trellis.listDeliveries(call.caller, { ...filter, pageSize })
      return { deliveries: items, nextPageToken, pageSize, totalSize }
    },
  ),
  ...unary(
    {
      names: 'pushNotifications/retry',
      scope: 'write',
      schema: IdSchema,
      rest: { verb: 'POST', path: `${DELIVERIES}/{id}:retry` },
    },
    async (trellis, { id }, call) => ({ delivery: await trellis.retryDelivery(call.caller, id) }),
  ),
]

export const TASK_PUSH_OPERATIONS: readonly Operation[] = [...modern, ...legacy]
export const OPT_PUSH_OPERATIONS: readonly Operation[] = [...objectives, ...deliveries]
