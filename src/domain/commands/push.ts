import { TrellisError } from '../../base/errors.ts'
import { newId } from '../../base/ids.ts'
import type { PushConfig } from '../push.ts'
import type { PushConfigRow } from '../push-rows.ts'
import type { WorkingCopy } from '../working-copy.ts'

/**
 * Registers where to be told of a task, or of the context's objective (null). Under an id that is there it replaces that
 * one, and what that one still had to deliver goes to the new address. Returns the id.
 *
 * @throws TrellisError limitExceeded when the task or objective has as many as it may
 */
export function setPushConfig(w: WorkingCopy, taskId: string | null, config: PushConfig, limit: number): string {
  const others = pushConfigsOf(w, taskId)
  const { id = newId('push'), url, token = null, authentication = null, version } = config
  const known = others.find((other) => other.id === id)
  const said = { url, token, authentication, version }
  if (known !== undefined) {
    Object.assign(w.pushConfigs.edit(known.key), said)
    return id
  }
  if (others.length >= limit) throw tooMany(taskId, limit)
  const key = newId('push')
  const { key: contextKey } = w.context
  w.pushConfigs.insert(key, { key, contextKey, scope: taskId ?? contextKey, taskId, id, createdAt: w.now, ...said })
  w.context.push += 1
  return id
}

/** Removes a push configuration; what it still had to deliver is parked. False: there is none. */
export function removePushConfig(w: WorkingCopy, taskId: string | null, id: string): boolean {
  const known = pushConfigsOf(w, taskId).find((config) => config.id === id)
  if (known === undefined) return false
  w.pushConfigs.remove(known.key)
  w.context.push -= 1
  return true
}

function pushConfigsOf(w: WorkingCopy, taskId: string | null): PushConfigRow[] {
  return w.allPushConfigs().filter((config) => config.taskId === taskId)
}

function tooMany(taskId: string | null, limit: number): TrellisError {
  const what = taskId === null ? 'The objective' : `Task ${taskId}`
  const message = `${what} has ${limit} push notification configurations; allowed are ${limit} (push.maxConfigsPerTask)`
  return new TrellisError('limitExceeded', message, { details: { limit: String(limit) } })
}
