/** What the demo knows of an objective: the snapshot that `objectives/subscribe` begins with, and its events since. */
export interface Tree {
  id: string
  name: string
  status: string
  rootTaskId: string
  startedAt: number
  endedAt?: number
  plans: PlanNode[]
  /** The last event that is in it. */
  seq: number
}

export interface PlanNode {
  id: string
  name: string
  status: string
  tasks: TaskNode[]
}

export interface TaskNode {
  id: string
  name: string
  status: string
  agent?: string
  startedAt?: number
  endedAt?: number
  /** What its agent said last. */
  note?: string
}

/** A frame of `objectives/subscribe`. (design §8.3) */
export type Frame = { snapshot: { seq: number; objective: WireObjective } } | { event: WireEvent }

interface WireObjective {
  id: string
  name: string
  status: string
  metadata?: Record<string, unknown>
  rootTaskId?: string
  createdAt?: string
  plans?: { id: string; name: string; status: string; tasks?: WireTask[] }[]
}

interface WireTask {
  id: string
  name: string
  status: string
  agent?: string
  /** It went on in another plan, and is shown there. */
  carriedTo?: string
}

export interface WireEvent {
  seq: number
  time: string
  type: string
  planId?: string
  taskId?: string
  data: Record<string, unknown>
}

const ENDED = new Set(['completed', 'failed', 'canceled', 'rejected', 'skipped'])

export function hasEnded(status: string): boolean {
  return ENDED.has(status)
}

/** The tree after one more frame; the one given is left as it was. `now` stands in where a frame has no time. */
export function withFrame(tree: Tree | undefined, frame: Frame, now: number): Tree | undefined {
  if ('snapshot' in frame) return treeOf(frame.snapshot.objective, frame.snapshot.seq, now)
  if (tree === undefined || frame.event.seq <= tree.seq) return tree
  return withEvent({ ...tree, seq: frame.event.seq }, frame.event)
}

function treeOf(objective: WireObjective, seq: number, now: number): Tree {
  const { id, name, status, plans = [], metadata, createdAt } = objective
  const ended = hasEnded(status) ? { endedAt: now } : {}
  return {
    id,
    name,
    status,
    rootTaskId: objective.rootTaskId ?? String(metadata?.['opt/v1/rootTaskId'] ?? ''),
    startedAt: createdAt ? Date.parse(createdAt) : now,
    ...ended,
    plans: plans.map((plan) => ({ ...pick(plan), tasks: tasksOf(plan.tasks ?? [], now) })),
    seq,
  }
}

function pick({ id, name, status }: { id: string; name: string; status: string }) {
  return { id, name, status }
}

function tasksOf(tasks: readonly WireTask[], now: number): TaskNode[] {
  return tasks.filter(({ carriedTo }) => carriedTo === undefined).map((task) => taskOf(task, now))
}

function taskOf(task: WireTask, now: number): TaskNode {
  const started = task.status === 'pending' ? {} : { startedAt: now }
  return { ...pick(task), ...started, ...(task.agent === undefined ? {} : { agent: task.agent }) }
}

function withEvent(tree: Tree, event: WireEvent): Tree {
  const time = Date.parse(event.time)
  const { data } = event
  switch (event.type) {
    case 'objective.status':
      return withObjectiveStatus(tree, String(data['status']), time)
    case 'objective.updated':
      return { ...tree, name: String(data['name'] ?? tree.name) }
    case 'plan.created':
      return withPlan(tree, event)
    case 'plan.status':
      return mapPlan(tree, event.planId, (plan) => ({ ...plan, status: String(data['status']) }))
    case 'task.created':
      return withTask(tree, event)
    case 'task.carried':
      return withCarried(tree, event)
    case 'task.status':
      return mapTask(tree, event.taskId, (task) => withStatus(task, data, time))
    case 'attempt.started':
      return mapTask(tree, event.taskId, (task) => ({ ...task, agent: String(data['agent']) }))
    default:
      return tree
  }
}

function withObjectiveStatus(tree: Tree, status: string, time: number): Tree {
  const { endedAt: _, ...rest } = tree
  return hasEnded(status) ? { ...rest, status, endedAt: time } : { ...rest, status }
}

function withPlan(tree: Tree, { planId, data }: WireEvent): Tree {
  if (planId === undefined || tree.plans.some((plan) => plan.id === planId)) return tree
  const plan = { id: planId, name: String(data['name']), status: String(data['status']), tasks: [] }
  return { ...tree, plans: [...tree.plans, plan] }
}

function withTask(tree: Tree, { planId, taskId, data }: WireEvent): Tree {
  if (taskId === undefined) return tree
  const agent = data['agent'] === undefined ? {} : { agent: String(data['agent']) }
  const node: TaskNode = { id: taskId, name: String(data['name']), status: 'pending', ...agent }
  return mapPlan(tree, planId, (plan) =>
    plan.tasks.some((task) => task.id === taskId) ? plan : { ...plan, tasks: [...plan.tasks, node] },
  )
}

/** It is in another plan from now on. */
function withCarried(tree: Tree, { planId, taskId }: WireEvent): Tree {
  const node = tree.plans.flatMap((plan) => plan.tasks).find(({ id }) => id === taskId)
  if (node === undefined) return tree
  const plans = tree.plans.map((plan) => ({ ...plan, tasks: plan.tasks.filter(({ id }) => id !== taskId) }))
  return mapPlan({ ...tree, plans }, planId, (plan) => ({ ...plan, tasks: [...plan.tasks, node] }))
}

function withStatus(task: TaskNode, data: Record<string, unknown>, time: number): TaskNode {
  const state = data['skipped'] === true ? 'skipped' : String(data['state'])
  const status = state === 'submitted' ? 'pending' : state
  const next: TaskNode = { ...task, status }
  if (status !== 'pending' && status !== 'skipped') next.startedAt ??= time
  if (hasEnded(status)) next.endedAt = time
  if (data['agent'] !== undefined) next.agent = String(data['agent'])
  const note = textOf(data['message'])
  if (note !== '') next.note = note
  return next
}

function textOf(message: unknown): string {
  const parts = (message as { parts?: { text?: string }[] } | undefined)?.parts ?? []
  return parts
    .map((part) => part.text ?? '')
    .join(' ')
    .trim()
}

function mapPlan(tree: Tree, id: string | undefined, change: (plan: PlanNode) => PlanNode): Tree {
  return { ...tree, plans: tree.plans.map((plan) => (plan.id === id ? change(plan) : plan)) }
}

function mapTask(tree: Tree, id: string | undefined, change: (task: TaskNode) => TaskNode): Tree {
  const plans = tree.plans.map((plan) =>
    plan.tasks.some((task) => task.id === id)
      ? { ...plan, tasks: plan.tasks.map((task) => (task.id === id ? change(task) : task)) }
      : plan,
  )
  return { ...tree, plans }
}
