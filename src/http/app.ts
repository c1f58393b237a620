import { fastifySSE } from '@fastify/sse'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { AgentCards } from '../a2a/card.ts'
import { type Authenticate, anonymous } from '../a2a/identity.ts'
import type { Trellis } from '../a2a/trellis.ts'
import { cardRoutes } from './card-route.ts'
import { errorHandler, failureOf } from './error-handler.ts'
import { type CheckReadiness, healthRoutes } from './health.ts'
import { jwksRoute, type KeySource } from './jwks-route.ts'
import { OpenCalls } from './peer.ts'
import { restRoutesOf } from './rest-route.ts'
import { rpcRoutes } from './rpc-route.ts'
import { socketRoute } from './socket-route.ts'

export interface HttpLimits {
  bodyBytes: number
  /** What one follower may leave unread. */
  bufferBytes: number
  heartbeatSeconds: number
  /** How long a follower may stand still with a full buffer. */
  stallSeconds: number
}

export const DEFAULT_HTTP_LIMITS: HttpLimits = {
  bodyBytes: 10 * 1024 * 1024,
  bufferBytes: 1024 * 1024,
  heartbeatSeconds: 15,
  stallSeconds: 10,
}

export interface HttpOptions {
  trellis: Trellis
  cards: AgentCards
  /** Public keys to show, from whoever signs. */
  keys?: readonly KeySource[]
  ready: CheckReadiness
  limits?: Partial<HttpLimits>
  /** Absent: nothing is logged. */
  logger?: FastifyBaseLogger
  /** Absent: everyone is the same caller. */
  authenticate?: Authenticate
  /** URIs of extensions that every caller must activate. */
  requiredExtensions?: readonly string[]
  /** Origins of pages that may open WebSockets, beside the server's own. */
  allowedOrigins?: readonly string[]
}

/** How long a request may take to arrive. How long its answer takes is another matter. */
const RECEIVE_SECONDS = 120

/**
 * Every route that Trellis serves over HTTP, on an instance that does not listen yet. Closing it ends open streams and
 * waits first. (design §8, §9)
 */
export function buildHttp(options: HttpOptions): FastifyInstance {
  const limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits }
  const calls = new OpenCalls()
  const app = fastify({
    ...(options.logger ? { loggerInstance: options.logger } : { logger: false }),
    // A line for each request costs as much as a small request does.
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: limits.bodyBytes,
    routerOptions: { ignoreTrailingSlash: true },
    requestTimeout: RECEIVE_SECONDS * 1_000,
    frameworkErrors: failureOf(limits.bodyBytes),
    forceCloseConnections: 'idle',
  }) as unknown as FastifyInstance
  errorHandler(app, limits.bodyBytes)
  healthRoutes(app, options.ready)
  cardRoutes(app, options.cards)
  jwksRoute(app, options.keys ?? [])
  const authenticate = options.authenticate ?? anonymous
  const required = options.requiredExtensions ?? []
  app.register(socketRoute, {
    trellis: options.trellis,
    authenticate,
    required,
    calls,
    limits,
    allowedOrigins: options.allowedOrigins ?? [],
  })
  app.register(async (scope) => {
    await scope.register(fastifySSE, { heartbeatInterval: limits.heartbeatSeconds * 1_000 })
    rpcRoutes(scope, {
      trellis: options.trellis,
      authenticate,
      calls,
      readers: limits,
      required,
    })
    await scope.register(async (rest) =>
      restRoutesOf(rest, { trellis: options.trellis, authenticate, calls, readers: limits, required }),
    )
  })
  app.addHook('preClose', async () => {
    closeAsTheyFallIdle(app)
    await calls.stop()
  })
  return app
}

const IDLE_CHECK_MILLISECONDS = 50

/** Closing the server ends connections that are idle then; one that is answered later would be kept alive, and waited for. */
function closeAsTheyFallIdle(app: FastifyInstance): void {
  const timer = setInterval(() => app.server.closeIdleConnections(), IDLE_CHECK_MILLISECONDS)
  timer.unref()
  app.server.once('close', () => clearInterval(timer))
}
