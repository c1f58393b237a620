import type { Message } from '../../domain/message.ts'
import type { TaskRow } from '../../domain/rows.ts'
import type { TaskView } from '../../domain/task.ts'
import type { WorkingCopy } from '../../domain/working-copy.ts'

/** A root task as its creation left it, without reading it again. */
export function viewOf(w: WorkingCopy, task: TaskRow, history: Message[]): TaskView {
  return {
    id: task.id,
    contextId: w.context.wireId,
    state: task.state,
    statusAt: task.statusAt,
    ...(task.statusMessage !== null && { statusMessage: task.statusMessage }),
    history,
    artifacts: [],
    metadata: task.metadata,
    kind: task.kind,
    skipped: task.skipped,
    ...(task.kind === 'planned' && { objectiveId: w.context.wireId }),
    seq: w.context.seq,
  }
}
