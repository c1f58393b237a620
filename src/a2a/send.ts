import { invalidParams } from '../base/errors.ts'
import { newId } from '../base/ids.ts'
import type { Metadata } from '../domain/message.ts'
import type { Call } from './call.ts'
import { checkMediaTypes } from './media-types.ts'
import type { SendInput } from './params.ts'
import { readConfig } from './push-params.ts'
import type { PushRequest, SendAnswer, SendRequest } from './trellis.ts'
import { isObject, readMessage, withoutBlanks } from './wire-in.ts'
import { type Json, writeMessage, writeObjective, writeTask } from './wire-out.ts'

/** The params of a send, in any version, as Trellis takes them. `accepted`: media types. (A2A 1.0 §3.1.1, design §8.1) */
export function readSend(input: SendInput, call: Call, accepted?: readonly string[]): SendRequest {
  const { configuration = {}, contextId = input.sessionId } = input
  if (input.sessionId !== undefined && input.sessionId !== contextId) {
    throw invalidParams('sessionId', 'expected the same context as contextId')
  }
  const push = readPush(configuration, call)
  const given = call.extensionDialect ? completed(input.message) : input.message
  const message = readMessage(given, 'message', contextId)
  checkMediaTypes(message.parts, accepted, 'message.parts')
  return {
    message,
    metadata: input.metadata ?? {},
    configuration: {
      ...(configuration.acceptedOutputModes && { acceptedOutputModes: configuration.acceptedOutputModes }),
      ...(configuration.historyLength !== undefined && { historyLength: configuration.historyLength }),
    },
    ...(push && { push }),
    wait: waits(configuration, call),
    signal: call.signal,
  }
}

/** Each version has its own name for it. The other's does, too: who asks to be told is not to wait in vain. */
function readPush(configuration: NonNullable<SendInput['configuration']>, call: Call): PushRequest | undefined {
  const name =
    configuration.taskPushNotificationConfig === undefined ? 'pushNotificationConfig' : 'taskPushNotificationConfig'
  const given = configuration[name]
  if (given === undefined) return undefined
  const at = `configuration.${name}`
  return { config: readConfig(given, at, call.version), field: `${at}.url` }
}

/** Null and "" count as absent also inside the configuration. */
export function tidySend(params: unknown): unknown {
  if (isObject(params) && isObject(params['configuration'])) withoutBlanks(params['configuration'])
  return withoutBlanks(params)
}

/** The extension document's own examples leave out who speaks and the message's id. */
function completed(message: Json): Json {
  return { ...message, messageId: message['messageId'] ?? newId('message'), role: message['role'] ?? 'user' }
}

/** Each version has its own flag, and its own meaning of its absence. (design §8.1, "Waiting") */
function waits(flags: { blocking?: boolean; returnImmediately?: boolean }, call: Call): boolean {
  if (call.notification) return false
  if (call.version === '1.0') return flags.returnImmediately !== true
  return call.style === 'extension' ? flags.blocking === true : flags.blocking !== false
}

/** The answer to a send, by who asks: the table of design §8.2. */
export function writeAnswer(answer: SendAnswer, call: Call): Json {
  const { style } = call
  if (answer.kind === 'message') {
    const message = writeMessage(answer.message, style)
    return style === '1.0' || style === 'extension' ? { message } : message
  }
  if (style === 'extension') return extensionAnswer(answer)
  const task = writeTask(answer.task, style, call.opt ? treeMetadata(answer) : undefined)
  return style === '1.0' ? { task } : task
}

type TaskAnswer = Extract<SendAnswer, { kind: 'task' }>

/** As the extension document prints it: the first task of the first plan, and the tree beside it. */
function extensionAnswer({ task, objective, firstTask }: TaskAnswer): Json {
  const answer: Json = { task: writeTask(firstTask ?? task, 'extension') }
  if (objective !== undefined) answer['objective'] = writeObjective(objective)
  return answer
}

function treeMetadata({ objective, firstTask }: TaskAnswer): Metadata | undefined {
  if (objective === undefined) return undefined
  const metadata: Metadata = { 'opt/v1/objective': writeObjective(objective) }
  if (firstTask !== undefined) metadata['opt/v1/firstTaskId'] = firstTask.id
  return metadata
}
