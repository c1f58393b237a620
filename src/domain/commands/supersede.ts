import type { DraftPlan } from '../draft.ts'
import type { PlanRow } from '../rows.ts'

/** Which superseded plan each draft stands for, by its key: the one with that key or id, else with that name, else the only one. */
export function supersededBy(drafts: readonly DraftPlan[], ended: readonly PlanRow[]): Map<string, string> {
  const pairs = drafts.flatMap(({ key, name }) => {
    const plan =
      only(ended, ({ id, draftKey }) => id === key || draftKey === key) ??
      only(ended, (each) => each.name === name) ??
      only(ended, () => true)
    return plan === undefined ? [] : [[key, plan.id] as const]
  })
  return new Map(pairs)
}

/** The one that fits; where several do, none is meant. */
function only(plans: readonly PlanRow[], fits: (plan: PlanRow) => boolean): PlanRow | undefined {
  const fitting = plans.filter(fits)
  return fitting.length === 1 ? fitting[0] : undefined
}
