import type { Sql } from '../../db/client.ts'
import type { Authentication, PushConfig, PushVersion } from '../push.ts'

interface PushConfigRecord {
  id: string
  url: string
  token: string | null
  authentication: Authentication | null
  version: PushVersion
}

/** The push configurations of a task (by its id) or an objective (by its context's key), oldest first. */
export async function readPushConfigs(sql: Sql, scope: string): Promise<(PushConfig & { id: string })[]> {
  const rows = await sql.$queryRawUnsafe<PushConfigRecord[]>(
    'SELECT id, url, token, authentication, version FROM push_config WHERE scope = $1 ORDER BY created_at, key',
    scope,
  )
  return rows.map(({ token, authentication, ...config }) => ({
    ...config,
    ...(token !== null && { token }),
    ...(authentication !== null && { authentication }),
  }))
}
