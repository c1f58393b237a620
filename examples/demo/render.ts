import { stripVTControlCharacters, styleText } from 'node:util'
import { hasEnded, type PlanNode, type TaskNode, type Tree } from './tree.ts'

export interface Look {
  /** Of the terminal, in columns. */
  width: number
  color: boolean
}

const BAR = 12
const MARKS: Record<string, string> = {
  pending: '○',
  working: '◐',
  'input-required': '?',
  'auth-required': '?',
  completed: '●',
  failed: '✗',
  rejected: '✗',
  canceled: '–',
  skipped: '–',
}
const COLORS: Record<string, Parameters<typeof styleText>[0]> = {
  working: 'cyan',
  planning: 'cyan',
  'input-required': 'yellow',
  'auth-required': 'yellow',
  blocked: 'yellow',
  completed: 'green',
  failed: 'red',
  rejected: 'red',
  canceled: 'gray',
  skipped: 'gray',
  pending: 'gray',
}

/** The tree as lines: the objective, its plans, their tasks, each with its state; bars for what has tasks below it. */
export function renderTree(tree: Tree, now: number, look: Look): string {
  const tasks = tree.plans.flatMap((plan) => plan.tasks)
  const time = seconds((tree.endedAt ?? now) - tree.startedAt)
  const head = row(tree.name, `${bar(tasks)}  ${colored(tree.status, tree.status, look)}  ${time}`, look)
  const plans = tree.plans.flatMap((plan, index) => renderPlan(plan, index === tree.plans.length - 1, now, look))
  return [head, ...plans].join('\n')
}

function renderPlan(plan: PlanNode, last: boolean, now: number, look: Look): string[] {
  const head = row(
    `${last ? '└─' : '├─'} ${plan.name}`,
    `${bar(plan.tasks)}  ${colored(plan.status, plan.status, look)}`,
    look,
  )
  const indent = last ? '   ' : '│  '
  const tasks = plan.tasks.map((task, index) => {
    const branch = index === plan.tasks.length - 1 ? '└─' : '├─'
    return renderTask(`${indent}${branch} `, task, now, look)
  })
  return [head, ...tasks]
}

function renderTask(indent: string, task: TaskNode, now: number, look: Look): string {
  const mark = colored(MARKS[task.status] ?? '·', task.status, look)
  const time = task.startedAt === undefined ? '' : seconds((task.endedAt ?? now) - task.startedAt)
  const about = [task.agent ?? '', colored(task.status, task.status, look), time]
    .filter((text) => text !== '')
    .join('  ')
  const line = row(`${indent}${mark} ${task.name}`, about, look)
  return task.note && !hasEnded(task.status) ? `${line}\n${cut(`${' '.repeat(8)}${task.note}`, look.width)}` : line
}

/** How many of the tasks have ended: `██████░░░░░░ 1/2`. */
function bar(tasks: readonly TaskNode[]): string {
  const done = tasks.filter((task) => hasEnded(task.status)).length
  const full = tasks.length === 0 ? 0 : Math.round((BAR * done) / tasks.length)
  return `${'█'.repeat(full)}${'░'.repeat(BAR - full)} ${done}/${tasks.length}`
}

/** Left and right parts of a line; the left one gives way where the terminal is narrow. */
function row(left: string, right: string, look: Look): string {
  const room = look.width - visibleLength(right) - 2
  const fitted = cut(left, Math.max(16, room))
  return `${fitted}${' '.repeat(Math.max(2, look.width - visibleLength(fitted) - visibleLength(right)))}${right}`
}

function cut(text: string, width: number): string {
  const excess = visibleLength(text) - width
  return excess <= 0 ? text : `${text.slice(0, text.length - excess - 1)}…`
}

function visibleLength(text: string): number {
  return [...stripVTControlCharacters(text)].length
}

function colored(text: string, status: string, look: Look): string {
  const color = COLORS[status]
  return look.color && color ? styleText(color, text, { validateStream: false }) : text
}

/** `4.2 s`, `1 min 05 s`. */
export function seconds(millis: number): string {
  const whole = Math.max(0, millis) / 1_000
  if (whole < 60) return `${whole.toFixed(1)} s`
  return `${Math.floor(whole / 60)} min ${String(Math.floor(whole % 60)).padStart(2, '0')} s`
}

/** What changed from one tree to the next, a line each: for output that is kept. */
export function changesBetween(before: Tree | undefined, after: Tree): string[] {
  const lines: string[] = []
  for (const plan of after.plans) {
    const old = before?.plans.find((each) => each.id === plan.id)
    if (old?.status !== plan.status) lines.push(`plan ${plan.name}: ${plan.status}`)
    for (const task of plan.tasks) {
      const same = old?.tasks.find((each) => each.id === task.id)?.status === task.status
      if (!same) lines.push(`  task ${task.name}: ${describe(task)}`)
    }
  }
  const took = after.endedAt === undefined ? '' : ` after ${seconds(after.endedAt - after.startedAt)}`
  if (before?.status !== after.status) lines.push(`objective ${after.name}: ${after.status}${took}`)
  return lines
}

function describe(task: TaskNode): string {
  const by = task.agent === undefined || task.status === 'pending' ? '' : ` (${task.agent})`
  const note = hasEnded(task.status) && task.note ? `: ${task.note}` : ''
  return `${task.status}${by}${note}`
}
