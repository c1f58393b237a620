import { deepStrictEqual } from 'node:assert'
import { isPlanTerminal } from '../../src/domain/plan.ts'
import type { TaskRow } from '../../src/domain/rows.ts'
import type { CoreMemory } from './core-memory.ts'
import { Recount } from './core-recount.ts'
import type { CoreRows } from './core-rows.ts'
import { hasEnded } from './core-tables.ts'

/** Holds every row against a full recomputation, and all that must be true of a context between changes. (design §3) */
export function check(memory: CoreMemory): void {
  const { rows } = memory
  const recount = new Recount(rows)
  for (const plan of rows.plans) {
    agree(`plan ${plan.draftKey}`, plan, recount.plan(plan))
    if (!isPlanTerminal(plan.status)) agree(`plan ${plan.draftKey}`, plan, { unmet: recount.unmetOfPlan(plan) })
    const isOver = isPlanTerminal(plan.status)
    const open = recount.tasksOf(plan.id).filter((task) => !hasEnded(task.state))
    expect(!isOver || open.length === 0, () => `${plan.draftKey} is ${plan.status}, with ${open.map(show)}`)
  }
  for (const planned of rows.planned) {
    const { state, ...counters } = recount.planned(planned)
    const task = rows.task(planned.taskId)
    agree(`planned ${task.name}`, { ...planned, state: task.state }, { ...counters, state })
    const open = recount.plansOf(task.id).filter((plan) => !isPlanTerminal(plan.status))
    expect(!hasEnded(task.state) || open.length === 0, () => `${show(task)}, with ${open.map((plan) => plan.draftKey)}`)
  }
  for (const task of rows.tasks) checkTask(rows, task, recount)
  checkObjective(memory, recount)
}

function checkTask(rows: CoreRows, task: TaskRow, recount: Recount): void {
  const open = rows.inputs.filter((input) => input.taskId === task.id && input.closedAt === null)
  const isAsked = task.kind !== 'planned' && (task.state === 'input-required' || task.state === 'auth-required')
  expect(open.length === (isAsked ? 1 : 0), () => `${show(task)} has ${open.length} open questions`)
  if (hasEnded(task.state)) {
    expect(task.claimableAt === null && task.runner === null, () => `${show(task)} is claimable or held`)
    const attempts = rows.attempts.filter((attempt) => attempt.taskId === task.id && attempt.outcome === null)
    expect(attempts.length === 0, () => `${show(task)} has an open attempt`)
    return
  }
  const unmet = recount.unmetOfTask(task)
  expect(task.unmet === unmet, () => `${show(task)} has unmet ${task.unmet} for ${unmet}`)
  if (task.state === 'submitted') {
    const isReady = task.kind === 'executed' && unmet === 0
    expect((task.claimableAt !== null) === isReady, () => `${show(task)} is claimable at ${task.claimableAt}`)
  }
  if (task.state === 'working' && task.kind === 'executed') {
    expect((task.claimableAt === null) === (task.runner !== null), () => `${show(task)} is held or claimable, not both`)
  }
  if (task.state === 'input-required') expect(task.claimableAt === null, () => `${show(task)} is claimable`)
  expect(unmet === 0 || task.state === 'submitted', () => `${show(task)} has started while it waits`)
  if (task.kind === 'planned') checkQuestion(rows, task)
}

/** An interrupted planned task shows the oldest question below it. (§6) */
function checkQuestion(rows: CoreRows, task: TaskRow): void {
  if (task.state !== 'input-required' && task.state !== 'auth-required') return
  const isBelow = (id: string | null): boolean => id !== null && (id === task.id || isBelow(parentOf(rows, id)))
  const open = rows.inputs.filter((input) => input.closedAt === null && isBelow(input.taskId))
  const [oldest] = open.sort((a, b) => a.openedAt.localeCompare(b.openedAt) || a.id.localeCompare(b.id))
  expect(oldest !== undefined, () => `${show(task)} without a question`)
  agree(`question of ${show(task)}`, { id: task.statusMessage?.messageId }, { id: oldest?.message?.messageId })
}

function parentOf(rows: CoreRows, taskId: string): string | null {
  const { planId } = rows.task(taskId)
  return planId === null ? null : rows.plan(planId).taskId
}

function checkObjective({ rows, context }: CoreMemory, recount: Recount): void {
  const running = rows.tasks.filter((task) => task.kind === 'executed' && task.state === 'working').length
  agree('context', context, { running, seq: rows.events.length })
  if (rows.objective === undefined) return
  const { row, slots } = recount.objective()
  agree('objective', rows.objective, row)
  for (const [taskId, slot] of slots) agree(`root ${taskId}`, { slot: rows.plannedTask(taskId).countedAs }, { slot })
  const { total, completed, failed, canceled, skipped, working, blocked } = rows.objective
  const pending = total - completed - failed - canceled - skipped - working - blocked
  const waiting = rows.tasks.filter((task) => task.planId !== null && task.state === 'submitted').length
  agree('progress', { pending }, { pending: waiting })
}

/** Of `actual`, what `expected` speaks of. */
function agree(what: string, actual: object, expected: object): void {
  const same = Object.fromEntries(Object.keys(expected).map((key) => [key, (actual as Record<string, unknown>)[key]]))
  deepStrictEqual(same, expected, `${what}: ${JSON.stringify(same)} for ${JSON.stringify(expected)}`)
}

function expect(holds: boolean, otherwise: () => string): void {
  if (!holds) throw new Error(otherwise())
}

function show(task: TaskRow): string {
  return `${task.kind} ${task.name} (${task.state})`
}
