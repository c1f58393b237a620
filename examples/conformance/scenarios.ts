import type { Part } from '../../src/domain/message.ts'
import type { TaskState } from '../../src/domain/task.ts'

/** One thing that the executor does. */
export type Step =
  | { kind: 'status'; state: TaskState; text?: string }
  | { kind: 'artifact'; parts: Part[]; append?: boolean; lastChunk?: boolean }
  /** A Message, and no task. */
  | { kind: 'message'; text: string }
  /** So many times `TCK_STREAMING_TIMEOUT`. */
  | { kind: 'wait'; timeouts: number }
  /** Works on until the task is canceled, or a message comes that begins another scenario. */
  | { kind: 'hold' }

const WORKING: Step = { kind: 'status', state: 'working' }
/** With something to say, so that whoever streams sees the task begin to work although it was claimed at its creation. */
const STREAMING: Step = { kind: 'status', state: 'working', text: 'Working on it' }
const COMPLETED: Step = { kind: 'status', state: 'completed' }

const FILE = { filename: 'output.txt', mediaType: 'text/plain' }
const FILE_BYTES: Part = { raw: Buffer.from('Hello from TCK\n').toString('base64'), ...FILE }
const FILE_URL: Part = { url: 'https://example.com/output.txt', ...FILE }

const artifact = (...parts: Part[]): Step => ({ kind: 'artifact', parts })
const finished = (part: Part): Step[] => [artifact(part), COMPLETED]
const streamed = (part: Part): Step[] => [STREAMING, artifact(part), COMPLETED]
const interrupted = (state: TaskState, text: string): Step[] => [WORKING, { kind: 'status', state, text }]
const working = (timeouts: number, ...end: Step[]): Step[] => [STREAMING, { kind: 'wait', timeouts }, ...end]

/** What a messageId that begins so asks for. The longest prefix counts. */
export const SCENARIOS: Readonly<Record<string, readonly Step[]>> = {
  'tck-': [COMPLETED],
  'tck-complete-task': [
    artifact({ text: 'Hello from TCK' }),
    { kind: 'status', state: 'completed', text: 'Hello from TCK' },
  ],
  'tck-delayed-complete': working(1, { kind: 'status', state: 'completed', text: 'Done after delay' }),
  'tck-input-required': interrupted('input-required', 'More input is required'),
  'tck-auth-required': interrupted('auth-required', 'Authorisation is required'),
  'tck-reject-task': [{ kind: 'status', state: 'rejected', text: 'rejected' }],
  'tck-message-response': [{ kind: 'message', text: 'Direct message response' }],
  'tck-artifact-text': finished({ text: 'Generated text content' }),
  'tck-artifact-file': finished(FILE_BYTES),
  'tck-artifact-file-url': finished(FILE_URL),
  'tck-artifact-data': finished({ data: { key: 'value', count: 42 } }),
  'tck-stream-001': streamed({ text: 'Stream hello from TCK' }),
  'tck-stream-002': [COMPLETED],
  'tck-stream-003': streamed({ text: 'Stream task lifecycle' }),
  'tck-stream-ordering-001': streamed({ text: 'Ordered output' }),
  'tck-stream-artifact-text': streamed({ text: 'Streamed text content' }),
  'tck-stream-artifact-file': streamed(FILE_BYTES),
  'tck-stream-artifact-chunked': [
    STREAMING,
    { kind: 'artifact', parts: [{ text: 'chunk-1 ' }], lastChunk: false },
    { kind: 'artifact', parts: [{ text: 'chunk-2 ' }], append: true, lastChunk: false },
    { kind: 'artifact', parts: [{ text: 'chunk-3' }], append: true, lastChunk: true },
    COMPLETED,
  ],
  'test-resubscribe-message-id': working(2, COMPLETED),
  'test-subscribe-message-id': working(2, COMPLETED),
  'list-test-message-id': [STREAMING, { kind: 'hold' }],
}

/** For a messageId that asks for nothing. */
export const OTHERWISE: readonly Step[] = interrupted('input-required', 'Send a message to go on')

const LONGEST_FIRST = Object.keys(SCENARIOS).sort((a, b) => b.length - a.length)

/** The scenario that a messageId asks for, if it does. */
export function scenarioOf(messageId: string): readonly Step[] | undefined {
  const prefix = LONGEST_FIRST.find((start) => messageId.startsWith(start))
  return prefix === undefined ? undefined : SCENARIOS[prefix]
}
