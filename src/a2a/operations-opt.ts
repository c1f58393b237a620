import { newId } from '../base/ids.ts'
import type { Call } from './call.ts'
import { objectiveFrames } from './frames.ts'
import { contextAs } from './objective-id.ts'
import { type Operation, streaming, unary } from './operation.ts'
import { followOptions, listedTasks } from './operations-core.ts'
import { OPT_PUSH_OPERATIONS } from './operations-push.ts'
import {
  CreateObjectiveSchema,
  CreatePlanSchema,
  FollowObjectiveSchema,
  GetObjectiveSchema,
  IdSchema,
  ListObjectivesSchema,
  readPlans,
  readTasks,
  UpdateObjectiveSchema,
  UpdateStatusSchema,
} from './opt-params.ts'
import { ListTasksSchema } from './params.ts'
import { ReplanSchema, readReplan } from './replan-params.ts'
import { isObject, readArtifact, readMessage, readState, withoutBlanks } from './wire-in.ts'
import { type Json, writeObjective, writePlan, writeTask } from './wire-out.ts'

/** The OPT extension's methods. They serve both versions, with or without activation. (design §8.2) */

const byId = contextAs('id')

const objectives = [
  ...unary(
    {
      names: 'objectives/create',
      scope: 'write',
      schema: CreateObjectiveSchema,
      tidy: tidyCreate,
      rest: { verb: 'POST', path: '/objectives' },
    },
    async (trellis, { plans, ...objective }, call) => {
      const draft = plans === undefined ? objective : { ...objective, plans: readPlans(plans) }
      return { objective: writeObjective(await trellis.createObjective(call.caller, draft)) }
    },
  ),
  ...unary(
    {
      names: 'objectives/get',
      scope: 'read',
      schema: GetObjectiveSchema,
      tidy: byId,
      rest: { verb: 'GET', path: '/objectives/{id}' },
    },
    async (trellis, { id, includePlans = true, includeTasks = true }, call) => ({
      objective: writeObjective(await trellis.getObjective(call.caller, id, { includePlans, includeTasks })),
    }),
  ),
  ...unary(
    {
      names: 'objectives/list',
      scope: 'read',
      schema: ListObjectivesSchema,
      rest: { verb: 'GET', path: '/objectives' },
    },
    async (trellis, { pageSize = 50, ...filter }, call) => {
      const page = await trellis.listObjectives(call.caller, { ...filter, pageSize })
      const { nextPageToken, totalSize } = page
      return { objectives: page.items.map(writeObjective), nextPageToken, pageSize, totalSize }
    },
  ),
  ...unary(
    {
      names: 'objectives/update',
      scope: 'write',
      schema: UpdateObjectiveSchema,
      tidy: byId,
      rest: { verb: 'PATCH', path: '/objectives/{id}' },
    },
    async (trellis, { id, ...change }, call) => ({
      objective: writeObjective(await trellis.updateObjective(call.caller, id, change)),
    }),
  ),
  ...unary(
    {
      names: 'objectives/replan',
      scope: 'write',
      schema: ReplanSchema,
      tidy: byId,
      rest: { verb: 'POST', path: '/objectives/{id}:replan' },
    },
    async (trellis, { id, plans, running = 'cancel', ...change }, call) => {
      const request = { ...change, running, plans: readReplan(plans) }
      return { objective: writeObjective(await trellis.replanObjective(call.caller, id, request)) }
    },
  ),
  ...unary(
    {
      names: 'objectives/cancel',
      scope: 'write',
      schema: IdSchema,
      tidy: byId,
      rest: { verb: 'POST', path: '/objectives/{id}:cancel' },
    },
    async (trellis, { id }, call) => ({ objective: writeObjective(await trellis.cancelObjective(call.caller, id)) }),
  ),
  ...streaming(
    {
      names: 'objectives/subscribe',
      scope: 'read',
      schema: FollowObjectiveSchema,
      tidy: byId,
      rest: { verb: 'GET', path: '/objectives/{id}/events' },
    },
    (trellis, params, call) =>
      objectiveFrames(trellis.followObjective(call.caller, params.id, followOptions(params, call)), call),
  ),
]

/** An objective's id is its contextId, when the client chooses one. */
function tidyCreate(params: unknown): unknown {
  withoutBlanks(params)
  if (!isObject(params) || params['contextId'] === undefined) return params
  return { id: params['contextId'], ...params }
}

const plans = [
  ...unary(
    {
      names: 'plans/create',
      scope: 'write',
      schema: CreatePlanSchema,
      tidy: contextAs('objectiveId'),
      rest: { verb: 'POST', path: '/plans' },
    },
    async (trellis, { tasks = [], dependencies = [], run = false, ...plan }, call) => {
      const draft = { ...plan, dependencies, run, tasks: readTasks(tasks, '', !run) }
      return { plan: writePlan(await trellis.createPlan(call.caller, draft)) }
    },
  ),
  ...unary(
    { names: 'plans/get', scope: 'read', schema: IdSchema, tidy: byPlanId, rest: { verb: 'GET', path: '/plans/{id}' } },
    async (trellis, { id }, call) => ({ plan: writePlan(await trellis.getPlan(call.caller, id)) }),
  ),
]

function byPlanId(params: unknown): unknown {
  withoutBlanks(params)
  return isObject(params) ? { id: params['planId'], ...params } : params
}

const tasks = [
  ...unary(
    { names: 'tasks/list', scope: 'read', schema: ListTasksSchema },
    // The slash form is 0.3's, whatever version asks.
    (trellis, params, call) => listedTasks(trellis, params, legacy(call), call.opt),
  ),
  ...unary(
    {
      names: 'tasks/updateStatus',
      scope: ['write', 'work'],
      schema: UpdateStatusSchema,
      tidy: tidyStatus,
      rest: { verb: 'POST', path: '/tasks/{taskId}:updateStatus' },
    },
    async (trellis, { taskId, state, message, artifacts, metadata }, call) => {
      const task = await trellis.updateTaskStatus(call.caller, {
        taskId,
        state: readState(state),
        ...(message && { message: readMessage(agentMessage(message), 'message') }),
        ...(artifacts && { artifacts: artifacts.map((given, index) => readArtifact(given, `artifacts[${index}]`)) }),
        ...(metadata && { metadata }),
      })
      return { task: writeTask(task, call.style) }
    },
  ),
]

function legacy(call: Call): Call {
  return call.style === '1.0' ? { ...call, style: '0.3' } : call
}

/** The state may be called `state` or `status`, or stand in an A2A status object with its message. */
function tidyStatus(params: unknown): unknown {
  withoutBlanks(params)
  if (!isObject(params)) return params
  const { id, status, ...rest } = params
  const inner = isObject(status) ? { state: status['state'], message: status['message'] } : { state: status }
  return withoutUndefined({ taskId: id, ...inner, ...rest })
}

function withoutUndefined(value: Json): Json {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined && field !== null))
}

/** What a client says about a task that it works on is the agent's side of the talk. */
function agentMessage(message: Json): Json {
  return { ...message, messageId: message['messageId'] ?? newId('message'), role: message['role'] ?? 'agent' }
}

export const OPT_OPERATIONS: readonly Operation[] = [...objectives, ...plans, ...tasks, ...OPT_PUSH_OPERATIONS]
