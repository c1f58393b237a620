import type { Query } from './databases.ts'

const TERMINAL = `('completed','failed','canceled','rejected')`
const INTERRUPTED = `('input-required','auth-required')`

/** Where a task counts in its plan: design §3.2. */
const TASK_SLOT = `CASE
  WHEN t.state = 'submitted' THEN CASE WHEN t.unmet > 0 THEN 'waiting' ELSE 'ready' END
  WHEN t.state = 'working' THEN 'running' WHEN t.state = 'input-required' THEN 'input' WHEN t.state = 'auth-required' THEN 'auth'
  WHEN t.state = 'completed' THEN 'completed'
  WHEN t.state = 'canceled' THEN CASE WHEN t.skipped OR t.optional THEN 'skipped' ELSE 'canceled' END
  WHEN t.optional THEN 'skipped' WHEN p.on_failure = 'ignore' THEN 'ignored' ELSE 'failed' END`

/** Where a plan counts in its planned task: design §3.3. A plan without tasks counts nowhere. */
const PLAN_SLOT = `CASE
  WHEN NOT EXISTS (SELECT FROM task t WHERE t.plan_id = p.id) THEN NULL
  WHEN p.status = 'pending' THEN CASE WHEN p.unmet > 0 THEN 'waiting' ELSE 'ready' END
  WHEN p.status = 'working' AND p.unmet > 0 AND p.ready + p.running = 0 THEN 'waiting'
  WHEN p.status = 'failed' THEN CASE WHEN p.covered THEN 'covered' ELSE 'failed' END ELSE p.status END`

const PLAN_COUNTERS = [
  'waiting',
  'ready',
  'running',
  'input',
  'auth',
  'completed',
  'failed',
  'ignored',
  'canceled',
  'skipped',
]
const PLANNED_COUNTERS = [
  'waiting',
  'ready',
  'working',
  'blocked',
  'completed',
  'failed',
  'covered',
  'canceled',
  'skipped',
]

function differs(row: string, counters: readonly string[]): string {
  const counted = counters.map((slot) => `count(*) FILTER (WHERE s.slot = '${slot}')`)
  return `(${counters.map((slot) => `${row}.${slot}`)}) IS DISTINCT FROM (${counted})`
}

/** What must never be, each as a query for where it is. */
const VIOLATIONS: Record<string, string> = {
  'events are numbered from 1 without gaps': `SELECT c.key, c.seq, count(e.seq), max(e.seq) FROM context c LEFT JOIN event e ON e.context_key = c.key
    GROUP BY c.key HAVING count(e.seq) <> c.seq OR coalesce(min(e.seq), 1) <> 1 OR coalesce(max(e.seq), 0) <> c.seq`,
  'a task ends once': `SELECT t.id, t.state, count(e.seq) FROM task t LEFT JOIN event e ON e.context_key = t.context_key
      AND e.task_id = t.id AND e.type = 'task.status' AND e.data->>'state' IN ${TERMINAL}
    GROUP BY t.id HAVING count(e.seq) <> CASE WHEN t.state IN ${TERMINAL} THEN 1 ELSE 0 END`,
  'attempts are numbered from 1 without gaps': `SELECT t.id, t.attempt, array_agg(a.number) FROM task t LEFT JOIN attempt a ON a.task_id = t.id
    GROUP BY t.id HAVING count(a.id) <> t.attempt OR coalesce(min(a.number), 1) <> 1 OR coalesce(max(a.number), 0) <> t.attempt`,
  'an attempt starts once': `SELECT t.id, t.attempt, count(e.seq) FROM task t LEFT JOIN event e ON e.context_key = t.context_key
      AND e.task_id = t.id AND e.type = 'attempt.started' GROUP BY t.id HAVING count(e.seq) <> t.attempt`,
  'an attempt has one outcome, once it ended': `SELECT * FROM attempt WHERE (outcome IS NULL) <> (ended_at IS NULL)`,
  'a task that ended has no open attempt': `SELECT t.id FROM task t JOIN attempt a ON a.task_id = t.id AND a.outcome IS NULL WHERE t.state IN ${TERMINAL}`,
  'only the last attempt is open or completed': `SELECT a.id FROM attempt a JOIN task t ON t.id = a.task_id
    WHERE a.number < t.attempt AND (a.outcome IS NULL OR a.outcome = 'completed')`,
  'what an agent completed has a completed attempt': `SELECT t.id FROM task t WHERE t.kind = 'executed' AND (t.state = 'completed') <>
    EXISTS (SELECT FROM attempt a WHERE a.task_id = t.id AND a.number = t.attempt AND a.outcome = 'completed')`,
  'nobody holds what ended': `SELECT id FROM task WHERE state IN ${TERMINAL} AND (runner IS NOT NULL OR claimable_at IS NOT NULL)`,
  'an interrupted task has one open question, others none': `SELECT t.id, t.state FROM task t LEFT JOIN input_request i ON i.task_id = t.id AND i.closed_at IS NULL
    WHERE t.kind <> 'planned' GROUP BY t.id HAVING count(i.id) <> CASE WHEN t.state IN ${INTERRUPTED} THEN 1 ELSE 0 END`,
  'a range of an artifact is published once': `SELECT e.data->>'artifactKey' FROM event e WHERE e.type = 'task.artifact'
    GROUP BY e.context_key, e.task_id, e.data->>'artifactKey', e.data->>'from' HAVING count(*) > 1`,
  'an artifact has all its parts': `SELECT r.key FROM artifact r LEFT JOIN artifact_part x ON x.artifact_key = coalesce(r.source_key, r.key) AND x.n < r.part_count
    GROUP BY r.key HAVING count(x.n) <> r.part_count`,
  'slots are held by open attempts': `SELECT s.* FROM agent_slot s WHERE s.holder IS NOT NULL
    AND NOT EXISTS (SELECT FROM attempt a WHERE a.task_id = s.holder AND a.outcome IS NULL)`,
  'nothing is unfinished below what ended': `SELECT t.id FROM task t JOIN plan p ON p.id = t.plan_id JOIN task parent ON parent.id = p.task_id
    WHERE t.state NOT IN ${TERMINAL} AND (p.status IN ('completed','failed','canceled','skipped') OR parent.state IN ${TERMINAL})`,
  'a task is in the plan that it counts in': `SELECT t.id FROM task t WHERE t.plan_id IS NOT NULL
    AND NOT EXISTS (SELECT FROM plan_task pt WHERE pt.plan_id = t.plan_id AND pt.task_id = t.id)`,
  'nothing was carried out of a plan that stands': `SELECT pt.plan_id, p.status FROM plan_task pt JOIN task t ON t.id = pt.task_id
    JOIN plan p ON p.id = pt.plan_id WHERE pt.plan_id <> t.plan_id AND p.status NOT IN ('skipped', 'failed', 'canceled')`,
  'plans count their tasks': `SELECT p.id FROM plan p LEFT JOIN LATERAL (SELECT ${TASK_SLOT} AS slot FROM task t WHERE t.plan_id = p.id) s ON true
    GROUP BY p.id HAVING ${differs('p', PLAN_COUNTERS)}`,
  'planned tasks count their plans': `SELECT d.task_id FROM planned_task d LEFT JOIN LATERAL (SELECT ${PLAN_SLOT} AS slot FROM plan p WHERE p.task_id = d.task_id) s ON true
    GROUP BY d.task_id HAVING ${differs('d', PLANNED_COUNTERS)}`,
  'contexts count what works': `SELECT c.key, c.running FROM context c LEFT JOIN task t ON t.context_key = c.key AND t.kind = 'executed' AND t.state = 'working'
    GROUP BY c.key HAVING count(t.id) <> c.running`,
  'contexts count their push configurations': `SELECT c.key, c.push FROM context c LEFT JOIN push_config p ON p.context_key = c.key
    GROUP BY c.key HAVING count(p.key) <> c.push`,
  'queues count what is to be delivered': `SELECT coalesce(q.config_key, d.config_key) FROM webhook_queue q
    FULL JOIN (SELECT config_key, count(*) FROM webhook_delivery WHERE state = 'pending' GROUP BY config_key) d USING (config_key)
    WHERE coalesce(q.pending, 0) <> coalesce(d.count, 0)`,
  'objectives count their tasks': `SELECT o.context_key FROM objective o LEFT JOIN LATERAL (SELECT t.id, ${TASK_SLOT} AS slot FROM task t JOIN plan p ON p.id = t.plan_id
      WHERE t.context_key = o.context_key) s ON true GROUP BY o.context_key
    HAVING (o.total, o.completed, o.failed, o.canceled, o.skipped, o.working, o.blocked) IS DISTINCT FROM (count(s.id),
      count(*) FILTER (WHERE s.slot = 'completed'), count(*) FILTER (WHERE s.slot IN ('failed','ignored')), count(*) FILTER (WHERE s.slot = 'canceled'),
      count(*) FILTER (WHERE s.slot = 'skipped'), count(*) FILTER (WHERE s.slot = 'running'), count(*) FILTER (WHERE s.slot IN ('input','auth')))`,
}

/** What the database has that must never be; empty: all is well. */
export async function violations(query: Query): Promise<Record<string, unknown[]>> {
  const found: Record<string, unknown[]> = {}
  for (const [rule, sql] of Object.entries(VIOLATIONS)) {
    const rows = await query(sql)
    if (rows.length > 0) found[rule] = rows.slice(0, 3)
  }
  return found
}
