import DataLoader from 'dataloader'
import type { Sql } from '../../db/client.ts'

/** Something that has a place in a context, as its caller names it. */
export interface Named {
  tenant: string
  owner: string
  kind: 'task' | 'plan' | 'context'
  id: string
}

/** Where it is. A place never changes. */
export interface Place {
  contextKey: string
  /** The contextId on the wire. */
  wireId: string
}

export type Lookup = (named: Named) => Promise<Place | null>

/** The row is found by its own key first (`OFFSET 0`), and then it is looked at whose it is. */
const FIND = `SELECT k.i, c.key AS "contextKey", c.wire_id AS "wireId"
  FROM jsonb_to_recordset($1::jsonb) AS k(i int, "tenant" text, "owner" text, "kind" text, "id" text)
  CROSS JOIN LATERAL (
    SELECT key FROM context
      WHERE k."kind" = 'context' AND (tenant, owner, wire_id) = (k."tenant", k."owner", k."id")
    UNION ALL SELECT context_key FROM task WHERE k."kind" = 'task' AND id = k."id"
      AND NOT hidden AND visible_at <= clock_timestamp()
    UNION ALL SELECT context_key FROM plan WHERE k."kind" = 'plan' AND id = k."id") found
  CROSS JOIN LATERAL (SELECT * FROM context WHERE key = found.key OFFSET 0) c
  WHERE c.tenant = k."tenant" AND c.owner = k."owner"`

/** Finds the context of things in sight, for their owner alone; lookups of the same turn share one statement. */
export function createLookup(sql: Sql): Lookup {
  const loader = new DataLoader<Named, Place | null>((all) => find(sql, all), {
    cache: false,
    maxBatchSize: 200,
    batchScheduleFn: (run) => setImmediate(run),
  })
  return (named) => loader.load(named)
}

async function find(sql: Sql, all: readonly Named[]): Promise<(Place | null)[]> {
  const json = JSON.stringify(all.map((named, i) => ({ i, ...named })))
  const rows = await sql.$queryRawUnsafe<({ i: number } & Place)[]>(FIND, json)
  const places: (Place | null)[] = all.map(() => null)
  for (const { i, contextKey, wireId } of rows) places[i] = { contextKey, wireId }
  return places
}
