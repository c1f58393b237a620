import type { Logger } from 'pino'
import type { AgentCards } from './a2a/card.ts'
import { createTrellis } from './a2a/core/core.ts'
import type { CoreDeps } from './a2a/core/deps.ts'
import type { Authenticate } from './a2a/identity.ts'
import type { Trellis } from './a2a/trellis.ts'
import type { Cards } from './app-card.ts'
import type { Config } from './base/config.ts'
import { isLoopback } from './base/config-auth.ts'
import { ApiKeyTable } from './db/api-keys.ts'
import type { Database } from './db/client.ts'
import type { WebhookSigner } from './events/webhook-signature.ts'
import type { HttpOptions } from './http/app.ts'
import { createAuthenticate } from './http/auth/authenticator.ts'

/** What the operations of every binding call: the core, and what the server offers beside it. */
export function offeredTrellis(core: CoreDeps, cards: AgentCards, { card }: Config): Trellis {
  const trellis: Trellis = { ...createTrellis(core), streaming: card.streaming, inputModes: card.inputModes }
  return card.extended ? { ...trellis, extendedCard: (version) => cards.extended(version) } : trellis
}

/** What the HTTP server is told of the rest. */
export function httpOptions(
  core: CoreDeps,
  trellis: Trellis,
  { cards, signer, publicUrl }: Cards,
  { auth, card, limits, server }: Config,
  logger: Logger,
  webhookSigner: WebhookSigner | undefined,
): HttpOptions {
  return {
    trellis,
    cards,
    keys: [signer, webhookSigner].flatMap((one) => (one ? [() => [one.publicKey]] : [])),
    ready: () => checkDatabase(core.database),
    limits: {
      bodyBytes: limits.bodyBytes,
      bufferBytes: limits.streamBufferBytes,
      heartbeatSeconds: limits.heartbeatSeconds,
    },
    logger,
    authenticate: buildAuthenticate(core.database, auth, limits),
    guard: {
      publicUrl,
      local: isLoopback(server.host),
      origins: server.allowedOrigins,
      // Who has to say who calls cannot be used by a page that does not know: names matter where nobody has to.
      ...((auth.mode === 'none' || server.allowedHosts.length > 0) && { hosts: server.allowedHosts }),
    },
    trustedProxies: server.trustedProxies,
    requiredExtensions: card.requiredExtensions,
  }
}

function buildAuthenticate({ prisma }: Database, auth: Config['auth'], limits: Config['limits']): Authenticate {
  const keys = new ApiKeyTable(prisma)
  const { requestsPerMinute, streamsPerPrincipal, subscribersPerTask } = limits
  return createAuthenticate({
    auth,
    limits: { streamsPerPrincipal, subscribersPerTask, ...(requestsPerMinute !== undefined && { requestsPerMinute }) },
    findKey: (id) => keys.find(id),
  })
}

async function checkDatabase(database: Database): Promise<{ ready: true } | { ready: false; why: string }> {
  try {
    await database.prisma.$queryRawUnsafe('SELECT 1')
    return { ready: true }
  } catch {
    return { ready: false, why: 'the database cannot be reached' }
  }
}
