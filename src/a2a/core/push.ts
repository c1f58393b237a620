import { invalidParams, objectiveNotFound, TrellisError, taskNotFound } from '../../base/errors.ts'
import { removePushConfig, setPushConfig } from '../../domain/commands/push.ts'
import type { DeliveryView, PushConfigView } from '../../domain/push.ts'
import { readDelivery } from '../../domain/queries/deliveries.ts'
import type { Place } from '../../domain/queries/lookup.ts'
import { unparkDelivery } from '../../domain/queries/parked.ts'
import { readPushConfigs } from '../../domain/queries/push-configs.ts'
import type { NeedRef } from '../../domain/store/load.ts'
import type { WorkingCopy } from '../../domain/working-copy.ts'
import { principalKey } from '../../events/owners.ts'
import type { Caller, PushRequest, PushScope } from '../trellis.ts'
import { shown } from '../validation.ts'
import type { CoreDeps, PushDeps } from './deps.ts'

/** @throws TrellisError pushNotificationNotSupported where it is switched off */
export function pushOf({ push }: CoreDeps): PushDeps {
  if (push !== null) return push
  throw new TrellisError('pushNotificationNotSupported', 'Push notifications are switched off (push.enabled is false)')
}

/** @throws TrellisError invalidParams for a URL that no receiver may have */
export async function checkReceiver(deps: CoreDeps, caller: Caller, { config, field }: PushRequest): Promise<void> {
  const problem = await pushOf(deps).guard.problemOf(config.url, principalKey(caller))
  if (problem !== null) throw invalidParams(field, `was ${shown(config.url)}; ${problem}`)
}

export async function setConfig(
  deps: CoreDeps,
  caller: Caller,
  of: PushScope,
  push: PushRequest,
): Promise<PushConfigView> {
  const { maxConfigsPerTask } = pushOf(deps)
  const place = await placeOf(deps, caller, of)
  await checkReceiver(deps, caller, push)
  const id = await change(deps, of, place, (w) =>
    setPushConfig(w, of.kind === 'task' ? of.id : null, push.config, maxConfigsPerTask),
  )
  return { ...push.config, id, of: of.id }
}

export async function deleteConfig(deps: CoreDeps, caller: Caller, of: PushScope, id: string): Promise<void> {
  pushOf(deps)
  const place = await placeOf(deps, caller, of)
  await change(deps, of, place, (w) => removePushConfig(w, of.kind === 'task' ? of.id : null, id))
}

export async function listConfigs(deps: CoreDeps, caller: Caller, of: PushScope): Promise<PushConfigView[]> {
  pushOf(deps)
  const { contextKey } = await placeOf(deps, caller, of)
  const configs = await readPushConfigs(deps.sql, of.kind === 'task' ? of.id : contextKey)
  return configs.map((config) => ({ ...config, of: of.id }))
}

export async function getConfig(
  deps: CoreDeps,
  caller: Caller,
  of: PushScope,
  id: string | undefined,
): Promise<PushConfigView> {
  const configs = await listConfigs(deps, caller, of)
  const found = id === undefined ? configs[0] : configs.find((config) => config.id === id)
  if (found !== undefined) return found
  const which = id === undefined ? 'has none' : `has none with the id ${id}`
  const what = of.kind === 'task' ? 'Task' : 'Objective'
  const message = `Push notification configuration not found: ${what} ${of.id} ${which}`
  throw new TrellisError(of.kind === 'task' ? 'taskNotFound' : 'objectiveNotFound', message)
}

/**
 * Has a delivery that was given up tried again.
 *
 * @throws TrellisError taskNotFound, or invalidState for one that is not parked, or whose configuration is gone
 */
export async function retryDelivery(deps: CoreDeps, { tenant, owner }: Caller, id: string): Promise<DeliveryView> {
  pushOf(deps)
  const own = { tenant, owner, id }
  const back = await unparkDelivery(deps.database, own)
  const delivery = await readDelivery(deps.sql, own)
  if (delivery === null) throw new TrellisError('taskNotFound', `Delivery not found: ${id}`)
  if (back) return delivery
  const { state } = delivery
  const why =
    state === 'parked' ? 'its push notification configuration is gone' : 'only one that is parked can be tried again'
  throw new TrellisError('invalidState', `Delivery ${id} is ${state}: ${why}`, { details: { state } })
}

async function placeOf(deps: CoreDeps, { tenant, owner }: Caller, { kind, id }: PushScope): Promise<Place> {
  const place = await deps.lookup({ tenant, owner, kind: kind === 'task' ? 'task' : 'context', id })
  if (place !== null) return place
  throw kind === 'task' ? taskNotFound(id) : objectiveNotFound(id)
}

function change<T>(
  deps: CoreDeps,
  { kind, id }: PushScope,
  { contextKey }: Place,
  decide: (w: WorkingCopy) => T,
): Promise<T> {
  const need: NeedRef = kind === 'task' ? { kind: 'lineage', id } : { kind: 'objective', id: contextKey }
  return deps.changes.apply<T>({
    target: { kind: 'known', key: contextKey },
    needs: [need],
    decide: (w) => {
      if (kind === 'task') w.task(id)
      else if (w.objective() === undefined) throw objectiveNotFound(id)
      const answer = decide(w)
      return () => answer
    },
  })
}
