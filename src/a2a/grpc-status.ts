import { GRPC_STATUS_DETAILS_BIN } from '@a2a-js/sdk/errors/grpc'
import { BinaryWriter } from '@bufbuild/protobuf/wire'
import { Metadata, status } from '@grpc/grpc-js'
import type { FieldViolation, TrellisError } from '../base/errors.ts'
import { asTrellisError, ERROR_CODES, errorDetails } from './errors.ts'

/** Clients refuse trailers of more than 8 KiB. */
const MAX_DETAILS_BYTES = 5_000
const MAX_MESSAGE_CHARACTERS = 1_000

/**
 * What a caller may see of anything that was thrown, as gRPC ends a call with it: the canonical code, the message, and
 * google.rpc.Status with the same details as the other bindings. (A2A 1.0 §10.6)
 */
export function grpcError(thrown: unknown): Error & { code: status; details: string; metadata: Metadata } {
  const error = asTrellisError(thrown)
  const code = status[ERROR_CODES[error.meaning].grpc]
  // The library encodes the message as a URI, which throws for half a surrogate pair.
  const details = error.message.slice(0, MAX_MESSAGE_CHARACTERS).toWellFormed()
  const metadata = new Metadata()
  metadata.set(GRPC_STATUS_DETAILS_BIN, statusBytes(code, details, error))
  return Object.assign(new Error(details), { code, details, metadata })
}

type Write = (writer: BinaryWriter) => void

function statusBytes(code: number, message: string, error: TrellisError): Buffer {
  const bytes = statusOf(code, message, (errorDetails(error) as Detail[]).map(written))
  if (bytes.length <= MAX_DETAILS_BYTES) return bytes
  const { reason, domain } = ERROR_CODES[error.meaning]
  return statusOf(code, message, [written({ '@type': ERROR_INFO, reason, domain, metadata: {} })])
}

const ERROR_INFO = 'type.googleapis.com/google.rpc.ErrorInfo'

/** What the other bindings write as JSON. */
type Detail =
  | { '@type': typeof ERROR_INFO; reason: string; domain: string; metadata: Readonly<Record<string, string>> }
  | { '@type': 'type.googleapis.com/google.rpc.BadRequest'; fieldViolations: readonly FieldViolation[] }
  | { '@type': 'type.googleapis.com/google.rpc.RetryInfo'; retryDelay: string }

/** google.protobuf.Any {type_url = 1, value = 2}. */
function written(detail: Detail): Write {
  return (writer) => {
    writer.uint32(tag(1)).string(detail['@type'])
    nested(writer, 2, contentOf(detail))
  }
}

function contentOf(detail: Detail): Write {
  switch (detail['@type']) {
    case ERROR_INFO:
      return errorInfo(detail)
    case 'type.googleapis.com/google.rpc.BadRequest':
      return badRequest(detail)
    case 'type.googleapis.com/google.rpc.RetryInfo':
      return retryInfo(detail)
  }
}

/** google.rpc.Status {code = 1, message = 2, details = 3}. */
function statusOf(code: number, message: string, details: readonly Write[]): Buffer {
  const writer = new BinaryWriter()
  writer.uint32(tag(1, VARINT)).int32(code)
  writer.uint32(tag(2)).string(message)
  for (const write of details) nested(writer, 3, write)
  return Buffer.from(writer.finish())
}

/** google.rpc.ErrorInfo {reason = 1, domain = 2, metadata = 3}. */
function errorInfo({ reason, domain, metadata }: Extract<Detail, { reason: string }>): Write {
  return (writer) => {
    writer.uint32(tag(1)).string(reason)
    writer.uint32(tag(2)).string(domain)
    for (const entry of Object.entries(metadata)) nested(writer, 3, pair(entry))
  }
}

/** google.rpc.BadRequest {field_violations = 1 {field = 1, description = 2}}. */
function badRequest({ fieldViolations }: Extract<Detail, { fieldViolations: unknown }>): Write {
  return (writer) => {
    for (const { field, description } of fieldViolations) nested(writer, 1, pair([field, description]))
  }
}

/** google.rpc.RetryInfo {retry_delay = 1 {seconds = 1}}; as JSON the delay is `2s`. */
function retryInfo({ retryDelay }: Extract<Detail, { retryDelay: string }>): Write {
  const seconds = Math.ceil(Number.parseFloat(retryDelay))
  return (writer) => nested(writer, 1, (delay) => delay.uint32(tag(1, VARINT)).int64(seconds))
}

function pair([first, second]: readonly [string, string]): Write {
  return (writer) => {
    writer.uint32(tag(1)).string(first.toWellFormed())
    writer.uint32(tag(2)).string(second.toWellFormed())
  }
}

function nested(writer: BinaryWriter, field: number, write: Write): void {
  writer.uint32(tag(field)).fork()
  write(writer)
  writer.join()
}

const VARINT = 0
const LENGTH_DELIMITED = 2

function tag(field: number, wireType = LENGTH_DELIMITED): number {
  return (field << 3) | wireType
}
