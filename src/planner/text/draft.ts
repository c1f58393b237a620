import type { DraftPlan, DraftTask, ObjectiveDraft } from '../../domain/draft.ts'
import { nameOf } from '../single-task.ts'
import { link, type Order } from './link.ts'
import { nameOfStep, type Step } from './steps.ts'

/** A plan as the text has it: a name, its steps, and how those go together. */
export interface Outline {
  /** The step that the plan is among the plans; null where it is the only one. */
  step: Step | null
  name: string
  steps: Step[]
  order: Order
}

/** What all tasks should know: what the text says before and around the steps. */
export interface Frame {
  name: string | null
  context: string[]
  /** How the plans go together. */
  order: Order
}

/** The outlines as a draft, with keys `plan-1` and, counted through, `task-1`. */
export function draftOf(outlines: readonly Outline[], frame: Frame): ObjectiveDraft {
  const steps = outlines.flatMap((outline) => (outline.step ? [outline.step] : []))
  const waits = steps.length === outlines.length ? link(steps, frame.order) : []
  const context = frame.context.join('\n').trim()
  let count = 0
  const plans = outlines.map((outline, index): DraftPlan => {
    const first = count + 1
    count += outline.steps.length
    return {
      key: `plan-${index + 1}`,
      // A heading of nothing but marks names nothing.
      name: nameOf(outline.name) || `Plan ${index + 1}`,
      ...describe(outline),
      dependencies: (waits[index] ?? []).map((at) => `plan-${at + 1}`),
      tasks: tasksOf(outline, first, context),
    }
  })
  return { ...(frame.name !== null && { name: frame.name }), plans }
}

function describe({ step }: Outline): { description?: string } {
  const notes = step?.notes.join('\n').trim() ?? ''
  return notes === '' ? {} : { description: notes }
}

function tasksOf({ steps, order }: Outline, first: number, context: string): DraftTask[] {
  const waits = link(steps, order)
  return steps.map((step, index) => {
    const name = nameOf(nameOfStep(step)) || `Step ${index + 1}`
    const description = descriptionOf(step, name, context)
    return {
      key: `task-${first + index}`,
      name,
      ...(description !== name && { description }),
      dependencies: (waits[index] ?? []).map((at) => `task-${first + at}`),
    }
  })
}

/** All that the text says of a step, in its own words, and what stands around the steps. */
function descriptionOf(step: Step, name: string, context: string): string {
  const own = step.span.text.replace(/\s*[.;；。]\s*$/, '').trim()
  const said = sameWords(own, name) ? name : own
  const details = [said, ...step.notes, ...step.children.map((child) => detail(child, '- '))].join('\n')
  return context === '' ? details : `${details}\n\nContext: ${context}`
}

function detail(step: Step, mark: string): string {
  const below = step.children.map((child) => detail(child, `  ${mark}`))
  return [`${mark}${step.span.text}`, ...step.notes, ...below].join('\n')
}

function sameWords(one: string, other: string): boolean {
  return one.localeCompare(other, 'en', { sensitivity: 'accent' }) === 0
}
