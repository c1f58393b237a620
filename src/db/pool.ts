import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'

/** Statements beyond this many are not kept: our own are some dozens, each a few kilobytes on each connection. */
const MAX_PREPARED = 400

/**
 * Prisma's adapter over a pool whose connections are set up for short statements. (docs/decisions/0070) A transaction in
 * which nothing was said for `silentSeconds` is rolled back by the server, and its connection closed. (docs/decisions/0060)
 */
export function openPool(connectionString: string, max: number, silentSeconds: number): PrismaPg {
  // Compiling a statement takes 250 ms, and a plan that looks costly and is quick has it done at every execution.
  const settings = `SET jit = off; SET idle_in_transaction_session_timeout = '${Math.ceil(silentSeconds * 1_000)}ms'`
  const onConnect = (client: pg.ClientBase) => client.query(settings) as unknown as undefined
  const pool = new pg.Pool({ connectionString, max, connectionTimeoutMillis: 10_000, onConnect })
  return new PrismaPg(pool, { disposeExternalPool: true, statementNameGenerator: statementNames() })
}

/** Names statements, so that each connection parses and plans each of them once. What has no name is planned every time. */
function statementNames(): (statement: { sql: string }) => string {
  const names = new Map<string, string>()
  return ({ sql }) => {
    const known = names.get(sql)
    if (known !== undefined) return known
    if (names.size >= MAX_PREPARED) return ''
    const name = `trellis_${names.size + 1}`
    names.set(sql, name)
    return name
  }
}
