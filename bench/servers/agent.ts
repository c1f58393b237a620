import { Task } from '@a2a-js/sdk'
import { AgentEvent, type AgentExecutor, type ExecutionEventBus, type RequestContext } from '@a2a-js/sdk/server'

/** What every task of the bench is answered with. */
export const ANSWER = 'done'

/**
 * The same agent for every system: it does nothing, and says so in two events, working and completed. Whole tasks, because
 * that is the least that the SDK's store has to write.
 */
const agent: AgentExecutor = {
  execute: async (context: RequestContext, bus: ExecutionEventBus) => {
    bus.publish(AgentEvent.task(taskOf(context, 'TASK_STATE_WORKING', [])))
    const artifact = { artifactId: `${context.taskId}-1`, name: 'result', parts: [{ text: ANSWER }] }
    bus.publish(AgentEvent.task(taskOf(context, 'TASK_STATE_COMPLETED', [artifact])))
    bus.finished()
  },
  cancelTask: async () => undefined,
}

export default agent

function taskOf({ taskId, contextId, userMessage }: RequestContext, state: string, artifacts: object[]): Task {
  const status = { state, timestamp: new Date().toISOString() }
  const task = Task.fromJSON({ id: taskId, contextId, status, artifacts })
  task.history = [userMessage]
  return task
}
