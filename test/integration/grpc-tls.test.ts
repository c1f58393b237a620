import { readFileSync } from 'node:fs'
import { status } from '@grpc/grpc-js'
import t from '../tap.ts'
import { endOf, RawClient } from './grpc-raw.ts'
import { startServer } from './server.ts'

/** A certificate of its own for localhost, good for a hundred years. */
const cert = new URL('./tls/cert.pem', import.meta.url).pathname
const key = new URL('./tls/key.pem', import.meta.url).pathname
const CARD = new URL('../../README.md', import.meta.url).pathname

t.test('with a certificate the port speaks TLS, and only that', async (t) => {
  const server = await startServer(t, { config: { grpc: { port: 0, tls: { cert, key } } } })
  const address = server.grpc ?? ''
  const trusting = new RawClient(t, address, { root: readFileSync(cert) })
  t.match(await endOf(trusting.unary('getTask', { id: 'none' })), { code: status.NOT_FOUND })
  const deadline = { deadline: Date.now() + 2_000 }
  const plain = await endOf(new RawClient(t, address).unary('getTask', { id: 'none' }, {}, deadline))
  t.ok([status.UNAVAILABLE, status.DEADLINE_EXCEEDED].includes(plain.code), `without TLS: ${status[plain.code]}`)
  const response = await fetch(`${server.baseUrl}/.well-known/agent-card.json`)
  const { supportedInterfaces: all } = (await response.json()) as { supportedInterfaces: Record<string, string>[] }
  t.match(
    all.filter(({ protocolBinding }) => protocolBinding === 'GRPC'),
    [{ url: address }, { url: address }],
  )
})

t.test('what is wrong with the files stops the start, and is named', async (t) => {
  const cases: [object, RegExp][] = [
    [
      { cert: '/nowhere.pem', key },
      /grpc\.tls\.cert: was "\/nowhere\.pem"; must be a file that can be read \(ENOENT\)/,
    ],
    [{ cert: CARD, key }, /grpc\.tls\.cert: .*must be a certificate in PEM/],
    [{ cert, key: CARD }, /grpc\.tls\.key: .*must be a private key in PEM/],
  ]
  for (const [tls, message] of cases) {
    await t.rejects(startServer(t, { config: { grpc: { port: 0, tls } } }), { message })
  }
})
