import '../unit/property-seed.ts'
import { LegacyA2AService } from '@a2a-js/sdk/compat/v0_3/server/grpc'
import { A2AService } from '@a2a-js/sdk/server/grpc'
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js'
import fc from 'fast-check'
import { AgentCards } from '../../src/a2a/card.ts'
import { GrpcServer } from '../../src/a2a/grpc-server.ts'
import { anonymous } from '../../src/a2a/identity.ts'
import { OpenCalls } from '../../src/http/open-calls.ts'
import t from '../tap.ts'
import { fakeTrellis } from '../wire/fake-trellis.ts'

/** Whatever bytes come, no method fails by our fault: broken messages, and whole ones with some bytes changed. */

const { trellis } = fakeTrellis()
const failures: unknown[] = []
const CARD = { name: 'T', description: 'd', version: '1', publicUrl: 'http://h', skills: [], optLimits: {} }
const server = new GrpcServer({
  ...{
    trellis,
    authenticate: anonymous,
    calls: new OpenCalls(),
    cards: new AgentCards({ ...CARD, bindings: { grpc: () => 'h:1' } }),
  },
  ...{ readers: { bufferBytes: 65_536, stallSeconds: 1 }, bodyBytes: 65_536, heartbeatSeconds: 15 },
  onFailure: (error) => failures.push(error),
})
const client = new Client(`127.0.0.1:${await server.listen('127.0.0.1', 0)}`, credentials.createInsecure())
t.teardown(async () => {
  client.close()
  await server.close()
})

const methods = [...Object.values(A2AService), ...Object.values(LegacyA2AService)].map(({ path, responseStream }) => ({
  path,
  responseStream,
}))

const part = { content: { $case: 'text' as const, value: 'What is 2 + 2?' }, metadata: { a: [1, null] } }
const message = {
  messageId: 'm',
  contextId: 'c',
  taskId: '',
  role: 1,
  parts: [{ ...part, filename: '', mediaType: '' }],
}
const whole = [
  A2AService.sendMessage.requestSerialize({
    tenant: '',
    message: { ...message, metadata: { x: 'y' }, extensions: ['e'], referenceTaskIds: ['r'] },
    configuration: undefined,
    metadata: { deep: { a: [{ b: true }] } },
  }),
  LegacyA2AService.sendMessage.requestSerialize({
    request: {
      ...{ messageId: 'm', contextId: 'c', taskId: '', role: 1, metadata: { x: 1 }, extensions: [] },
      content: [
        { part: { $case: 'text', value: 'hello' } },
        { part: { $case: 'data', value: { data: { n: [1] } } } },
        { part: { $case: 'file', value: { file: { $case: 'fileWithUri', value: 'http://x' }, mimeType: 'a/b' } } },
      ],
    },
    configuration: { acceptedOutputModes: ['a'], historyLength: 2, blocking: true, pushNotification: undefined },
    metadata: undefined,
  }),
  LegacyA2AService.getTask.requestSerialize({ name: 'tasks/task-1', historyLength: 1 }),
]

const changed = fc
  .tuple(fc.constantFrom(...whole), fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 6 }), fc.nat(300))
  .map(([bytes, edits, keep]) => {
    const copy = Buffer.from(bytes.subarray(0, Math.max(1, keep)))
    for (const [at, byte] of edits) copy[at % copy.length] = byte
    return copy
  })
const any = fc.oneof(
  changed,
  fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
)

/** The code that a call ends with; a stream is left after its first frame. */
function ends({ path, responseStream }: (typeof methods)[number], bytes: Buffer): Promise<number> {
  const asIs = (given: Buffer) => given
  const options = { deadline: Date.now() + 5_000 }
  return new Promise((resolve) => {
    if (!responseStream) {
      const done = (error: ServiceError | null) => resolve(error?.code ?? status.OK)
      client.makeUnaryRequest(path, asIs, asIs, bytes, new Metadata(), options, done)
      return
    }
    const stream = client.makeServerStreamRequest(path, asIs, asIs, bytes, new Metadata(), options)
    stream.on('data', () => stream.cancel())
    stream.on('error', ({ code }: ServiceError) => resolve(code))
    stream.on('end', () => resolve(status.OK))
  })
}

t.test('no bytes make a method fail', async (t) => {
  const ours: number[] = [status.INTERNAL, status.UNKNOWN, status.UNAVAILABLE, status.DEADLINE_EXCEEDED]
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...methods), any, async (method, bytes) => {
      const code = await ends(method, bytes)
      if (ours.includes(code)) throw new Error(`${method.path} ended with ${status[code]}: ${failures.at(-1)}`)
    }),
    { numRuns: 3_000 },
  )
  t.strictSame(failures, [])
})
