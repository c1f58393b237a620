import type { PlanRow } from '../rows.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** The plan itself and those it stands for, which failed before it. */
function chainOf(w: WorkingCopy, plan: PlanRow): PlanRow[] {
  const chain = [plan]
  for (let at = plan; at.alternativeTo !== null; ) {
    at = w.plan(at.alternativeTo)
    if (at.status !== 'failed') break
    chain.push(at)
  }
  return chain
}

/** Plans that wait for this plan, or for one it stands for. */
export function dependentsOf(w: WorkingCopy, plan: PlanRow): PlanRow[] {
  return chainOf(w, plan).flatMap((link) => w.planDependents(link.id))
}
