import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Authenticate, Credentials, Identity } from '../../a2a/identity.ts'
import { countCall } from '../../a2a/quota.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who calls. Only where `identifies` was asked for. */
    identity: Identity
  }
}

/** What a request shows of its sender. */
export function credentialsOf({ headers, ip }: FastifyRequest): Credentials {
  const key = headers['x-api-key']
  return { authorization: headers.authorization, apiKey: Array.isArray(key) ? key[0] : key, address: ip }
}

/** Makes room for `request.identity` on every request of the server. */
export function provideIdentity(app: FastifyInstance): void {
  app.decorateRequest('identity', null as never)
}

/** A hook that finds out who calls before the body is read: who may not call cannot make us read it. */
export function identifies(authenticate: Authenticate) {
  return async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    request.identity = await authenticate(credentialsOf(request))
    // What one caller may see is not for a cache that others read.
    reply.header('cache-control', 'no-store')
  }
}

/** A hook that counts each request as a call of whoever it was found out to be. */
export async function countsCall({ identity }: FastifyRequest): Promise<void> {
  await countCall(identity)
}

/** The same for what fails before it is answered: that it fails is not to be had for nothing. */
export async function countsFailure({ identity }: FastifyRequest): Promise<void> {
  // It is refused already. Where nobody knows who called, that was counted by address.
  if (identity !== null) await countCall(identity).catch(() => undefined)
}
