import type { TaskRow } from '../rows.ts'
import { isTerminal } from '../task.ts'
import type { WorkingCopy } from '../working-copy.ts'

/** The planned root that new plans join: the newest that has not ended. (design §3.4) */
export function newestUnfinishedRoot(w: WorkingCopy): TaskRow | undefined {
  const open = w.roots().filter((root) => root.kind === 'planned' && !isTerminal(root.state))
  return open.sort((a, b) => Date.parse(b.createdAt) - Date.parse(a.createdAt) || b.id.localeCompare(a.id))[0]
}
