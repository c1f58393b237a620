import type { Logger } from 'pino'
import { createTrellis } from './a2a/core/core.ts'
import type { CoreDeps } from './a2a/core/deps.ts'
import type { Config } from './base/config.ts'
import type { Database } from './db/client.ts'
import type { AgentRegistry } from './executors/registry.ts'
import type { HttpOptions } from './http/app.ts'
import { VERSION } from './version.ts'

/** What the HTTP server is told of the rest. */
export function httpOptions(
  core: CoreDeps,
  agents: AgentRegistry,
  { card, limits }: Config,
  logger: Logger,
  publicUrl: () => string,
): HttpOptions {
  const { maxPlansPerObjective, maxTasksPerPlan, maxDepth } = limits
  return {
    trellis: createTrellis(core),
    card: {
      ...card,
      version: VERSION,
      publicUrl,
      skills: skillsOf(agents),
      optLimits: { maxPlansPerObjective, maxTasksPerPlan, maxDepth },
    },
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

/** What the agents can do, as the card says it. */
export function skillsOf(agents: AgentRegistry) {
  return agents.agents().flatMap((agent) =>
    (agent.skills ?? []).map(({ id, name, description = '', tags = [], examples = [] }) => ({
      ...{ id, name, description },
      tags: [...tags],
      examples: [...examples],
    })),
  )
}
