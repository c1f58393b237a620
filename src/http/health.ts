import type { FastifyInstance } from 'fastify'
import { within } from './auth/within.ts'

/** Whether the server can do its work now; `why` says what it lacks. */
export type Readiness = { ready: true } | { ready: false; why: string }
export type CheckReadiness = () => Promise<Readiness>

/** A database that takes longer to say so is not ready. */
const CHECK_SECONDS = 5

/** /healthz: the process answers. /readyz: it can also do its work. */
export function healthRoutes(app: FastifyInstance, check: CheckReadiness, seconds = CHECK_SECONDS): void {
  const ask = oneAtATime(check, seconds, (error) => app.log.warn({ err: error }, 'the readiness check failed'))
  app.get('/healthz', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const readiness = await ask()
    reply.header('cache-control', 'no-store')
    if (readiness.ready) return { status: 'ready' }
    return reply.code(503).send({ status: 'not ready', why: readiness.why })
  })
}

/** Nobody has to say who asks, so however many ask, the database is asked once at a time. */
function oneAtATime(check: CheckReadiness, seconds: number, onFailure: (error: unknown) => void): CheckReadiness {
  let asking: Promise<Readiness> | undefined
  const ask = async (): Promise<Readiness> => {
    try {
      return await within(seconds, check(), () => new Error(`The check took longer than ${seconds} s`))
    } catch (error) {
      onFailure(error)
      return { ready: false, why: 'the check failed' }
    }
  }
  return () => {
    asking ??= ask().finally(() => {
      asking = undefined
    })
    return asking
  }
}
