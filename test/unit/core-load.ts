import type { Loaded } from '../../src/domain/loaded.ts'
import type { Needed, NeedKind } from '../../src/domain/need.ts'
import type { TaskDependencyRow, TaskRow } from '../../src/domain/rows.ts'
import { isTerminal } from '../../src/domain/task.ts'
import type { CoreRows } from './core-rows.ts'

type Load = (from: From, id: string) => void

/** Answers needs with the same sets of rows as src/domain/store/load.ts, so that what is not asked for is not there. */
export function loadFrom(rows: CoreRows, needs: readonly Needed[], loaded: Loaded): void {
  const from = new From(rows, loaded)
  for (const { kind, id } of needs) loaded.meet(kind, id)
  for (const { kind, id } of needs) LOADS[kind](from, id)
}

class From {
  readonly rows: CoreRows
  readonly loaded: Loaded

  constructor(rows: CoreRows, loaded: Loaded) {
    this.rows = rows
    this.loaded = loaded
  }

  /** A task, with its newest attempt. */
  pick(task: TaskRow): void {
    place(this.loaded.tasks, task.id, task)
    const attempt = this.rows.attempts.find(({ taskId, number }) => taskId === task.id && number === task.attempt)
    if (attempt !== undefined) place(this.loaded.attempts, task.id, attempt)
  }

  planned(taskId: string): void {
    const row = this.rows.planned.find((planned) => planned.taskId === taskId)
    if (row !== undefined) place(this.loaded.planned, taskId, row)
  }

  plan(id: string): void {
    place(this.loaded.plans, id, this.rows.plan(id))
  }

  objective(key: string): void {
    this.loaded.meet('objective', key)
    const row = this.rows.objective
    if (row === undefined) return
    place(this.loaded.objectives, key, row)
    this.loaded.answer('objective', key, key)
  }

  edge(need: NeedKind, edge: TaskDependencyRow): void {
    const key = `${edge.taskId}<${edge.dependsOnId}`
    this.loaded.edges.set(key, edge)
    this.loaded.answer(need, edge.dependsOnId, key)
  }

  edgesTo(id: string): TaskDependencyRow[] {
    return this.rows.edges.filter((edge) => edge.dependsOnId === id)
  }

  isIn(taskId: string, planId: string): boolean {
    return this.rows.task(taskId).planId === planId
  }

  openTasksOf(planId: string): TaskRow[] {
    return this.rows.tasks.filter((task) => task.planId === planId && !isTerminal(task.state))
  }
}

function place<T>(rows: Map<string, T>, key: string, row: T): void {
  if (!rows.has(key)) rows.set(key, row)
}

const LOADS: Record<NeedKind, Load> = {
  lineage: (from, id) => {
    for (let at = from.rows.tasks.find((task) => task.id === id); at !== undefined; ) {
      from.pick(at)
      from.planned(at.id)
      from.objective(at.contextKey)
      if (at.planId === null) return
      from.plan(at.planId)
      at = from.rows.task(from.rows.plan(at.planId).taskId)
    }
  },
  dependents: (from, id) => {
    for (const edge of from.edgesTo(id)) {
      from.pick(from.rows.task(edge.taskId))
      from.edge('dependents', edge)
    }
  },
  cascade: (from, id) => {
    const down = new Set([id])
    for (const at of down) for (const edge of from.edgesTo(at)) if (!edge.reference) down.add(edge.taskId)
    for (const at of down) {
      from.pick(from.rows.task(at))
      from.loaded.meet('cascade', at)
      for (const edge of from.edgesTo(at)) from.edge('cascade', edge)
    }
  },
  unfinishedTasks: (from, id) => {
    for (const task of from.openTasksOf(id)) {
      from.pick(task)
      from.planned(task.id)
      from.loaded.answer('unfinishedTasks', id, task.id)
      from.loaded.meet('cascade', task.id)
      for (const edge of from.edgesTo(task.id)) from.edge('cascade', edge)
    }
  },
  entryTasks: (from, id) => {
    for (const task of from.openTasksOf(id).filter((open) => open.entry)) {
      from.pick(task)
      from.planned(task.id)
      from.loaded.answer('entryTasks', id, task.id)
    }
  },
  plan: (from, id) => {
    if (!from.rows.plans.some((plan) => plan.id === id)) return
    from.plan(id)
    from.loaded.answer('plan', id, id)
  },
  plansOf: (from, id) => {
    const plans = from.rows.plans.filter((plan) => plan.taskId === id).sort((a, b) => a.planIndex - b.planIndex)
    for (const plan of plans) {
      from.plan(plan.id)
      from.loaded.answer('plansOf', id, plan.id)
    }
  },
  planDependents: (from, id) => {
    for (const { planId } of from.rows.planEdges.filter((edge) => edge.dependsOnId === id)) {
      from.plan(planId)
      from.loaded.answer('planDependents', id, planId)
    }
  },
  /** Those dropped unanswered a moment ago are left out: no test here waits for them. */
  openInputs: (from, id) => {
    for (const input of from.rows.inputs.filter((each) => each.closedAt === null)) {
      from.pick(from.rows.task(input.taskId))
      place(from.loaded.inputs, input.id, input)
      from.loaded.answer('openInputs', id, input.id)
    }
  },
  artifacts: (from, id) => {
    for (const artifact of from.rows.artifacts.filter(({ taskId }) => taskId === id)) {
      place(from.loaded.artifacts, artifact.key, artifact)
      from.loaded.answer('artifacts', id, artifact.key)
    }
  },
  deliverables: (from, id) => {
    const sinks = from.rows.tasks.filter(
      (task) =>
        task.planId === id && from.edgesTo(task.id).every((edge) => edge.reference || !from.isIn(edge.taskId, id)),
    )
    for (const sink of sinks) from.pick(sink)
    const ids = new Set(sinks.map((sink) => sink.id))
    const artifacts = from.rows.artifacts.filter(({ taskId }) => ids.has(taskId))
    for (const artifact of artifacts.sort((a, b) => a.position - b.position)) {
      place(from.loaded.artifacts, artifact.key, artifact)
      from.loaded.answer('deliverables', id, artifact.key)
    }
  },
  objective: (from, id) => from.objective(id),
  pushConfigs: (from, id) => {
    for (const config of from.rows.pushConfigs) {
      place(from.loaded.pushConfigs, config.key, config)
      from.loaded.answer('pushConfigs', id, config.key)
    }
  },
  roots: (from, id) => {
    const roots = from.rows.tasks.filter((task) => task.id === task.rootId)
    const ended = roots.filter((root) => isTerminal(root.state) && !root.hidden)
    const newest = ended.sort((a, b) => b.statusAt.localeCompare(a.statusAt) || b.id.localeCompare(a.id)).slice(0, 1)
    for (const root of [...roots.filter((each) => !isTerminal(each.state)), ...newest]) {
      from.pick(root)
      if (!isTerminal(root.state)) from.planned(root.id)
      from.loaded.answer('roots', id, root.id)
    }
  },
}
