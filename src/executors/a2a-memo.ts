import { type Static, Type } from 'typebox'
import { schemaCheck } from '../base/schema-check.ts'
import type { Metadata } from '../domain/message.ts'

/** What an attempt on a remote agent remembers between calls of `execute`, in `AttemptRecord.memo`. */
export const MemoSchema = Type.Object({
  /** What of its artifacts was published: see ArtifactLedger. */
  published: Type.Optional(Type.Record(Type.String(), Type.Tuple([Type.Integer(), Type.String(), Type.Integer()]))),
  /** Streams turned out to be of no use: check instead. */
  poll: Type.Optional(Type.Boolean()),
  /** Checks that failed in a row. */
  failedChecks: Type.Optional(Type.Integer()),
  /** The answer that was sent last: its id there, which question it was for, and whether it was surely received. */
  answer: Type.Optional(Type.Object({ id: Type.String(), question: Type.String(), received: Type.Boolean() })),
})
export type Memo = Static<typeof MemoSchema>

const isMemo = schemaCheck<Memo>(MemoSchema, { strict: false })

/** The memo as it was kept; what cannot be read counts as nothing kept. */
export function readMemo(memo: Metadata | undefined): Memo {
  return memo !== undefined && isMemo(memo) ? memo : {}
}
