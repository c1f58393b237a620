import fastifyCors from '@fastify/cors'
import { fastifySSE } from '@fastify/sse'
import fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from 'fastify'
import type { Registry } from 'prom-client'
import type { AgentCards } from '../a2a/card.ts'
import { type Authenticate, anonymous } from '../a2a/identity.ts'
import type { Trellis } from '../a2a/trellis.ts'
import { identifies, provideIdentity } from './auth/callers.ts'
import { cardRoutes } from './card-route.ts'
import { answerClientError } from './client-error.ts'
import { errorHandler, failureOf } from './error-handler.ts'
import { type GuardOptions, guard } from './guards.ts'
import { type CheckReadiness, healthRoutes } from './health.ts'
import { trackIdle } from './idle-connections.ts'
import { jwksRoute, type KeySource } from './jwks-route.ts'
import { metricsRoute } from './metrics-route.ts'
import { OpenCalls } from './open-calls.ts'
import { openApiRoute } from './openapi-route.ts'
import { restRoutesOf } from './rest-route.ts'
import { rpcRoutes } from './rpc-route.ts'
import { opensSocket, socketRoute } from './socket-route.ts'

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
  /** Absent: there are none to read. */
  metrics?: Registry
  limits?: Partial<HttpLimits>
  /** Absent: nothing is logged. */
  logger?: FastifyBaseLogger
  /** Absent: everyone is the same caller. */
  authenticate?: Authenticate
  /** URIs of extensions that every caller must activate. */
  requiredExtensions?: readonly string[]
  /** What pages in browsers may do. Absent: those of the server's own origin may call. */
  guard?: Partial<GuardOptions>
  /** Addresses of proxies that say truly whom they speak for. */
  trustedProxies?: readonly string[]
}

/** Of an id in a path, as it is written there: each of its 512 characters may be a few that are encoded. */
const LONGEST_ID = 512 * 12

/** How long a request may take to arrive. How long its answer takes is another matter. */
const RECEIVE_SECONDS = 120

/**
 * Every route that Trellis serves over HTTP, on an instance that does not listen yet. Closing it ends open streams and
 * waits first. (design §8, §9)
 */
export function buildHttp(options: HttpOptions): FastifyInstance {
  const limits = { ...DEFAULT_HTTP_LIMITS, ...options.limits }
  const authenticate = options.authenticate ?? anonymous
  const calls = new OpenCalls(options.authenticate)
  const app = fastify({
    ...(options.logger ? { loggerInstance: options.logger } : { logger: false }),
    // A line for each request costs as much as a small request does.
    logController: new LogController({ disableRequestLogging: true }),
    http: { shouldUpgradeCallback: opensSocket },
    bodyLimit: limits.bodyBytes,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: LONGEST_ID },
    trustProxy: options.trustedProxies?.length ? [...options.trustedProxies] : false,
    requestTimeout: RECEIVE_SECONDS * 1_000,
    clientErrorHandler: answerClientError,
    frameworkErrors: failureOf(limits.bodyBytes),
    forceCloseConnections: 'idle',
  }) as unknown as FastifyInstance
  errorHandler(app, limits.bodyBytes)
  provideIdentity(app)
  guard(app, { publicUrl: () => '', local: true, origins: [], ...options.guard })
  if (options.guard?.origins?.length) allowOrigins(app, options.guard.origins)
  healthRoutes(app, options.ready)
  cardRoutes(app, options.cards)
  jwksRoute(app, options.keys ?? [])
  openApiRoute(app)
  if (options.metrics) metricsRoute(app, options.metrics, authenticate)
  const required = options.requiredExtensions ?? []
  app.register(socketRoute, {
    trellis: options.trellis,
    authenticate,
    required,
    calls,
    limits,
  })
  app.register(async (scope) => {
    scope.addHook('onRequest', identifies(authenticate))
    await scope.register(fastifySSE, { heartbeatInterval: limits.heartbeatSeconds * 1_000 })
    rpcRoutes(scope, {
      trellis: options.trellis,
      calls,
      readers: limits,
      required,
    })
    await scope.register(async (rest) =>
      restRoutesOf(rest, { trellis: options.trellis, calls, readers: limits, required }),
    )
  })
  const endIdle = trackIdle(app.server)
  app.addHook('preClose', async () => {
    endIdle()
    await calls.stop()
  })
  return app
}

/** Has browsers let pages of these origins read answers, and the headers that clients look at. */
function allowOrigins(app: FastifyInstance, origins: readonly string[]): void {
  app.register(fastifyCors, {
    origin: [...origins],
    methods: ['GET', 'POST', 'PATCH', 'DELETE'],
    exposedHeaders: ['A2A-Extensions', 'X-A2A-Extensions', 'WWW-Authenticate', 'Retry-After', 'ETag'],
    maxAge: 600,
  })
}
