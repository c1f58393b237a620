import { Type } from 'typebox'
import type { PlanInput, TaskInput } from './plan-schema.ts'

const closed = { additionalProperties: false }
const Text = (description: string) => Type.String({ minLength: 1, description })

/** A plan in a template: the text in it may hold `{{group}}`, and it is left out unless the group in `when` matched. */
export type PlanTemplate = Omit<PlanInput, 'tasks'> & { when?: string; tasks: TaskTemplate[] }
export type TaskTemplate = Omit<TaskInput, 'plans'> & { when?: string }

/** A playbook as its YAML file holds it; the file's name is its name. (design §1, §7) */
export interface PlaybookFile {
  description?: string
  match: { pattern?: string | string[]; keywords?: string[]; maxLength?: number }
  name?: string
  onPlanFailure?: 'fail' | 'continue'
  plans: PlanTemplate[]
}

export const PlaybookSchema = Type.Object(
  {
    description: Type.Optional(Type.String()),
    match: Type.Object(
      {
        pattern: Type.Optional(
          Type.Unsafe<string | string[]>({
            type: ['string', 'array'],
            items: { type: 'string' },
            description: 'a regular expression for the whole text, with named groups, or a list of its pieces',
          }),
        ),
        keywords: Type.Optional(Type.Array(Text('a word'), { minItems: 1 })),
        maxLength: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
      },
      { ...closed, description: 'an object with pattern or keywords' },
    ),
    name: Type.Optional(Text('a name for the objective')),
    onPlanFailure: Type.Optional(Type.Unsafe({ type: 'string', enum: ['fail', 'continue'] })),
    /** Checked as plans once `when` is taken out. */
    plans: Type.Array(
      Type.Object(
        { when: Type.Optional(Text('the name of a group')), tasks: Type.Array(Type.Unknown()) },
        { description: 'a plan: an object with tasks' },
      ),
      { minItems: 1, description: 'a list with at least one plan' },
    ),
  },
  { ...closed, description: 'a playbook: an object with match and plans' },
)
