import * as sdk from '@a2a-js/sdk/errors'
import { grpcStatusFor } from '@a2a-js/sdk/errors/grpc'
import { status } from '@grpc/grpc-js'
import { asTrellisError, ERROR_CODES, rpcHttpStatus, toRpcError } from '../../src/a2a/errors.ts'
import { invalidParams, TrellisError } from '../../src/base/errors.ts'
import t from '../tap.ts'

t.test('the table is what clients were promised', async (t) => {
  const table = Object.fromEntries(
    Object.entries(ERROR_CODES).map(([meaning, { code, http }]) => [meaning, [code, http]]),
  )
  t.strictSame(table, {
    parseError: [-32700, 400],
    invalidRequest: [-32600, 400],
    methodNotFound: [-32601, 404],
    invalidParams: [-32602, 400],
    taskNotFound: [-32001, 404],
    taskNotCancelable: [-32002, 400],
    pushNotificationNotSupported: [-32003, 400],
    unsupportedOperation: [-32004, 400],
    contentTypeNotSupported: [-32005, 400],
    extendedAgentCardNotConfigured: [-32007, 400],
    extensionSupportRequired: [-32008, 400],
    versionNotSupported: [-32009, 400],
    objectiveNotFound: [-31040, 404],
    planNotFound: [-31041, 404],
    invalidState: [-31042, 409],
    revisionMismatch: [-31043, 409],
    limitExceeded: [-31044, 429],
    invalidPlan: [-31045, 400],
    unauthenticated: [-31401, 401],
    forbidden: [-31403, 403],
    rateLimited: [-31429, 429],
    tooLarge: [-32600, 413],
    unavailable: [-32603, 503],
    internal: [-32603, 500],
  })
})

t.test("A2A's own errors have the SDK's codes, statuses and reasons", async (t) => {
  const twins = [
    ['taskNotFound', new sdk.TaskNotFoundError()],
    ['taskNotCancelable', new sdk.TaskNotCancelableError()],
    ['pushNotificationNotSupported', new sdk.PushNotificationNotSupportedError()],
    ['unsupportedOperation', new sdk.UnsupportedOperationError()],
    ['contentTypeNotSupported', new sdk.ContentTypeNotSupportedError()],
    ['extendedAgentCardNotConfigured', new sdk.ExtendedAgentCardNotConfiguredError()],
    ['extensionSupportRequired', new sdk.ExtensionSupportRequiredError()],
    ['versionNotSupported', new sdk.VersionNotSupportedError()],
  ] as const
  for (const [meaning, twin] of twins) {
    const { code, http, grpc, reason, domain } = ERROR_CODES[meaning]
    const { code: theirs, data } = sdk.toJsonRpcError(twin)
    t.equal(code, theirs, meaning)
    t.match(data, [{ reason, domain }], meaning)
    t.equal(http, sdk.restStatusFor(twin), meaning)
    t.equal(status[grpc], grpcStatusFor(twin), meaning)
  }
})

t.test('what is not meant for callers is not told', async (t) => {
  const seen = toRpcError(asTrellisError(new Error('password is 1234')), '1.0')
  t.notMatch(JSON.stringify(seen), /1234/)
  t.match(seen, { code: -32603, message: 'Internal error' })
})

t.test('each version has its own form of details', async (t) => {
  const error = invalidParams('message.parts[0]', 'was 1; expected a part')
  t.strictSame(toRpcError(error, '0.3'), {
    code: -32602,
    message: 'message.parts[0]: was 1; expected a part',
    data: { violations: [{ field: 'message.parts[0]', description: 'was 1; expected a part' }] },
  })
  t.match(toRpcError(error, '1.0').data, [
    { reason: 'INVALID_PARAMS' },
    { fieldViolations: [{ field: 'message.parts[0]' }] },
  ])
  t.strictSame(toRpcError(new TrellisError('internal', 'x'), '0.3'), { code: -32603, message: 'x' })
})

t.test('JSON-RPC answers 200, except for what never got that far', async (t) => {
  for (const [meaning, status] of [
    ['taskNotFound', 200],
    ['internal', 200],
    ['tooLarge', 413],
    ['unavailable', 503],
  ] as const) {
    t.equal(rpcHttpStatus(new TrellisError(meaning, 'x')), status)
  }
})
