import type { ObjectiveDraft } from '../../domain/draft.ts'
import { nameOf } from '../single-task.ts'
import { type Block, type Section, sectionsOf } from './blocks.ts'
import { draftOf, type Frame, type Outline } from './draft.ts'
import { trimMarks } from './lines.ts'
import { orderIn } from './markers.ts'
import { readSection, type SectionReading } from './sections.ts'
import { type Span, spanOf, trim } from './span.ts'
import { nameOfStep, type Step, stepOfText } from './steps.ts'
import { isOrder } from './verbs.ts'

/** In characters. A longer text is something to work on: nobody writes down that many tasks. */
const MAX_TEXT = 100_000
const ONLY_PLAN = 'Plan'
const MAX_LABEL = 80

/** "Translate the following text:" — what follows is not to be done but to be translated. */
const MATERIAL =
  /^(?:please\s+|(?:can|could|would) you\s+(?:please\s+)?)?(?:translate|summari[sz]e|rewrite|rephrase|paraphrase|proofread|correct|classify|categori[sz]e|edit|explain|review|format|convert|analy[sz]e|fix|improve|shorten|check|critique|rate|transcribe|extract|parse|describe)\b[^.:\n]{0,120}\b(?:this|these|following|below|text|sentences?|paragraphs?|e-?mail|message|letter|article|passage|list|code|document|notes|quote|into \w+)\b[^.:\n]{0,60}(?::|\.?\n\n)\s*\S/i

interface Read {
  section: Section
  reading: SectionReading
}

/**
 * The structure that is in the words of a text, as a draft; null where it asks for one thing only. Takes time linear in
 * the text's length. (design §7, docs/planning.md)
 */
export function readText(text: string): ObjectiveDraft | null {
  if (text.length > MAX_TEXT) return null
  const span = trim(spanOf(text))
  if (MATERIAL.test(span.mask)) return null
  const sections = sectionsOf(span).flatMap(splitAtLabels)
  if (sections.some(bringsMaterial)) return null
  const all = sections.map((section) => ({ section, reading: readSection(section) }))
  const working = all.filter(({ reading }) => reading.steps.length > 0)
  const outlines = working.length > 1 ? sectionOutlines(working) : oneSection(working[0])
  const count = outlines.reduce((sum, outline) => sum + outline.steps.length, 0)
  return count < 2 ? null : draftOf(outlines, frameOf(all, working))
}

/** "Summarize for me:", and then running text rather than a list. */
function bringsMaterial({ blocks }: Section): boolean {
  return blocks.some((block, index) => {
    const next = blocks[index + 1]
    if (block.kind !== 'paragraph' || next?.kind !== 'paragraph') return false
    return /[:：]\s*$/.test(block.span.mask) && isOrder(block.span.mask)
  })
}

/** Lines such as "Research:" above lists of their own are headings, where there are several. */
function splitAtLabels(section: Section): Section[] {
  const labels = section.blocks.map((block, index) => labelOf(block, section.blocks[index + 1]))
  if (labels.filter((label) => label !== null).length < 2) return [section]
  const sections: Section[] = [{ ...section, blocks: [] }]
  for (const [index, block] of section.blocks.entries()) {
    const label = labels[index] ?? null
    if (label === null) sections.at(-1)?.blocks.push(block)
    else sections.push({ heading: label, label: null, level: section.level + 1, blocks: [] })
  }
  return sections.filter(({ heading, blocks }) => heading !== null || blocks.length > 0)
}

function labelOf(block: Block, next: Block | undefined): Span | null {
  if (block.kind !== 'paragraph' || next?.kind !== 'list') return null
  const { mask } = block.span
  return mask.length <= MAX_LABEL && /^[^\n]*[:：]\s*$/.test(mask) ? trimMarks(block.span) : null
}

/** Each heading is a plan; text before the first heading is about all of them. */
function sectionOutlines(working: readonly Read[]): Outline[] {
  return working.map(({ section, reading }) => {
    const [first] = reading.steps
    const name = section.heading?.text ?? reading.title ?? (first ? nameOfStep(first) : ONLY_PLAN)
    const step = { ...stepOfText(name, section.label), notes: reading.context }
    return { step, name, steps: reading.steps, order: reading.order }
  })
}

/** A list whose items have steps below them is a list of plans; any other is one plan. */
function oneSection(only: Read | undefined): Outline[] {
  if (!only) return []
  const { section, reading } = only
  const nested = reading.steps.some((step) => step.children.length > 0)
  if (nested) return reading.steps.map((step) => nestedOutline(step, reading.steps.length > 1))
  const name = section.heading?.text ?? reading.title ?? ONLY_PLAN
  return [{ step: null, name, steps: reading.steps, order: reading.order }]
}

function nestedOutline(step: Step, among: boolean): Outline {
  const numbered = step.children.some((child) => child.label !== null)
  const order = orderIn(step.span.mask) ?? (numbered ? 'sequence' : 'parallel')
  const steps = step.children.length > 0 ? step.children : [{ ...step, place: null }]
  return { step: among ? step : null, name: nameOfStep(step), steps, order }
}

function frameOf(all: readonly Read[], working: readonly Read[]): Frame {
  const idle = all.filter((read) => !working.includes(read))
  const only = working.length === 1 ? working[0] : undefined
  const titled = idle.find(({ section }) => section.heading !== null && section.blocks.length === 0)
  const title = (titled ?? only)?.section.heading
  const context = [...idle, ...(only ? [only] : [])].flatMap(({ reading }) => reading.context)
  return {
    name: title ? nameOf(title.text) : null,
    context,
    order: only ? only.reading.order : (orderIn(context.join('\n')) ?? 'sequence'),
  }
}
