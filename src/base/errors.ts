/**
 * What can go wrong, by meaning. Bindings map a meaning to their own codes in one table (a2a/errors.ts); nothing below
 * the bindings knows a code.
 */
export type ErrorMeaning =
  | 'parseError'
  | 'invalidRequest'
  | 'methodNotFound'
  | 'invalidParams'
  | 'taskNotFound'
  | 'objectiveNotFound'
  | 'planNotFound'
  | 'taskNotCancelable'
  | 'unsupportedOperation'
  | 'pushNotificationNotSupported'
  | 'contentTypeNotSupported'
  | 'extendedAgentCardNotConfigured'
  | 'extensionSupportRequired'
  | 'versionNotSupported'
  | 'invalidState'
  | 'revisionMismatch'
  | 'limitExceeded'
  | 'invalidPlan'
  | 'tooLarge'
  | 'unauthenticated'
  | 'forbidden'
  | 'rateLimited'
  | 'unavailable'
  | 'internal'

/** One thing wrong with one field: where it is, what was given, what is allowed. */
export interface FieldViolation {
  /** A path from the params' root, as in `message.parts[0].text`. */
  field: string
  description: string
}

/** An error a caller may see. `message` is a full sentence that names the field, what was given and what is allowed. */
export class TrellisError extends Error {
  readonly meaning: ErrorMeaning
  readonly violations: readonly FieldViolation[]
  /** Strings a program can act on, as in `{ state: 'completed', allowed: 'canceled' }`. */
  readonly details: Readonly<Record<string, string>>

  constructor(
    meaning: ErrorMeaning,
    message: string,
    more: { violations?: FieldViolation[]; details?: Record<string, string>; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause })
    this.name = 'TrellisError'
    this.meaning = meaning
    this.violations = more.violations ?? []
    this.details = more.details ?? {}
  }
}

/** Params that break their contract, at one field. */
export function invalidParams(field: string, description: string): TrellisError {
  return new TrellisError('invalidParams', `${field}: ${description}`, { violations: [{ field, description }] })
}

/** The same answer for what does not exist and for what the caller may not see. */
export function taskNotFound(id: string): TrellisError {
  return new TrellisError('taskNotFound', `Task not found: ${id}`, { details: { taskId: id } })
}

export function objectiveNotFound(id: string): TrellisError {
  return new TrellisError('objectiveNotFound', `Objective not found: ${id}`, { details: { objectiveId: id } })
}

export function planNotFound(id: string): TrellisError {
  return new TrellisError('planNotFound', `Plan not found: ${id}`, { details: { planId: id } })
}

/** A move that the thing's state does not allow. Names the state and the legal ones. */
export function invalidState(what: string, state: string, allowed: readonly string[]): TrellisError {
  const legal = allowed.length === 0 ? 'no move is' : `${allowed.join(', ')} ${allowed.length === 1 ? 'is' : 'are'}`
  return new TrellisError('invalidState', `${what} is ${state}: from there ${legal} allowed`, {
    details: { state, allowed: allowed.join(', ') },
  })
}

/** A draft that cannot become plans: `key` is the plan or task at fault. */
export function invalidPlan(key: string, why: string): TrellisError {
  return new TrellisError('invalidPlan', `Invalid plan: ${key}: ${why}`, { details: { key, why } })
}
