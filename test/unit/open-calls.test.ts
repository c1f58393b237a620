import { makeApiKey } from '../../src/base/api-key.ts'
import { FixedClock } from '../../src/base/clock.ts'
import { createAuthenticate, isUnauthenticated } from '../../src/http/auth/authenticator.ts'
import { OpenCalls } from '../../src/http/open-calls.ts'
import t from '../tap.ts'

t.test('a call ends with its key, also where guesses from its address have used up what may be refused', async (t) => {
  const { id, hash, key } = makeApiKey()
  const clock = new FixedClock('2027-01-01T00:00:00Z')
  const authenticate = createAuthenticate({
    auth: {
      mode: 'apiKeys',
      allowAnonymous: false,
      keys: [{ id, hash, tenant: 'acme', scopes: ['read'], expires: '2027-01-01T01:00:00Z' }],
    },
    limits: { requestsPerMinute: 2, streamsPerPrincipal: 10, subscribersPerTask: 10 },
    findKey: async () => null,
    clock,
  })
  const address = '192.0.2.1'
  const calls = new OpenCalls(authenticate)
  t.teardown(() => calls.stop())
  const { signal } = calls.open({ apiKey: key, address })
  for (let guess = 0; guess < 3; guess += 1) {
    await t.rejects(Promise.resolve(authenticate({ apiKey: makeApiKey().key, address })))
  }
  await calls.recheck()
  t.notOk(signal.aborted, 'the key still holds')
  clock.advance(7_200)
  await calls.recheck()
  t.ok(signal.aborted && isUnauthenticated(signal.reason), 'and then no longer')
})
