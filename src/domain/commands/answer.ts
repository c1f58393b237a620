import { TrellisError } from '../../base/errors.ts'
import { type Message, textOf } from '../message.ts'
import { currentQuestion } from '../moves/question.ts'
import { closeInputs, keepStatusMessage, moveTask } from '../moves/task.ts'
import type { InputRequestRow, TaskRow } from '../rows.ts'
import { isInterrupted, isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'
import { keepMessage } from './create-root.ts'

const INPUT_ID = 'opt/v1/inputId'
const TASK_ID = 'opt/v1/taskId'

/**
 * A message that names a task: it answers the question the task (or something below it) waits on, or joins its history
 * while it works. Terminal tasks take no messages. (design §2, §6 Questions)
 */
export function continueTask(w: WorkingCopy, taskId: string, message: Message): void {
  const task = w.task(taskId)
  if (isTerminal(task.state)) {
    throw new TrellisError(
      'unsupportedOperation',
      `Task ${taskId} is ${task.state}: a terminal task takes no messages. Send a follow-up with its contextId instead`,
      {
        details: { taskId, state: task.state },
      },
    )
  }
  const input = questionFor(w, task, message)
  if (input !== undefined) keepStatusMessage(w, w.tasks.edit(w.task(input.taskId).id))
  const row = keepMessage(w, { ...message, taskId, contextId: w.context.wireId }, taskId)
  w.emit('task.message', { message }, { task })
  if (input !== undefined) answerInput(w, input, { row, message, askedTask: taskId })
}

/** Which open question a message answers; undefined: none, it joins the history. */
function questionFor(w: WorkingCopy, task: TaskRow, message: Message): InputRequestRow | undefined {
  const inputId = message.metadata?.[INPUT_ID]
  const boundTask = message.metadata?.[TASK_ID]
  if (typeof inputId === 'string') return boundTo(w, task, inputId, (input) => input.id === inputId)
  if (typeof boundTask === 'string' && boundTask !== task.id) {
    return boundTo(w, task, boundTask, (input) => input.taskId === boundTask)
  }
  if (task.kind === 'planned') return settledQuestion(w, task)
  return isInterrupted(task.state) ? w.openInputs().find((input) => input.taskId === task.id) : undefined
}

/** How long a question must have been the current one for an unbound message to be taken as its answer. */
const SETTLED_MILLISECONDS = 5_000

/**
 * The question that a planned root shows. If the one before it was dropped a moment ago (its task was canceled or timed
 * out) the sender may have meant that one: then it is asked to look again.
 */
function settledQuestion(w: WorkingCopy, root: TaskRow): InputRequestRow | undefined {
  const current = currentQuestion(w, root)
  if (current === undefined) return undefined
  const dropped = w.recentInputs().find((input) => {
    if (input.rootId !== root.rootId || input.closedAt === null || input.answeredBy !== null) return false
    const wasShown = Date.parse(input.openedAt) <= Date.parse(current.openedAt)
    return wasShown && Date.parse(w.now) - Date.parse(input.closedAt) < SETTLED_MILLISECONDS
  })
  if (dropped === undefined) return current
  const asked = current.message === null ? current.id : textOf(current.message)
  throw new TrellisError('invalidState', `The question of task ${root.id} has just changed; it is now: ${asked}`, {
    details: { taskId: current.taskId, inputId: current.id },
  })
}

function boundTo(
  w: WorkingCopy,
  task: TaskRow,
  id: string,
  fits: (input: InputRequestRow) => boolean,
): InputRequestRow {
  const input = w.openInputs().find((open) => open.rootId === task.rootId && fits(open))
  if (input === undefined) {
    throw new TrellisError(
      'invalidState',
      `No open question ${id} under task ${task.id}: it was answered already, or never asked`,
      {
        details: { question: id, taskId: task.id },
      },
    )
  }
  return input
}

/** Hands an answer to the task that asked: it works again, and whoever has room goes on with its attempt. */
function answerInput(
  w: WorkingCopy,
  input: InputRequestRow,
  answer: { row: string; message: Message; askedTask: string },
): void {
  const asker = w.task(input.taskId)
  let { row } = answer
  if (input.taskId !== answer.askedTask) {
    row = keepMessage(w, { ...answer.message, taskId: input.taskId, contextId: w.context.wireId }, input.taskId)
  }
  closeInputs(w, asker, answer.message.messageId)
  w.emit('input.answered', { inputId: input.id, messageId: answer.message.messageId }, { task: asker })
  moveTask(w, input.taskId, { state: 'working' })
  const task = w.tasks.edit(input.taskId)
  if (task.kind !== 'executed') return
  if (w.attempt(task.id) !== undefined) {
    const attempt = w.attempts.edit(task.id)
    attempt.answerId = row
    attempt.clockAt = w.now
  }
  // The executor that asked may be about to return: the answer goes with a new lease, and what the old one does is void.
  task.runner = null
  task.claimableAt = w.now
  w.ready.add(task.id)
}
