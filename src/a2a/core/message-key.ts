import { createHash } from 'node:crypto'
import { invalidParams } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import type { Message } from '../../domain/message.ts'
import type { MessageKeyRow } from '../../domain/store/lock.ts'
import type { Caller } from '../trellis.ts'

/** What a message is known by, and what it is about to become. (design §2, the last paragraph) */
export function messageKeyOf(
  caller: Caller,
  message: Message,
  became: { contextKey: string; answerTask: string | null; answerId: string | null },
): MessageKeyRow {
  return {
    tenant: caller.tenant,
    owner: caller.owner,
    messageId: message.messageId,
    taskId: message.taskId ?? '',
    contextId: message.contextId ?? '',
    contentHash: contentHash(message),
    ...became,
    reservation: newId('message'),
  }
}

/** Tells a message from every other of every principal, by its key and its content. */
export function messageText({ tenant, owner }: Caller, message: Message): string {
  const { messageId, taskId, contextId } = message
  return JSON.stringify([tenant, owner, messageId, taskId, contextId, contentHash(message)])
}

/** The same messageId with other content is another message under a taken id. */
export function sameContent(row: MessageKeyRow, message: Message): void {
  if (row.contentHash === contentHash(message)) return
  throw invalidParams(
    'message.messageId',
    `was ${JSON.stringify(message.messageId)}, which names a message with other content; must be new for a new message`,
  )
}

function contentHash({ parts, metadata, referenceTaskIds, role }: Message): string {
  return createHash('sha256').update(canonical({ parts, metadata, referenceTaskIds, role })).digest('base64url')
}

/** JSON with sorted members: the same content gives the same text. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, member: unknown) => {
    if (member === null || typeof member !== 'object' || Array.isArray(member)) return member
    return Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
  })
}
