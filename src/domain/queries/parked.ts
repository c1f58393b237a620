import type { Database } from '../../db/client.ts'

interface OwnDelivery {
  tenant: string
  owner: string
  id: string
}

/** The lock of the write path, which removes configurations: none goes while its delivery comes back. */
const LOCK = `SELECT c.key FROM webhook_delivery d JOIN context c ON c.key = d.context_key
  WHERE d.id = $1 AND d.tenant = $2 AND d.owner = $3 AND d.state = 'parked' FOR NO KEY UPDATE OF c`

const UNPARK = `WITH d AS (UPDATE webhook_delivery SET state = 'pending', ended_at = NULL WHERE id = $1 AND state = 'parked'
    AND EXISTS (SELECT FROM push_config c WHERE c.key = config_key) RETURNING config_key),
  q AS (INSERT INTO webhook_queue AS t (config_key, pending, due_at) SELECT config_key, 1, clock_timestamp() FROM d
    ON CONFLICT (config_key) DO UPDATE SET pending = t.pending + 1, failures = 0, due_at = excluded.due_at)
  SELECT count(*)::int AS landed FROM d`

/**
 * Puts a delivery that was given up back into its configuration's queue, due at once. False: it is none of the caller's
 * that was parked, or its configuration is gone.
 */
export function unparkDelivery({ prisma }: Database, { tenant, owner, id }: OwnDelivery): Promise<boolean> {
  return prisma.$transaction(async (tx) => {
    const locked = await tx.$queryRawUnsafe<unknown[]>(LOCK, id, tenant, owner)
    if (locked.length === 0) return false
    const [result] = await tx.$queryRawUnsafe<{ landed: number }[]>(UNPARK, id)
    return result?.landed === 1
  })
}
