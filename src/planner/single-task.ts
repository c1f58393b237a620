import type { Decision, DraftPlan, DraftTask } from '../domain/draft.ts'
import { type Part, textOf } from '../domain/message.ts'
import { attachmentsOf } from './attachments.ts'
import type { PlanRequest } from './planner.ts'

/** Longest name that is made from a text, in characters. */
export const NAME_LENGTH = 120

type TaskDraft = Extract<Decision, { kind: 'task' }>['task']

/**
 * The whole request as one task, with nothing lost: the name is the text cut to one short line, the description the
 * whole text where the name does not say all of it. A text over `maxTextLength` travels as a part instead, beside the
 * parts that are not text.
 */
export function singleTask(request: PlanRequest, maxTextLength: number): TaskDraft {
  const text = textOf(request.message).trim()
  const name = nameOf(text) || unnamed(request.message.parts)
  const overlong = text.length > maxTextLength
  const parts: Part[] = [...(overlong ? [{ text }] : []), ...attachmentsOf(request)]
  return {
    name: name.slice(0, maxTextLength),
    ...(!overlong && text !== name && text !== '' && { description: text }),
    ...(parts.length > 0 && { parts }),
  }
}

/** A text as a name: one line, cut at a word where it is too long. */
export function nameOf(text: string, length: number = NAME_LENGTH): string {
  // Only the beginning is looked at: a text may have megabytes.
  const line = text
    .slice(0, length * 8)
    .trim()
    .replace(/\s+/g, ' ')
  if (line.length <= length && text.length <= length * 8) return line
  if (line.length <= length) return `${line}…`
  const cut = line.slice(0, length - 1)
  const space = cut.lastIndexOf(' ')
  const whole = space > length / 2 ? cut.slice(0, space) : withoutHalfCharacter(cut)
  return `${whole}…`
}

/** One plan around one task. */
export function planAround(task: TaskDraft): DraftPlan {
  const inner: DraftTask = { ...task, key: 'task-1', dependencies: [] }
  return { key: 'plan-1', name: 'Plan', dependencies: [], tasks: [inner] }
}

function unnamed(parts: readonly Part[]): string {
  const file = parts.find((part) => part.filename !== undefined)?.filename
  return file === undefined ? 'A request without text' : nameOf(file)
}

/** A cut must not leave the first half of a surrogate pair behind. */
function withoutHalfCharacter(text: string): string {
  return /[\uD800-\uDBFF]$/.test(text) ? text.slice(0, -1) : text
}
