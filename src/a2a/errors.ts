import { A2A_ERROR_DOMAIN } from '@a2a-js/sdk/errors'
import { type ErrorMeaning, TrellisError } from '../base/errors.ts'
import { databaseAway, isUnavailable } from '../db/unavailable.ts'

/** Where a meaning's reason comes from: A2A's own list, or the OPT extension's. */
export const OPT_ERROR_DOMAIN = 'github.com/zeroasterisk/a2a-opt'

/** Of what neither A2A nor OPT has a code for: the caller and its limits. */
export const TRELLIS_ERROR_DOMAIN = 'trellis'

/** How long a caller should wait before it tries again after `unavailable`. */
export const RETRY_AFTER_SECONDS = 2

export type GrpcStatus =
  | 'INVALID_ARGUMENT'
  | 'NOT_FOUND'
  | 'FAILED_PRECONDITION'
  | 'ABORTED'
  | 'UNIMPLEMENTED'
  | 'UNAUTHENTICATED'
  | 'PERMISSION_DENIED'
  | 'RESOURCE_EXHAUSTED'
  | 'UNAVAILABLE'
  | 'INTERNAL'

interface ErrorCodes {
  /** JSON-RPC `error.code`. */
  code: number
  /** HTTP status of REST bindings. JSON-RPC answers 200, except where `carried` says otherwise. */
  http: number
  /** Name of the canonical google.rpc.Code: gRPC's status, and `status` of REST errors. */
  grpc: GrpcStatus
  /** `reason` of the google.rpc.ErrorInfo that 1.0 sends. */
  reason: string
  domain: string
  /** The status is the HTTP response's also over JSON-RPC: the request never got as far as JSON-RPC. */
  carried?: true
}

const codesOf =
  (domain: string) =>
  (code: number, http: number, grpc: GrpcStatus, reason: string): ErrorCodes => ({ code, http, grpc, reason, domain })
const a2a = codesOf(A2A_ERROR_DOMAIN)
const opt = codesOf(OPT_ERROR_DOMAIN)
const trellis = codesOf(TRELLIS_ERROR_DOMAIN)

/**
 * What each meaning is on the wire. A2A owns −32001…−32099 and JSON-RPC the rest of −32000 down to −32768, so OPT's
 * codes are −31040…−31045. (A2A 1.0 §5.4, design §8.2)
 */
export const ERROR_CODES: Readonly<Record<ErrorMeaning, ErrorCodes>> = {
  parseError: a2a(-32700, 400, 'INVALID_ARGUMENT', 'PARSE_ERROR'),
  invalidRequest: a2a(-32600, 400, 'INVALID_ARGUMENT', 'INVALID_REQUEST'),
  methodNotFound: a2a(-32601, 404, 'UNIMPLEMENTED', 'METHOD_NOT_FOUND'),
  invalidParams: a2a(-32602, 400, 'INVALID_ARGUMENT', 'INVALID_PARAMS'),
  taskNotFound: a2a(-32001, 404, 'NOT_FOUND', 'TASK_NOT_FOUND'),
  taskNotCancelable: a2a(-32002, 400, 'FAILED_PRECONDITION', 'TASK_NOT_CANCELABLE'),
  pushNotificationNotSupported: a2a(-32003, 400, 'FAILED_PRECONDITION', 'PUSH_NOTIFICATION_NOT_SUPPORTED'),
  unsupportedOperation: a2a(-32004, 400, 'FAILED_PRECONDITION', 'UNSUPPORTED_OPERATION'),
  contentTypeNotSupported: a2a(-32005, 400, 'INVALID_ARGUMENT', 'CONTENT_TYPE_NOT_SUPPORTED'),
  extendedAgentCardNotConfigured: a2a(-32007, 400, 'FAILED_PRECONDITION', 'EXTENDED_AGENT_CARD_NOT_CONFIGURED'),
  extensionSupportRequired: a2a(-32008, 400, 'FAILED_PRECONDITION', 'EXTENSION_SUPPORT_REQUIRED'),
  versionNotSupported: a2a(-32009, 400, 'FAILED_PRECONDITION', 'VERSION_NOT_SUPPORTED'),
  objectiveNotFound: opt(-31040, 404, 'NOT_FOUND', 'OBJECTIVE_NOT_FOUND'),
  planNotFound: opt(-31041, 404, 'NOT_FOUND', 'PLAN_NOT_FOUND'),
  invalidState: opt(-31042, 409, 'FAILED_PRECONDITION', 'INVALID_STATE'),
  revisionMismatch: opt(-31043, 409, 'ABORTED', 'REVISION_MISMATCH'),
  limitExceeded: opt(-31044, 429, 'RESOURCE_EXHAUSTED', 'LIMIT_EXCEEDED'),
  invalidPlan: opt(-31045, 400, 'INVALID_ARGUMENT', 'INVALID_PLAN'),
  unauthenticated: { ...trellis(-31401, 401, 'UNAUTHENTICATED', 'UNAUTHENTICATED'), carried: true },
  forbidden: { ...trellis(-31403, 403, 'PERMISSION_DENIED', 'FORBIDDEN'), carried: true },
  rateLimited: { ...trellis(-31429, 429, 'RESOURCE_EXHAUSTED', 'RATE_LIMITED'), carried: true },
  tooLarge: { ...a2a(-32600, 413, 'RESOURCE_EXHAUSTED', 'REQUEST_TOO_LARGE'), carried: true },
  unavailable: { ...a2a(-32603, 503, 'UNAVAILABLE', 'UNAVAILABLE'), carried: true },
  internal: a2a(-32603, 500, 'INTERNAL', 'INTERNAL'),
}

export interface RpcError {
  code: number
  message: string
  data?: unknown
}

/** The HTTP status that a JSON-RPC response with this error is sent with. */
export function rpcHttpStatus(error: TrellisError): number {
  const { carried, http } = ERROR_CODES[error.meaning]
  return carried ? http : 200
}

/** What a caller may see of anything that was thrown. What is not meant for callers becomes `internal`, without a word of it. */
export function asTrellisError(error: unknown): TrellisError {
  if (error instanceof TrellisError) return error
  if (isUnavailable(error)) return databaseAway(error)
  return new TrellisError('internal', 'Internal error', { cause: error })
}

/** `error` as a JSON-RPC response of the given version carries it. (A2A 1.0 §9.5: data is a list of typed details) */
export function toRpcError(error: TrellisError, version: '1.0' | '0.3'): RpcError {
  const { code } = ERROR_CODES[error.meaning]
  const data = version === '1.0' ? errorDetails(error) : legacyData(error)
  return data === undefined ? { code, message: error.message } : { code, message: error.message, data }
}

/** In how many seconds the same may be asked again; undefined where waiting would not help. */
function retryAfter({ meaning, details }: TrellisError): number | undefined {
  if (meaning === 'unavailable') return RETRY_AFTER_SECONDS
  return meaning === 'rateLimited' ? Number(details['retryAfterSeconds'] ?? 60) : undefined
}

/** What an HTTP response with this error says in header fields, over any binding. (RFC 9110 §10.2.3, §11.6.1; RFC 6750 §3) */
export function errorHeaders(error: TrellisError): Record<string, string> {
  const seconds = retryAfter(error)
  if (seconds !== undefined) return { 'retry-after': String(seconds) }
  if (error.meaning === 'unauthenticated') return { 'www-authenticate': error.details['challenge'] ?? 'Bearer' }
  const { scope } = error.details
  if (error.meaning !== 'forbidden' || scope === undefined) return {}
  return { 'www-authenticate': `Bearer error="insufficient_scope", scope="${scope.replaceAll(' or ', ' ')}"` }
}

/** google.rpc details: why, what is wrong with which field, and when to try again. */
export function errorDetails(error: TrellisError): object[] {
  const { reason, domain } = ERROR_CODES[error.meaning]
  const info = { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason, domain, metadata: error.details }
  const details: object[] = [info]
  if (error.violations.length > 0) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.BadRequest', fieldViolations: error.violations })
  }
  const seconds = retryAfter(error)
  if (seconds !== undefined) {
    details.push({ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: `${seconds}s` })
  }
  return details
}

/** 0.3 leaves `data` open: one plain object, absent when there is nothing to say. */
function legacyData(error: TrellisError): object | undefined {
  const seconds = retryAfter(error)
  if (seconds !== undefined) return { ...error.details, retryAfterSeconds: seconds }
  if (error.violations.length > 0) return { ...error.details, violations: error.violations }
  return Object.keys(error.details).length > 0 ? error.details : undefined
}
