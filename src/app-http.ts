import type { Logger } from 'pino'
import type { AgentCards } from './a2a/card.ts'
import { createTrellis } from './a2a/core/core.ts'
import type { CoreDeps } from './a2a/core/deps.ts'
import type { Trellis } from './a2a/trellis.ts'
import type { Cards } from './app-card.ts'
import type { Config } from './base/config.ts'
import type { Database } from './db/client.ts'
import type { HttpOptions } from './http/app.ts'

/** What the operations of every binding call: the core, and what the server offers beside it. */
export function offeredTrellis(core: CoreDeps, cards: AgentCards, { card }: Config): Trellis {
  const trellis: Trellis = { ...createTrellis(core), streaming: card.streaming }
  return card.extended ? { ...trellis, extendedCard: (version) => cards.extended(version) } : trellis
}

/** What the HTTP server is told of the rest. */
export function httpOptions(
  core: CoreDeps,
  trellis: Trellis,
  { cards, signer }: Cards,
  { limits }: Config,
  logger: Logger,
): HttpOptions {
  return {
    trellis,
    cards,
    keys: signer ? [() => [signer.publicKey]] : [],
    ready: () => checkDatabase(core.database),
    limits: {
      bodyBytes: limits.bodyBytes,
      bufferBytes: limits.streamBufferBytes,
      heartbeatSeconds: limits.heartbeatSeconds,
    },
    logger,
  }
}

async function checkDatabase(database: Database): Promise<{ ready: true } | { ready: false; why: string }> {
  try {
    await database.prisma.$queryRawUnsafe('SELECT 1')
    return { ready: true }
  } catch {
    return { ready: false, why: 'the database cannot be reached' }
  }
}
